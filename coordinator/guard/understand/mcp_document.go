package understand

import (
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/host/claude/hostjson"
)

// Leaves returns the leaves of a tool's input, in the order of the text: its strings and numbers,
// "true" for each switch that is on, and emptyDocument for each object without members.
func Leaves(input hostjson.Value) []effect.Arg { return appendLeaves(nil, "", input) }

// emptyDocument stands for an object without members. As the filter of a deletion it means
// everything.
const emptyDocument = "{}"

func appendLeaves(args []effect.Arg, path string, v hostjson.Value) []effect.Arg {
	switch v.Kind() {
	case hostjson.String:
		return append(args, effect.Arg{Path: path, Value: v.Str()})
	case hostjson.True, hostjson.Number:
		return append(args, effect.Arg{Path: path, Value: v.Raw()})
	case hostjson.Object:
		before := len(args)
		for name, member := range v.Members() {
			args = appendLeaves(args, memberPath(path, name), member)
		}
		if len(args) == before && path != "" && strings.TrimSpace(v.Raw()[1:]) == "}" {
			args = append(args, effect.Arg{Path: path, Value: emptyDocument})
		}
	case hostjson.Array:
		for i, item := range v.Items() {
			args = appendLeaves(args, memberPath(path, strconv.Itoa(i)), item)
		}
	}
	return args
}

// memberPath returns the path of the member name of the value at path.
func memberPath(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }

// Databases of documents take commands and queries as documents. Their keys say what they do.

// A documentRow says what a key of a document does to a database.
type documentRow struct {
	keys  string // the names of the key
	value string // its value is one of these; "" = any
	below string // one of these keys is above it
	among string // these words are in the name of the tool or its action
	kind  effect.Kind
	op    effect.Op
}

// documentFields are the names of fields that hold a command as a document.
const documentFields = "command cmd runCommand db_command"

var documentRows = []documentRow{
	{keys: "dropDatabase", value: "1 1.0 true", kind: effect.DropData, op: effect.Database},
	{
		keys:  "drop dropIndexes dropUser dropRole dropAllUsersFromDatabase dropAllRolesFromDatabase",
		below: documentFields, kind: effect.DropData, op: effect.Table,
	},
	{keys: "dropTarget", value: "true", kind: effect.DropData, op: effect.Table},
	{keys: "shutdown", value: "1 1.0 true", below: documentFields, kind: effect.StopService, op: effect.Database},
	{keys: "$out", kind: effect.DropData, op: effect.Table},
	{keys: "db coll into", below: "$out", kind: effect.DropData, op: effect.Table},
	{keys: "q", value: emptyDocument, below: "deletes", kind: effect.DropData, op: effect.Rows},
	{keys: "q", value: emptyDocument, below: "updates", kind: effect.DropData, op: effect.Values},
	{keys: "filter query", value: emptyDocument, among: "update many", kind: effect.DropData, op: effect.Values},
}

// documents reports the effects of the keys in the documents of a call. A field may hold a
// document as a text.
func (t serverTool) documents(sh *shell.Shell) {
	args := t.call.Args
	for _, a := range t.call.Args {
		if strings.HasPrefix(a.Value, "{") || strings.HasPrefix(a.Value, "[") {
			if v, err := hostjson.Parse(a.Value, hostjson.MaxDepth); err == nil {
				args = appendLeaves(args[:len(args):len(args)], a.Path, v)
			}
		}
	}
	for _, a := range args {
		keys := strings.Split(a.Path, ".")
		for i := range documentRows {
			if r := &documentRows[i]; r.holds(keys, a.Value) && t.named(r.among) {
				sh.Part = lex.Clip(a.Path+": "+a.Value, 300)
				sh.Effect(r.kind, r.op, t.call.Tool)
				break
			}
		}
	}
}

// named reports whether all these words are words of the tool.
func (t serverTool) named(words string) bool {
	for word := range strings.FieldsSeq(words) {
		if !slices.Contains(t.words, word) {
			return false
		}
	}
	return true
}

// holds reports whether a row is about a key with that value, with the keys above it.
func (r *documentRow) holds(keys []string, value string) bool {
	last := len(keys) - 1
	switch {
	case !lex.OneOf(keys[last], r.keys),
		r.value != "" && !lex.OneOf(value, r.value),
		r.below != "" && !slices.ContainsFunc(keys[:last], func(k string) bool { return lex.OneOf(k, r.below) }):
		return false
	}
	return true
}
