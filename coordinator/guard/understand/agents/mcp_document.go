package agents

import (
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
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

// documentFields are the names of fields that hold a command as a document.
const documentFields = "command cmd runCommand db_command"

// documentRows say what a key of a document does to a database. The key is the program of a row, the
// keys above it are the operands, its value is the argument, and the words of the tool are the
// options. "$0" is the tool.
var documentRows = []rows.Row{
	{Of: "dropDatabase", First: "1|1.0|true", Does: effect.DropData, Op: effect.Database, To: rows.Operand(0)},
	{
		Of:    "drop dropIndexes dropUser dropRole dropAllUsersFromDatabase dropAllRolesFromDatabase",
		Among: documentFields, Does: effect.DropData, Op: effect.Table, To: rows.Operand(0),
	},
	{Of: "dropTarget", First: "true", Does: effect.DropData, Op: effect.Table, To: rows.Operand(0)},
	{
		Of: "shutdown", First: "1|1.0|true", Among: documentFields,
		Does: effect.StopService, Op: effect.Database, To: rows.Operand(0),
	},
	{Of: "$out", Does: effect.DropData, Op: effect.Table, To: rows.Operand(0)},
	{Of: "db coll into", Among: "$out", Does: effect.DropData, Op: effect.Table, To: rows.Operand(0)},
	{Of: "q", First: emptyDocument, Among: "deletes", Does: effect.DropData, Op: effect.Rows, To: rows.Operand(0)},
	{Of: "q", First: emptyDocument, Among: "updates", As: &losesValues},
	{Of: "filter query", First: emptyDocument, Given: "update", With: "many", As: &losesValues},
}

var losesValues = rows.Act{Kind: effect.DropData, Op: effect.Values, To: rows.Operand(0)}

// documents reports the effects of the keys in the documents of a call. A field may hold a
// document as a text.
func (t serverTool) documents(sh *shell.Shell) {
	args := slices.Clip(t.call.Args)
	for _, a := range t.call.Args {
		if lex.BeginsWith(a.Value, "{ [") {
			if v, err := hostjson.Parse(a.Value, hostjson.MaxDepth); err == nil {
				args = appendLeaves(args, a.Path, v)
			}
		}
	}
	var words []string
	for _, word := range t.words {
		words = append(words, "--"+word)
	}
	o := argv.ParseOptions(words, "")
	o.Pos = []string{t.call.Tool}
	for _, a := range args {
		keys := strings.Split(a.Path, ".")
		last := len(keys) - 1
		sh.Part = lex.Clip(a.Path+": "+a.Value, 300)
		rows.Run(sh, documentRows, keys[:last], shell.Command{Name: keys[last], Args: []string{a.Value}}, o)
	}
}
