package appserver

import (
	"regexp"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/host"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// tools return what a tool call wants to do, by the type of its item.
var tools = map[string]func(*talk, hostjson.Value) []host.Call{
	"commandExecution": func(t *talk, item hostjson.Value) []host.Call { return []host.Call{t.shell(item)} },
	"fileChange":       func(_ *talk, item hostjson.Value) []host.Call { return changes(item.Get("changes")) },
	"mcpToolCall": func(_ *talk, item hostjson.Value) []host.Call {
		tool := mcpTool(item.Get("server").Str(), item.Get("tool").Str())
		return []host.Call{{Tool: tool, Input: input(item.Get("arguments"))}}
	},
	"dynamicToolCall": func(_ *talk, item hostjson.Value) []host.Call {
		return []host.Call{{Tool: item.Get("tool").Str(), Input: input(item.Get("arguments"))}}
	},
	"collabAgentToolCall": func(_ *talk, item hostjson.Value) []host.Call {
		return one("Agent", "prompt", item.Get("prompt").Str())
	},
	"webSearch": func(_ *talk, item hostjson.Value) []host.Call {
		return one("WebSearch", "query", item.Get("query").Str())
	},
	"imageView": func(_ *talk, item hostjson.Value) []host.Call {
		return one("Read", claude.FieldFile, item.Get("path").Str())
	},
	"imageGeneration": func(*talk, hostjson.Value) []host.Call { return nil },
}

func mcpTool(server, tool string) string { return "mcp__" + server + "__" + tool }

func one(tool, key, value string) []host.Call {
	return []host.Call{call(tool, wire.NewObject().Str(key, value))}
}

func call(tool string, in *wire.Object) host.Call { return host.Call{Tool: tool, Input: in.Bytes()} }

// input returns the input of a tool as an object.
func input(v hostjson.Value) []byte {
	if v.IsObject() {
		return []byte(v.Raw())
	}
	return wire.NewObject().Str("input", v.Raw()).Bytes()
}

// shell returns a command as a call of Bash. The guard judges it from the run's directory.
func (t *talk) shell(v hostjson.Value) host.Call {
	command := unwrap(v.Get("command").Str())
	if dir := v.Get("cwd").Str(); dir != "" && dir != t.turn.Dir {
		command = "cd " + text.ShellQuote(dir) + " && " + command
	}
	return call("Bash", wire.NewObject().Str("command", command).OptStr("description", v.Get("reason").Str()))
}

// wrapper is how codex hands a command to a shell, or what it types to a terminal that is open.
var wrapper = regexp.MustCompile(`^(?:(?:/usr)?(?:/bin/)?(?:ba|z)?sh -l?c|write_stdin --session-id [0-9]+) `)

// unwrap returns the command that codex hands to a shell. Text of any other form is returned as it
// is: the guard understands it too.
func unwrap(text string) string {
	words := text[len(wrapper.FindString(text)):]
	if len(words) == len(text) {
		return text
	}
	if command, ok := unquote(words); ok {
		return command
	}
	return text
}

var (
	plain  = regexp.MustCompile(`^[A-Za-z0-9_./:=@%+,-]+`)
	single = regexp.MustCompile(`^'([^']*)'`)
	double = regexp.MustCompile(`^"((?:[^"\\$` + "`" + `]|\\["\\$` + "`" + `])*)"`)
	escape = regexp.MustCompile(`\\(.)`)
)

// unquote returns the one word of a text that is quoted for a shell, and false if it is anything
// else, or a shell would replace something in it.
func unquote(text string) (word string, ok bool) {
	for text != "" {
		var piece string
		if m := single.FindStringSubmatch(text); m != nil {
			piece, word = m[0], word+m[1]
		} else if m := double.FindStringSubmatch(text); m != nil {
			piece, word = m[0], word+escape.ReplaceAllString(m[1], "$1")
		} else if piece = plain.FindString(text); piece != "" {
			word += piece
		} else {
			return "", false
		}
		text = text[len(piece):]
	}
	return word, word != ""
}

// changes returns the changes of files as calls.
func changes(list hostjson.Value) (all []host.Call) {
	for _, change := range list.Items() {
		path, diff := change.Get("path").Str(), change.Get("diff").Str()
		switch change.Get("kind.type").Str() {
		case "add":
			all = append(all, call("Write", wire.NewObject().Str(claude.FieldFile, path).Str("content", diff)))
		case "delete":
			all = append(all, one("Bash", "command", "rm -- "+text.ShellQuote(path))...)
		default:
			all = append(all, edit(path, diff))
			if to := change.Get("kind.move_path").Str(); to != "" {
				all = append(all, one("Bash", "command", "mv -- "+text.ShellQuote(path)+" "+text.ShellQuote(to))...)
			}
		}
	}
	return all
}

// edit returns a change of a file from its unified diff.
func edit(path, diff string) host.Call {
	var before, after strings.Builder
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "@@"), strings.HasPrefix(line, `\`):
		case line[0] == '-':
			before.WriteString(line[1:])
		case line[0] == '+':
			after.WriteString(line[1:])
		default:
			before.WriteString(strings.TrimPrefix(line, " "))
			after.WriteString(strings.TrimPrefix(line, " "))
		}
	}
	return call("Edit", wire.NewObject().
		Str(claude.FieldFile, path).Str(claude.FieldOld, before.String()).Str(claude.FieldNew, after.String()))
}
