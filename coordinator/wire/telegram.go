package wire

// Operations of the Telegram channel.
const (
	OpTelegram           = "telegram.status"
	OpTelegramConnect    = "telegram.connect"
	OpTelegramPair       = "telegram.pair"
	OpTelegramPaired     = "telegram.paired" // wait for the end of the pairing that is under way
	OpTelegramDisconnect = "telegram.disconnect"
)

// TelegramRequest says nothing.
type TelegramRequest = None

// TelegramReply returns the state of the channel. The bot's token is never sent.
type TelegramReply struct {
	Connected bool   `json:"connected"`
	Bot       string `json:"bot,omitempty"`
	API       string `json:"api,omitempty"`
	Paired    bool   `json:"paired"`
	User      string `json:"user,omitempty"`
	Chat      string `json:"chat,omitempty"`
	Failing   string `json:"failing,omitempty"`
	Pairing   bool   `json:"pairing"` // a code is waiting
}

// TelegramConnectRequest stores the bot's token and the base URL of its API.
type TelegramConnectRequest struct {
	Token string `json:"token"`
	API   string `json:"api,omitempty"`
}

// TelegramConnectReply returns the state of the channel.
type TelegramConnectReply = TelegramReply

// TelegramPairRequest asks for a fresh code.
type TelegramPairRequest = None

// TelegramPairReply is a fresh code.
type TelegramPairReply struct {
	Code      string `json:"code"`
	ExpiresAt int64  `json:"expires_at"`
	Bot       string `json:"bot,omitempty"`
}

// TelegramPairedRequest waits at most WaitMS.
type TelegramPairedRequest struct {
	WaitMS int64 `json:"wait_ms"`
}

// TelegramPairedReply returns the state of the channel.
type TelegramPairedReply = TelegramReply

// TelegramDisconnectRequest says nothing.
type TelegramDisconnectRequest = None

// TelegramDisconnectReply returns the state of the channel.
type TelegramDisconnectReply = TelegramReply
