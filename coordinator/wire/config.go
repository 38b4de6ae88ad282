package wire

// OpConfigSet writes settings into config.toml. They hold at once.
const OpConfigSet Op[ConfigSetRequest, ConfigSetReply] = "config.set"

// ConfigSetRequest has the values by their keys, as `afar config` shows them; "" is the default. Only the keys that
// people change most can be set.
type ConfigSetRequest struct {
	Values map[string]string `json:"values"`
}

// ConfigSetReply lists the lines that are new, none where all was so already.
type ConfigSetReply struct {
	Written []string `json:"written"`
}
