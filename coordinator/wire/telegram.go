package wire

// Operations of the Telegram channel.
const (
	OpTelegram           Op[None, TelegramReply]                   = "telegram.status"
	OpTelegramConnect    Op[TelegramConnectRequest, TelegramReply] = "telegram.connect"
	OpTelegramPair       Op[None, TelegramPairReply]               = "telegram.pair"
	OpTelegramPaired     Op[TelegramPairedRequest, TelegramReply]  = "telegram.paired" // wait for the end of the pairing that is under way
	OpTelegramDisconnect Op[None, TelegramReply]                   = "telegram.disconnect"
)

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
