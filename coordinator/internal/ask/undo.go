package ask

// An Undo is what the card of an ask says of the snapshot that was taken before
// its step. The snapshot itself is kept elsewhere; whoever changes it keeps
// this up to date.
type Undo struct {
	ID     string `json:"id"`
	Line   string `json:"line"`             // for people
	Button string `json:"button,omitempty"` // the label under which it is offered, "" for not now
	Anyway bool   `json:"anyway,omitempty"` // the button accepts that newer work is overwritten
}
