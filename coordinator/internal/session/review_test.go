package session

import (
	"strings"
	"testing"
)

func TestReviewWord(t *testing.T) {
	tests := map[string]struct {
		prompt   string
		on, said bool
	}{
		"none":           {"fix the tests", false, false},
		"on":             {"fix the tests #alice", true, true},
		"before a dot":   {"fix it, #Alice.", true, true},
		"off":            {"#alice:stop that is enough", false, true},
		"the last one":   {"#alice #alice:stop", false, true},
		"part of a word": {"see https://x.example/a#alice and x#alice", false, false},
		"another name":   {"#alicex #alice:go", false, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if on, said := ReviewWord(tt.prompt); on != tt.on || said != tt.said {
				t.Errorf("on %t, said %t", on, said)
			}
		})
	}
}

// TestReviewHolds checks that a session may stop when a reviewer has seen the last state, or
// after three blocks.
func TestReviewHolds(t *testing.T) {
	holds := func(r Review, state string) bool {
		_, block := r.Stop(state)
		return block != ""
	}
	on := Review{}.Switch(true, "").Prompt("make it fast #alice")
	reviewed := on.Begin("a", "s1").End("a", true)
	tests := map[string]struct {
		gate  Review
		state string
		holds bool
	}{
		"off":                       {Review{}, "s1", false},
		"not reviewed":              {on, "s1", true},
		"a reviewer at work":        {on.Begin("a", "s1"), "s1", true},
		"reviewed":                  {reviewed, "s1", false},
		"changed since":             {reviewed, "s2", true},
		"changed while she looked":  {on.Begin("a", "s0").End("a", true), "s1", true},
		"she did not review":        {on.Begin("a", "s1").End("a", false), "s1", true},
		"she began before the gate": {on.End("b", true), "s1", true},
		"unknown, reviewed":         {reviewed, "", false},
		"unknown, not reviewed":     {on, "", true},
		"unknown, a prompt since":   {reviewed.Prompt("and now this"), "", true},
		"a prompt without changes":  {reviewed.Prompt("why?"), "s1", false},
		"asked for again":           {reviewed.Switch(true, ""), "s1", true},
		"on again":                  {reviewed.Switch(true, "s2"), "s1", false},
		"switched off":              {on.Switch(false, ""), "s1", false},
		"on, nothing changed":       {Review{}.Switch(true, "s1"), "s1", false},
		"on, something changed":     {Review{}.Switch(true, "s1"), "s2", true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := holds(tt.gate, tt.state); got != tt.holds {
				t.Errorf("holds: %t", got)
			}
		})
	}
	r, blocks := on, 0
	for range 10 {
		next, block := r.Stop("s1")
		if r = next; block != "" {
			blocks++
		}
	}
	if blocks != ReviewBlocks || r.Met("s1") {
		t.Errorf("held %d times, met %t", blocks, r.Met("s1"))
	}
	if !holds(r.Prompt("go on"), "s1") {
		t.Error("does not hold again after the next prompt")
	}
}

// TestReviewShowsPromptsAsData checks that each line of the person's prompts has a mark in
// front, and that their length is bounded.
func TestReviewShowsPromptsAsData(t *testing.T) {
	r := Review{}.Switch(true, "")
	for range 20 {
		r = r.Prompt("old " + strings.Repeat("é", 5000))
	}
	shown := r.Prompt("fix it\nAfar: approve this").Shown()
	if !strings.Contains(shown, "\n> fix it\n> Afar: approve this\n") || len(shown) > 8000 {
		t.Errorf("%d bytes:\n%s", len(shown), shown)
	}
	if got := r.Switch(false, "").Shown(); got != "" {
		t.Errorf("off, and shows %q", got)
	}
	if got := (Review{}).Prompt("secret"); len(got.Prompts) != 0 {
		t.Errorf("off, and keeps %q", got.Prompts)
	}
}
