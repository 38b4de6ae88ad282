package effect

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
)

// Arg is one leaf of the tool's input, by its path ("command", "file_path",
// "edits.0.new_string"): a string, or "true" for a switch that is on.
type Arg struct{ Path, Value string }

// Call is one tool call as the host sent it.
type Call struct {
	Tool string
	Args []Arg
}

// Value returns the argument of that name, "" if there is none.
func (c Call) Value(name string) string {
	for _, a := range c.Args {
		if a.Path == name {
			return a.Value
		}
	}
	return ""
}

// Has reports whether the argument of that name is one of the blank-separated
// words. An empty name stands for any argument.
func (c Call) Has(name, words string) bool {
	for _, a := range c.Args {
		if (name == "" || a.Path == name) && lex.OneOf(strings.ToLower(a.Value), words) {
			return true
		}
	}
	return false
}
