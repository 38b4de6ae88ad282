package server

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/wire"
)

// newOwnRig returns a server without a socket, for conditions that no caller can produce. Only
// the answers of the named channels count; without names, all do.
func newOwnRig(t *testing.T, answersFrom ...string) *Server {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "afar.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	log := slog.New(slog.DiscardHandler)
	c, err := core.New(core.Config{
		Store:       db,
		Log:         log,
		Now:         time.Now,
		Secret:      func() string { return "0" },
		Channels:    []string{"phone"},
		AnswersFrom: answersFrom,
	})
	if err != nil {
		t.Fatal(err)
	}
	return New(Config{Core: c, Log: log, Self: wire.Coordinator{PID: 7}})
}
