package understand

import (
	"slices"
	"testing"

	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// TestTargets: each kind of target stands for the words that its name says.
func TestTargets(t *testing.T) {
	args := []string{"-f", "x", "a", "b", "c"}
	c := shell.Command{Name: "tool", Args: args}
	o := shell.ParseOptions(args, "f file")
	for _, tc := range []struct {
		target target
		want   []string
	}{
		{text("the index"), []string{"the index"}},
		{operand(1), []string{"b"}},
		{operand(7), nil},
		{operandsFrom(1), []string{"b", "c"}},
		{each{operandsFrom(1)}, []string{"b", "c"}},
		{files{operand(0)}, []string{"a"}},
		{files{operand(7)}, nil},
		{files{allButLast}, []string{"a", "b"}},
		{pathspecs{lastOperand}, []string{"c"}},
		{files{valueOf("f file")}, []string{"x"}},
		{joined{programName, operand(0)}, []string{"tool a"}},
		{after("a"), []string{"b", "c"}},
		{operandsText, []string{"a b c"}},
		{input, nil},
		{arguments, []string{"-f", "x", "a", "b", "c"}},
	} {
		if got := tc.target.words(c, o); !slices.Equal(got, tc.want) {
			t.Errorf("%+v: %q, want %q", tc.target, got, tc.want)
		}
	}
}
