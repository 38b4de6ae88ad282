package core_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/background"
)

// TestBackground: what the background questions cost survives a restart, also of one that was
// never ended. The person is told once of failures that last.
func TestBackground(t *testing.T) {
	r := newRig(t)
	r.rules.Background = 0.5
	r.restart()
	r.pair()
	r.ok(r.BeginBackground())
	r.ok(r.EndBackground("triage", "claude", 0.3, nil))
	r.ok(r.BeginBackground())
	r.restart()
	if spent, budget := r.Background(); spent != 0.3+background.Reserved || budget != 0.5 {
		t.Errorf("spent %v of %v", spent, budget)
	}
	r.ok(r.BeginBackground())
	r.ok(r.EndBackground("sweep", "claude", 0.2, errors.New("exit status 1:\nno key")))
	var rest *background.Rest
	if err := r.BeginBackground(); !errors.As(err, &rest) || !strings.Contains(rest.Why, "budget") {
		t.Errorf("over the budget: %v", err)
	}
	r.pass(24 * time.Hour)
	r.ok(r.BeginBackground())
	r.ok(r.EndBackground("sweep", "", 0, errors.New("no key")))
	if err := r.BeginBackground(); !errors.As(err, &rest) || rest.Until.Sub(r.time()) != time.Minute {
		t.Errorf("after a second failure: %v", err)
	}
	if told := strings.Join(r.told(), " "); strings.Count(told, "cannot ask a model in the background") != 1 {
		t.Errorf("told %q", told)
	}
	kinds := strings.Join(r.kinds(0), " ")
	if strings.Count(kinds, "background.asked") != 1 || strings.Count(kinds, "background.failed") != 2 {
		t.Errorf("journal: %s", kinds)
	}
}
