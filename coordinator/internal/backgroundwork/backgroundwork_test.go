package backgroundwork_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/consult"
	"github.com/afar-sh/afar/coordinator/internal/background"
	"github.com/afar-sh/afar/coordinator/internal/backgroundwork"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/schema"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/standin/consultant"
)

func TestMain(m *testing.M) {
	consultant.Main()
	m.Run()
}

// A rig is a queue over a real store that asks a stand-in for claude.
type rig struct {
	*backgroundwork.Queue
	core   *feature.Core
	dir    string
	active atomic.Bool
}

func newRig(t *testing.T, says string) *rig {
	t.Helper()
	r := &rig{dir: t.TempDir()}
	r.active.Store(true)
	db, err := store.Open(filepath.Join(r.dir, "afar.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if r.core, err = feature.New(core.Config{
		Store: db, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Now: time.Now,
		Secret: func() string { return "0123456789abcdef" }, Rules: core.Rules{Background: 1},
	}); err != nil {
		t.Fatal(err)
	}
	if err := consultant.Install(r.dir, "claude", says); err != nil {
		t.Fatal(err)
	}
	program, err := consult.Named("claude")
	if err != nil {
		t.Fatal(err)
	}
	asked := consult.Config{Programs: []consult.Program{program}, Env: []string{"PATH=" + r.dir}, Timeout: time.Minute}
	r.Queue = backgroundwork.New(r.core, asked, r.active.Load)
	return r
}

var question = backgroundwork.Question{
	About:  "triage",
	Text:   "which?",
	Schema: schema.Object(map[string]schema.Schema{"a": schema.Text(9, "")}),
}

// TestAsk: questions of several callers are answered, and booked together.
func TestAsk(t *testing.T) {
	r := newRig(t, `{"a":"b"}`)
	var callers sync.WaitGroup
	for range 3 {
		callers.Go(func() {
			if got, err := r.Ask(t.Context(), question); err != nil || string(got) != `{"a":"b"}` {
				t.Errorf("%s, %v", got, err)
			}
		})
	}
	callers.Wait()
	if spent, _ := r.core.Background(); spent < 3*consultant.Cost-1e-9 || spent > 3*consultant.Cost+1e-9 {
		t.Errorf("spent %v", spent)
	}
}

// TestAskRests: nothing is asked without an active task, and nothing right after a failure.
func TestAskRests(t *testing.T) {
	r := newRig(t, `{"a":1}`)
	r.active.Store(false)
	var rest *background.Rest
	if _, err := r.Ask(t.Context(), question); !errors.As(err, &rest) || !strings.Contains(rest.Why, "no active task") {
		t.Errorf("without a task: %v", err)
	}
	r.active.Store(true)
	if _, err := r.Ask(t.Context(), question); !errors.Is(err, consult.ErrUnfit) {
		t.Errorf("an answer of another form: %v", err)
	}
	if _, err := r.Ask(t.Context(), question); !errors.As(err, &rest) || time.Until(rest.Until) > 30*time.Second {
		t.Errorf("right after a failure: %v", err)
	}
	if calls := consultant.Calls(r.dir, "claude"); len(calls) != 1 {
		t.Errorf("%d calls", len(calls))
	}
}

// TestAskEnds: a caller that leaves ends its question, and what it may have cost is kept.
func TestAskEnds(t *testing.T) {
	r := newRig(t, "sleep")
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := r.Ask(ctx, question); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if spent, _ := r.core.Background(); spent != background.Reserved {
		t.Errorf("spent %v", spent)
	}
}
