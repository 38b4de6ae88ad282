package message

import (
	"cmp"
	"slices"

	"github.com/afar-sh/afar/coordinator/internal/session"
)

// Assign gives texts for a task, in the order of their arrival, to the conversation of the
// run that works on it. There they come after the message with the number newest.
func Assign(texts []Message, id session.ID, newest int64) []Message {
	texts = slices.SortedFunc(slices.Values(texts), func(a, b Message) int { return cmp.Compare(a.Seq, b.Seq) })
	for i := range texts {
		texts[i].Session, texts[i].Run, texts[i].Seq = id, true, newest+1+int64(i)
	}
	return texts
}
