package guard

import (
	"strings"
	"testing"
	"time"
)

// patience tells an end from a blow-up, also on a loaded machine under the race
// detector. How fast it is, is the benchmark's business.
const patience = time.Minute

func TestHostileInputEnds(t *testing.T) {
	for _, s := range shapes() {
		t.Run(s.name, func(t *testing.T) {
			call := s.call(20_000)
			done := make(chan struct{})
			go func() {
				defer close(done)
				Judge(call, testContext())
			}()
			select {
			case <-done:
			case <-time.After(patience):
				t.Fatalf("it takes more than %v", patience)
			}
		})
	}
}

// What cannot be read to its end is never passed over in silence, and a
// protected word in it is a refusal.
func TestUnreadableIsNeverSilent(t *testing.T) {
	unreadable := []string{"echo `a", strings.Repeat("echo x;", 200_000)}
	for _, s := range shapes() {
		if oneOf(s.name, "parens subst ifs bangs evals") {
			unreadable = append(unreadable, s.call(400_000).Args[0].Value)
		}
	}
	for _, text := range unreadable {
		if d := Judge(bash(text), testContext()); d.Verdict != Ask {
			t.Errorf("%.20q…: %q on what cannot be read", text, d.Verdict)
		}
		if d := Judge(bash(text+"\ngit push --force"), testContext()); d.Verdict != Deny {
			t.Errorf("%.20q…: %q on what cannot be read, with a protected word", text, d.Verdict)
		}
	}
}

// However the budget is used up, what comes after it counts as not read.
func TestNothingHidesBehindTheBudget(t *testing.T) {
	for _, s := range shapes() {
		text := s.call(10_000).Args
		if len(text) != 1 || text[0].Path != "command" || strings.HasPrefix(s.name, "func") {
			continue // no command, or one that becomes the body of a function
		}
		for _, tail := range []string{"git push --force origin main", "git pu''sh --fo''rce origin main"} {
			d := Judge(bash(text[0].Value+"\n"+tail), testContext())
			if d.Verdict == None {
				t.Errorf("%s, then %s: no opinion", s.name, tail)
			}
		}
	}
}
