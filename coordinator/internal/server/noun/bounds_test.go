package noun

import (
	"math"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/wire"
)

// TestAbout: a text about a session is one line of at most 200 characters, and a line that is too long to be masked as
// a whole is not cut, because half of a secret would not be recognized.
func TestAbout(t *testing.T) {
	long := strings.Repeat("a", maxAbout)
	for text, want := range map[string]string{
		"":                 "",
		"one\ntwo":         "one two",
		"x\n" + long:       "x",
		long + "b":         "",
		long[:200]:         long[:200],
		long[:201] + "\nb": long[:200],
	} {
		if got := about(text); got != want {
			t.Errorf("%.20q of %d bytes: %.40q, want %.40q", text, len(text), got, want)
		}
	}
}

// TestPromptBounds: a run begins with a prompt that is not empty, is UTF-8, and is not too long.
func TestPromptBounds(t *testing.T) {
	for prompt, ok := range map[string]bool{
		"go": true, "": false, " \n": false, "\xff": false,
		strings.Repeat("a", maxPrompt): true, strings.Repeat("a", maxPrompt+1): false,
	} {
		if err := checkPrompt(prompt); (err == nil) != ok {
			t.Errorf("a prompt of %d bytes: %v", len(prompt), err)
		}
	}
}

// TestLimits: what a run may cost and how long it works have bounds.
func TestLimits(t *testing.T) {
	for in, ok := range map[wire.RunStartRequest]bool{
		{}: true, {BudgetUSD: 2.5, ForMS: 1000}: true,
		{BudgetUSD: -1}: false, {BudgetUSD: 2e6}: false, {BudgetUSD: math.Inf(1)}: false,
		{ForMS: 999}: false, {ForMS: -1}: false, {ForMS: maxTime.Milliseconds() + 1}: false,
	} {
		if err := checkLimits(&in); (err == nil) != ok {
			t.Errorf("%+v: %v", in, err)
		}
	}
	if err := checkLimits(&wire.RunStartRequest{BudgetUSD: math.NaN()}); err == nil {
		t.Error("a budget may be no number")
	}
}
