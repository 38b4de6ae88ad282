package wire

// A Choice is the answer to one question: the options by their places in the call's
// input, from 0, and the person's own words. The labels are not sent. The hook takes
// them from its input, which only the hook keeps.
type Choice struct {
	Options []int  `json:"options,omitempty"`
	Said    string `json:"said,omitempty"`
	Does    string `json:"does,omitempty"` // for a field: default or leave, instead of a value
}

// A Question is one question of an ask. Its words are masked. Answer is empty until
// there is one.
type Question struct {
	Text    string   `json:"text"`
	Header  string   `json:"header,omitempty"`
	Hint    string   `json:"hint,omitempty"` // which values an MCP server's field takes
	Multi   bool     `json:"multi,omitempty"`
	Options []Option `json:"options,omitempty"`
	Answer  string   `json:"answer,omitempty"`
}

// An Option is one answer that a question offers.
type Option struct {
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
}
