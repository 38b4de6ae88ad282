package e2e

import (
	"os"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/wire"
)

// TestMarkComesFirst: a mark is carried out before any later call, even if the directory of
// the marks was empty for a long time.
func TestMarkComesFirst(t *testing.T) {
	t.Parallel()
	p := newPhone(t)
	paused := func() bool {
		var s wire.StatusReply
		p.call(wire.OpStatus, nil, &s)
		return s.Settings.Paused
	}
	for range 3 {
		long := time.Now().Add(-time.Hour)
		if err := os.Chtimes(p.dirs.Marks(), long, long); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time the directory is known to be empty
			if paused() {
				t.Fatal("paused before anybody asked")
			}
		}
		if err := home.LeaveMark(p.dirs.PauseMark(), ""); err != nil {
			t.Fatal(err)
		}
		if !paused() {
			t.Error("a call overtook the mark")
		}
		if home.Marked(p.dirs.PauseMark()) {
			t.Error("the mark stays")
		}
		p.afar("resume")
	}
}
