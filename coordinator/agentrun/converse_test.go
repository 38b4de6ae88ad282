//go:build unix

package agentrun

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/afar-sh/afar/coordinator/host"
	"github.com/afar-sh/afar/coordinator/internal/run"
)

// An ear is the talk of an agent that notes what it is told after its prompt.
type ear struct {
	host.Talk

	heard string
}

func (e *ear) Prompt(text string) host.Step {
	e.heard = text
	return host.Step{}
}

// newDialogue returns a dialogue whose Stop hook prints a text.
func newDialogue(t *testing.T, hook string) (*dialogue, *ear) {
	t.Helper()
	bin := t.TempDir()
	script := "#!/bin/sh\ncat > /dev/null\nprintf '%s' '" + hook + "'\n"
	if err := os.WriteFile(filepath.Join(bin, "hook-stop"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	e := &ear{}
	d := &dialogue{
		turn:  &turn{agent: &agent{}},
		talk:  e,
		hooks: &hooks{bin: bin, ctx: context.Background()},
		pen:   make(chan string, 1),
		done:  make(chan func()),
	}
	d.reporter = &reporter{turn: d.turn, wake: make(chan struct{}, 1), stale: make(chan struct{})}
	return d, e
}

// TestForgot: a turn whose agent ends after its result, while the Stop hook takes words for it,
// says that they did not arrive.
func TestForgot(t *testing.T) {
	const words = `{"decision":"block","reason":"one more"}`
	for name, c := range map[string]struct {
		hook   string
		ended  bool // before the hook
		forgot bool
		heard  string
	}{
		"the agent gets the words":     {words, false, false, "one more"},
		"it has ended before":          {words, true, true, ""},
		"it has ended, without words":  {"", true, false, ""},
		"the session may stop at last": {"", false, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d, e := newDialogue(t, c.hook)
			d.stop(run.Event{Kind: run.Result})
			d.told = c.ended
			follow := <-d.done
			follow()
			if d.forgot != c.forgot || e.heard != c.heard {
				t.Errorf("forgot: %t, want %t; the agent heard %q, want %q", d.forgot, c.forgot, e.heard, c.heard)
			}
			if over := e.heard == ""; d.left != over || d.over.Result != over {
				t.Errorf("the agent was told to end: %t, its result was seen: %t", d.left, d.over.Result)
			}
		})
	}
}
