package guard

import (
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/calls"
)

// TestCases judges each of testdata/cases.
func TestCases(t *testing.T) {
	cases, err := calls.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		call, err := ReadCall(c.Tool, c.Input)
		if err != nil {
			t.Fatalf("%s: %v", c.Where, err)
		}
		want := map[string]Verdict{"deny": Deny, "ask": Ask, "pass": None}[c.Want]
		if d := Judge(call, testContext()); d.Verdict != want {
			t.Errorf("%s: %s %s: %q by %s, want %s\n\t%+v", c.Where, c.Tool, c.Input, d.Verdict,
				d.Rule, c.Want, d.Effects)
		}
	}
}
