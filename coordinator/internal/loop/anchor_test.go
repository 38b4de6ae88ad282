package loop

import (
	"strings"
	"testing"
	"time"
)

// TestNextStep checks which next step is read from the last message.
func TestNextStep(t *testing.T) {
	tests := map[string]struct{ message, want string }{
		"nothing":      {"", ""},
		"last line":    {"I looked at it.\n\nThe parser is wrong.\n", "The parser is wrong."},
		"named":        {"Done so far: a.\n- Next: write the test\nThat is all.", "write the test"},
		"named twice":  {"Next I read it.\nNow I will run `go test`", "Now I will run `go test`"},
		"numbered":     {"1. Then I deploy\n", "Then I deploy"},
		"bold":         {"**Next step:** mend it", "mend it"},
		"not a fence":  {"Mend a.go\n```\nNext: rm -rf\n```\n", "Mend a.go"},
		"not a marker": {"It works.\n<loop-done>COMPLETE</loop-done>", "It works."},
		"not nextdoor": {"Nextdoor is a site.\nIt is up.", "It is up."},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := nextStep(tt.message); got != tt.want {
				t.Errorf("have %q, want %q", got, tt.want)
			}
		})
	}
}

// TestAnchorWithoutALoop checks the anchor of a session without a loop.
func TestAnchorWithoutALoop(t *testing.T) {
	facts := AnchorFacts{
		Commits: []string{"abc first"},
		Files:   []string{"main.go"},
		Said:    "Next: mend main.go",
		Asked:   "make it fast",
	}
	text := Anchor(Stack{}, facts, epoch)
	for _, want := range []string{
		"# Anchor", "written: 2026-03-01 09:00:00 UTC", "next step: mend main.go", "asked last: make it fast",
		"abc first", "main.go",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	for _, other := range []string{"Goal", "/afar:cancel", "iteration"} {
		if strings.Contains(text, other) {
			t.Errorf("%q of a loop in:\n%s", other, text)
		}
	}
}

// TestAnchorPointsToTheWholeGoal checks that the anchor names the file with the whole goal if
// the goal was cut.
func TestAnchorPointsToTheWholeGoal(t *testing.T) {
	s := looping(t, strings.Repeat("do this\n", 2000), nil)
	text := Anchor(s, AnchorFacts{Whole: "/home/ann/afar/goal-a.md"}, epoch.Add(time.Minute))
	if !strings.Contains(text, "The whole goal, 16000 bytes: /home/ann/afar/goal-a.md") || len(text) > anchorBytes {
		t.Errorf("%d bytes:\n%s", len(text), text)
	}
}
