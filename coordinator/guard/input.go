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

// ReadCall returns the call of a tool. text is the tool's input, a JSON object
// as the host writes it.
func ReadCall(tool, text string) (Call, error) {
	input, err := hostjson.Parse(text, hostjson.MaxDepth)
	if err != nil {
		return Call{}, fmt.Errorf("the input of %s %w", tool, err)
	}
	return NewCall(tool, input)
}

// NewCall returns the call of a tool. input is the tool's input, parsed by
// hostjson.Parse. NewCall is the only reader of tool inputs in Afar.
func NewCall(tool string, input hostjson.Value) (Call, error) {
	if tool == "" {
		return Call{}, errors.New("the call names no tool")
	}
	if !input.IsObject() {
		return Call{}, fmt.Errorf("the input of %s is not a JSON object", tool)
	}
	return Call{Tool: tool, Args: appendArgs(nil, "", input)}, nil
}

// appendArgs appends the strings of a value, and "true" for each switch that is
// on, in the order of the text.
func appendArgs(args []Arg, path string, v hostjson.Value) []Arg {
	switch v.Kind() {
	case hostjson.String:
		args = append(args, Arg{Path: path, Value: v.Str()})
	case hostjson.True:
		args = append(args, Arg{Path: path, Value: "true"})
	case hostjson.Object:
		for name, member := range v.Members() {
			args = appendArgs(args, memberPath(path, name), member)
		}
	case hostjson.Array:
		for i, item := range v.Items() {
			args = appendArgs(args, memberPath(path, strconv.Itoa(i)), item)
		}
	}
	return args
}

// memberPath returns the path of the member name of the value at path.
func memberPath(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }
