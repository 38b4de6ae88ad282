package noun

import (
	"errors"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/task"
	"github.com/afar-sh/afar/coordinator/wire"
)

// Notes are a Notebook in memory.
type notes struct{ text string }

func (n *notes) Read() (string, error) { return n.text, nil }

func (n *notes) Edit(change func(string) string) error {
	n.text = change(n.text)
	return nil
}

// TestGapSetSeen: a person decides about the gap that they have seen, and about no other that has its number now.
func TestGapSetSeen(t *testing.T) {
	file, _, _ := task.AddGap("", task.Gap{Date: "2026-01-01", Title: "no browser", Problem: "x"})
	book := &notes{file}
	s := &Server{cfg: Config{Gaps: book}}
	for title, ok := range map[string]bool{"no network": false, "no browser": true} {
		out, err := s.gapSet(nil, wire.GapSetRequest{ID: 1, Title: title, Status: string(task.GapResolved)})
		if (err == nil) != ok || !ok && (!errors.Is(err, door.ErrBadRequest) || book.text != file) {
			t.Errorf("%s: %+v, %v", title, out, err)
		}
		book.text = file
	}
}
