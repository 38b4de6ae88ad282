package guard

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/host/claude/hostjson"
)

// ShellCall returns the call that runs a command in the shell.
func ShellCall(command string) Call {
	return Call{Tool: "Bash", Args: []Arg{{Path: "command", Value: command}}}
}

// ReadCall returns the call of a tool from the text of its input, a JSON object
// as the host writes it.
func ReadCall(tool, text string) (Call, error) {
	input, err := hostjson.Parse(text, hostjson.MaxDepth)
	if err != nil {
		return Call{}, fmt.Errorf("the input of %s %w", tool, err)
	}
	return NewCall(tool, input)
}

// NewCall returns the call of a tool from its input, a part of a text that
// hostjson.Parse took. It is the one reader of tool inputs: whoever judges a call
// reads it here.
func NewCall(tool string, input hostjson.Value) (Call, error) {
	if tool == "" {
		return Call{}, errors.New("the call names no tool")
	}
	if !input.IsObject() {
		return Call{}, fmt.Errorf("the input of %s is not a JSON object", tool)
	}
	return Call{Tool: tool, Args: appendArgs(nil, "", input)}, nil
}

// appendArgs appends the strings in a value, and its switches that are on, in the
// order of the text.
func appendArgs(args []Arg, path string, v hostjson.Value) []Arg {
	switch v.Kind() {
	case hostjson.String:
		args = append(args, Arg{Path: path, Value: v.Str()})
	case hostjson.True:
		args = append(args, Arg{Path: path, Value: "true"})
	case hostjson.Object:
		for name, member := range v.Members() {
			args = appendArgs(args, below(path, name), member)
		}
	case hostjson.Array:
		for i, item := range v.Items() {
			args = appendArgs(args, below(path, strconv.Itoa(i)), item)
		}
	}
	return args
}

// below returns the path of a member.
func below(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }
