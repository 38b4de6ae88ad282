package upkeep_test

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/consult"
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/upkeep"
	"github.com/afar-sh/afar/coordinator/wire"
)

// TestJournalByHand: an answer in the database that the journal has no entry of is named.
func TestJournalByHand(t *testing.T) {
	path := filepath.Join(t.TempDir(), "afar.db")
	db, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	journal := func() wire.Check {
		t.Helper()
		c, err := feature.New(core.Config{
			Store: db, Log: slog.New(slog.DiscardHandler), Now: time.Now, Secret: func() string { return "5ec" },
		})
		if err != nil {
			t.Fatal(err)
		}
		checks := upkeep.NewChecker(c, path, func() channel.Status { return channel.Status{} },
			func() wire.Channel { return wire.Channel{State: "off"} },
			consult.Config{Programs: []consult.Program{}}, func() []wire.Check { return nil }).Checks()
		for _, check := range checks {
			if check.ID == "journal" {
				return check
			}
		}
		t.Fatal("there is no check of the journal")
		return wire.Check{}
	}
	if check := journal(); check.State != "ok" {
		t.Errorf("a new database: %+v", check)
	}
	var b store.Batch
	now := time.Now()
	store.Asks.Put(&b, ask.Ask{
		ID: "ask_x", Kind: ask.Permission, Session: "s", Tool: "Bash", Text: "make", Hash: "a", State: ask.Delivered,
		OpenedAt: now, SettledAt: now, ExpiresAt: now.Add(time.Hour),
		Decision: &ask.Decision{Allow: true, By: "Ann", Channel: "terminal", At: now},
	})
	if err := db.Commit(&b); err != nil {
		t.Fatal(err)
	}
	if check := journal(); check.State != "bad" || !strings.Contains(check.Text, "asks ask_x") || check.Fix == "" {
		t.Errorf("with an answer by hand: %+v", check)
	}
}
