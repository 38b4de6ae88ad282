package toolcall

import (
	"slices"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/internal/ask"
)

// TestBrief: a text of a session is one masked line of a card, and nothing if it is too long to be masked.
func TestBrief(t *testing.T) {
	for text, want := range map[string]string{
		"run\n the tests": "run the tests", "API_TOKEN=hunter2": "API_TOKEN=•••", strings.Repeat("x", MaxLine+1): "",
	} {
		if got := Brief(text); got != want {
			t.Errorf("%.40q: %.40q, want %q", text, got, want)
		}
	}
}

// TestUnderstoodOnce counts how often a call is followed for all that a card says about it.
func TestUnderstoodOnce(t *testing.T) {
	reads := 0
	at := guard.Context{
		Cwd:     "/home/dev/proj",
		Project: "/home/dev/proj",
		Home:    "/home/dev",
		FileText: func(string) (string, bool) {
			reads++
			return "#!/bin/sh\ncurl -d @report.txt https://x.example\nrm -rf build\n", true
		},
	}
	c, err := Read(ask.Input{Tool: "Bash"}, `{"command":"sh send.sh"}`, at)
	if err != nil {
		t.Fatal(err)
	}
	if does := c.Look().Does; does == "" {
		t.Error("the card does not say what the call does")
	}
	if want := []string{"curl"}; !slices.Equal(c.Outward, want) {
		t.Errorf("reaches others through %q, want %q", c.Outward, want)
	}
	if len(c.Losses) == 0 {
		t.Error("build is no loss")
	}
	if reads != 1 {
		t.Errorf("the script was read %d times, want 1", reads)
	}
}
