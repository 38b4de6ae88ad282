package door

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/callers"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/wire"
)

// newOwnRig returns a door without a socket, for conditions that no caller can produce. It has an operation of each
// access, named after it. Only the answers of the named channels count; without names, all do.
func newOwnRig(t *testing.T, answersFrom ...string) *Door {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "afar.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	log := slog.New(slog.DiscardHandler)
	c, err := feature.New(core.Config{
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
	asking := &callers.Register{Known: c, Self: 7}
	return New(Config{Core: c, Log: log, Self: wire.Coordinator{PID: 7}, Callers: asking, Operations: ofEachAccess})
}

func ofEachAccess(*feature.Core) Table {
	var rows []Operation
	for who := Reader; who <= Writer; who++ {
		op := wire.Op[wire.None, wire.None](fmt.Sprint("access.", int(who)))
		rows = append(rows, Row(op, who, func(*Call, wire.None) (out wire.None, err error) { return out, nil }))
	}
	return TableOf(rows, Rows())
}
