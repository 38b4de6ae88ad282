package channel

// A Stamp is when a message was sent, as the channel itself says it. IDs of one
// chat grow with time; those of two chats say nothing about each other.
type Stamp struct {
	Chat int64 `json:"chat"`
	ID   int64 `json:"id"`
	At   int64 `json:"at,omitempty"` // unix seconds; 0 is not known
}

// After reports whether s was certainly sent after t. Within one second, and
// where a time is not known, the ids of one chat decide. Anything else is no.
func (s Stamp) After(t Stamp) bool {
	if s.At != 0 && t.At != 0 && s.At != t.At {
		return s.At > t.At
	}
	return s.Chat == t.Chat && s.ID > t.ID && t.ID != 0
}
