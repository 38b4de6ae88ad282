package ask

// An Undo says what the card of an ask shows about the snapshot that was taken before its
// step. The snapshot itself is stored elsewhere. Code that changes the snapshot also
// updates its Undo.
type Undo struct {
	ID     string `json:"id"`
	Line   string `json:"line"`             // for people
	Button string `json:"button,omitempty"` // the label of the button; "" while undo is not offered
	Anyway bool   `json:"anyway,omitempty"` // the button accepts that newer work is overwritten
}
