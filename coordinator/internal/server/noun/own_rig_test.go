package noun

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// newOwnRig returns a server without a door, for conditions that no caller can produce.
func newOwnRig(t *testing.T) *Server {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "afar.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	log := slog.New(slog.DiscardHandler)
	c, err := feature.New(core.Config{
		Store:    db,
		Log:      log,
		Now:      time.Now,
		Secret:   func() string { return "0" },
		Channels: []string{"phone"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return New(Config{Core: c})
}
