package wire

// A Choice is the answer to one question: options by their place in the call's
// own input, from 0, and the person's own words. The labels themselves are not
// sent: the hook takes them from its input, which nobody else keeps.
type Choice struct {
	Options []int  `json:"options,omitempty"`
	Said    string `json:"said,omitempty"`
	Does    string `json:"does,omitempty"` // of a field: default or leave, instead of a value
}

// A Question is one of an ask. Its words are masked. Answer is empty while
// there is none.
type Question struct {
	Text    string   `json:"text"`
	Header  string   `json:"header,omitempty"`
	Hint    string   `json:"hint,omitempty"` // what an MCP server's field takes
	Multi   bool     `json:"multi,omitempty"`
	Options []Option `json:"options,omitempty"`
	Answer  string   `json:"answer,omitempty"`
}

// An Option is one answer that a question offers.
type Option struct {
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
}
