package guard

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/rawjson"
)

// maxInputDepth bounds the nesting of a tool's input.
const maxInputDepth = 64

// ShellCall returns the call that runs a command in the shell.
func ShellCall(command string) Call {
	return Call{Tool: "Bash", Args: []Arg{{Path: "command", Value: command}}}
}

// ReadCall returns the call of a tool from the text of its input, a JSON object
// as the host writes it.
func ReadCall(tool, input string) (Call, error) {
	if !utf8.ValidString(input) || !rawjson.Valid(input) {
		return Call{}, fmt.Errorf("the input of %s is not valid JSON; want one object", tool)
	}
	return NewCall(tool, rawjson.Parse(input))
}

// NewCall returns the call of a tool from its input, a part of a valid JSON
// text. It is the one reader of tool inputs: whoever judges a call reads it here.
func NewCall(tool string, input rawjson.Value) (Call, error) {
	if tool == "" {
		return Call{}, errors.New("the call names no tool")
	}
	if !input.IsObject() {
		return Call{}, fmt.Errorf("the input of %s is not a JSON object", tool)
	}
	r := inputReader{}
	r.read("", input, 0)
	if r.err != nil {
		return Call{}, fmt.Errorf("the input of %s %w", tool, r.err)
	}
	return Call{Tool: tool, Args: r.args}, nil
}

// An inputReader collects the leaves of a tool's input in the order of the text.
type inputReader struct {
	args []Arg
	err  error // the first
}

// read adds the strings of a value, and its switches that are on.
func (r *inputReader) read(path string, v rawjson.Value, depth int) {
	if depth > maxInputDepth {
		r.err = fmt.Errorf("is nested deeper than %d levels", maxInputDepth)
		return
	}
	switch v.Type {
	case rawjson.String:
		r.args = append(r.args, Arg{Path: path, Value: v.Str})
	case rawjson.True:
		r.args = append(r.args, Arg{Path: path, Value: "true"})
	case rawjson.Object:
		r.members(path, v, depth)
	case rawjson.Array:
		n := 0
		v.ForEach(func(_, item rawjson.Value) bool {
			r.read(below(path, strconv.Itoa(n)), item, depth+1)
			n++
			return r.err == nil
		})
	}
}

// members reads an object. A name that stands there twice is refused: the tool
// may take the other one.
func (r *inputReader) members(path string, object rawjson.Value, depth int) {
	seen := map[string]bool{}
	object.ForEach(func(name, member rawjson.Value) bool {
		if seen[name.Str] {
			r.err = fmt.Errorf("names %q twice", lex.Clip(below(path, name.Str), 100))
			return false
		}
		seen[name.Str] = true
		r.read(below(path, name.Str), member, depth+1)
		return r.err == nil
	})
}

// below returns the path of a member.
func below(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }
