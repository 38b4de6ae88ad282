package text_test

import (
	"testing"

	"github.com/afar-sh/afar/coordinator/text"
)

func TestCount(t *testing.T) {
	for _, c := range []struct {
		n    int
		noun string
		want string
	}{
		{1, "file", "1 file"},
		{0, "file", "0 files"},
		{2, "stash", "2 stashes"},
		{3, "entry", "3 entries"},
		{1, "open entry", "1 open entry"},
		{2, "key", "2 keys"},
		{4, "guess", "4 guesses"},
	} {
		if got := text.Count(c.n, c.noun); got != c.want {
			t.Errorf("have %q, want %q", got, c.want)
		}
	}
}
