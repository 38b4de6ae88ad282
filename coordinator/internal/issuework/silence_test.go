package issuework

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/config"
	"github.com/afar-sh/afar/coordinator/consult"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// TestSilenced: an errand in a project that asks for silence waits, and the person hears of it once.
// It goes on once they have decided that Afar works there.
func TestSilenced(t *testing.T) {
	dir := t.TempDir()
	db, err := store.Open(filepath.Join(dir, "afar.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	c, err := feature.New(core.Config{
		Store: db, Log: slog.New(slog.DiscardHandler), Now: time.Now, Secret: func() string { return "5ec" },
	})
	if err != nil {
		t.Fatal(err)
	}
	h := New(c, home.Dirs{State: dir}, config.Issues{}, consult.Config{})
	if err := h.silenced(dir); err != nil {
		t.Errorf("without the file: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, home.SwitchOff), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var delay *core.Delay
	for range 2 {
		if err := h.silenced(dir); !errors.As(err, &delay) {
			t.Errorf("with the file: %v", err)
		}
	}
	notes := c.Settings().Notes
	if len(notes) != 1 || !strings.Contains(notes[core.AboutSilence+dir], "asks for silence ("+home.SwitchOff+")") {
		t.Errorf("the person is told %q", notes)
	}
	if err := home.LeaveMark(home.Dirs{State: dir}.HeardMark(dir), dir); err != nil {
		t.Fatal(err)
	}
	if err := h.silenced(dir); err != nil {
		t.Errorf("after the person's decision: %v", err)
	}
}
