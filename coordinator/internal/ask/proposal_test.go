package ask

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// TestProposal: no hook waits for the answer to a proposal, so it is answered at once, however
// late, and never parked.
func TestProposal(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	p := Proposed{Run: run.Run{ID: "run_1", Name: "kid", Dir: "/w"}, Prompt: "use sk-ant-REDACTED"}
	a := NewProposal("ask_1", "s", p, "start claude in /w")
	if strings.Contains(a.Text, "REDACTED") || a.Proposed.Prompt != p.Prompt || a.Cwd != "/w" {
		t.Errorf("%+v", a)
	}
	for _, attended := range []bool{false, true} {
		a.Attended = attended
		open := Start(a, session.Auto, now)
		if !open.ExpiresAt.Equal(now.Add(proposalFor)) || !open.CardAt.Equal(now) {
			t.Errorf("attended %t: until %s, card at %s", attended, open.ExpiresAt, open.CardAt)
		}
		if _, err := Lose(open, now); !errors.Is(err, ErrState) {
			t.Errorf("it has no hook to lose: %v", err)
		}
		late := now.Add(proposalFor - 1)
		yes, err := Answer(open, Decision{Allow: true, By: "Ann", At: late})
		if err != nil || yes.State != Delivered || !yes.Starts() || yes.Outcome() != "run kid" {
			t.Errorf("allowed: %s, %q, %v", yes.State, yes.Outcome(), err)
		}
		if _, err := Answer(yes, Decision{By: "Bob", At: late}); !errors.Is(err, ErrSettled) {
			t.Errorf("a second answer: %v", err)
		}
		no, err := Answer(open, Decision{By: "Ann", At: late})
		if err != nil || no.State != Delivered || no.Starts() || no.Outcome() != "not started" {
			t.Errorf("denied: %s, %q, %v", no.State, no.Outcome(), err)
		}
		over := Tick(open, now.Add(proposalFor))
		if over.State != Expired || over.Parked || over.Starts() || over.Outcome() != "" {
			t.Errorf("expired: %+v", over)
		}
	}
	other := p
	other.Prompt += "!"
	if NewProposal("ask_2", "s", other, "start claude in /w").Hash == a.Hash {
		t.Error("two prompts have one hash")
	}
}
