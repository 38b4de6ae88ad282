package rows

import (
	"slices"
	"testing"

	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// TestTargets: each kind of target stands for the words that its name says.
func TestTargets(t *testing.T) {
	args := []string{"-f", "x", "a", "b", "c"}
	c := shell.Command{Name: "tool", Args: args}
	o := argv.ParseOptions(args, "f file")
	for _, tc := range []struct {
		target Target
		want   []string
	}{
		{Text("the index"), []string{"the index"}},
		{Operand(1), []string{"b"}},
		{Operand(7), nil},
		{OperandsFrom(1), []string{"b", "c"}},
		{Each{OperandsFrom(1)}, []string{"b", "c"}},
		{Paths{Operand(0)}, []string{"a"}},
		{Paths{Operand(7)}, nil},
		{Paths{AllButLast}, []string{"a", "b"}},
		{Pathspecs{LastOperand}, []string{"c"}},
		{Paths{ValueOf("f file")}, []string{"x"}},
		{Joined{ProgramName, Operand(0)}, []string{"tool a"}},
		{After("a"), []string{"b", "c"}},
		{OperandsText, []string{"a b c"}},
		{Input, nil},
		{Arguments, []string{"-f", "x", "a", "b", "c"}},
	} {
		if got := tc.target.words(c, o); !slices.Equal(got, tc.want) {
			t.Errorf("%+v: %q, want %q", tc.target, got, tc.want)
		}
	}
}
