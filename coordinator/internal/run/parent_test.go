package run

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestHandUp: in each state, what the parent is told, and that it is told once.
func TestHandUp(t *testing.T) {
	for state, want := range map[State]string{
		Queued: "", Starting: "", Working: "", Waiting: "", Taken: "",
		Idle:    "Run r is done, and this is its result.\n\nfour",
		Done:    "Run r is done, and this is its result.\n\nfour",
		Failed:  "Run r failed.\n\nno key",
		Stopped: "Run r was stopped.\n\nno key",
	} {
		r := in(state)
		r.Parent, r.Ephemeral, r.Result = "p", true, "four"
		if state == Failed || state == Stopped {
			r.Why = "no key"
		}
		next, report, ok := HandUp(r, noon)
		if report.Text != want || ok != (want != "") || next.Reported != ok || report.File != "" {
			t.Errorf("%s: %q, %t, %+v", state, report.Text, ok, next)
		}
		if state == Idle && next.State != Done {
			t.Errorf("an ephemeral run whose result was handed over is %s", next.State)
		}
		if _, _, again := HandUp(next, noon); again {
			t.Errorf("%s: it is told again", state)
		}
		r.Parent = ""
		if _, _, ok := HandUp(r, noon); ok {
			t.Errorf("%s: a run that a person started has no parent", state)
		}
	}
	r := in(Idle)
	r.Parent, r.Why = "p", "nobody answered"
	if _, report, _ := HandUp(r, noon); report.Text != "Run r ended because nobody answered." {
		t.Errorf("without a result: %q", report.Text)
	}
}

// TestHandUpLong: a result up to the limit comes whole; a longer one is a file as well.
func TestHandUpLong(t *testing.T) {
	for _, size := range []int{0, maxInline, maxInline + 1, 100_000} {
		r := in(Idle)
		r.Parent, r.Result = "p", strings.Repeat("é", size)[:size/2*2]
		if size == maxInline+1 {
			r.Result = strings.Repeat("x", size)
		}
		_, report, _ := HandUp(r, noon)
		_, said, _ := strings.Cut(report.Text, "\n\n")
		long := len(r.Result) > maxInline
		if len(said) > maxInline || long != (report.File == r.Result && long) || !long && said != r.Result {
			t.Errorf("%d bytes: %d in the message, %d in the file", len(r.Result), len(said), len(report.File))
		}
	}
}

func TestCheckDepth(t *testing.T) {
	for _, c := range []struct {
		depth, most int
		ok          bool
	}{{1, 2, true}, {2, 2, true}, {3, 2, false}, {1, 0, false}, {1, 1, true}} {
		if err := CheckDepth(c.depth, c.most); (err == nil) != c.ok || err != nil && !errors.Is(err, ErrDepth) {
			t.Errorf("depth %d of %d: %v", c.depth, c.most, err)
		}
	}
}

// TestTree: each run comes after the one that proposed it, and none is lost.
func TestTree(t *testing.T) {
	made := func(name, parent string) Run { return Run{Name: name, Conversation: name, Parent: parent} }
	all := []Run{made("grandkid", "kid"), made("b", ""), made("kid", "a"), made("of a session", "s-1"), made("a", ""),
		made("kid2", "a")}
	var got []string
	for _, r := range Tree(all) {
		got = append(got, r.Name)
	}
	if want := "[b of a session a kid grandkid kid2]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}
