package agentguard

import (
	"errors"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// A kind is a kind of tools: the names that agents have for them, and what a call of one does.
type kind struct {
	names []string
	calls func(in hostjson.Value) ([]call, error)
}

// kinds are the kinds of tools that the guard reads. A tool of none of them is judged by the words of its name.
var kinds = []kind{
	{
		[]string{"Bash", "Shell", "bash", "exec_command", "run_shell_command", "shell", "terminal"},
		func(in hostjson.Value) ([]call, error) { return commands(in, "Bash") },
	},
	{
		[]string{"powershell"},
		func(in hostjson.Value) ([]call, error) { return commands(in, "PowerShell") },
	},
	{
		[]string{"Write", "create", "write", "write_file"},
		func(in hostjson.Value) ([]call, error) {
			return file("Write", in, wire.NewObject().Str("content", first(in, "content", "contents", "file_text")))
		},
	},
	{
		[]string{"Edit", "MultiEdit", "StrReplace", "edit", "replace", "search_replace", "str_replace"},
		func(in hostjson.Value) ([]call, error) {
			return file("Edit", in, wire.NewObject().
				Str(claude.FieldOld, first(in, claude.FieldOld, "oldString", "old_str")).
				Str(claude.FieldNew, first(in, claude.FieldNew, "newString", "new_str")))
		},
	},
	{
		[]string{"Read", "read", "read_file", "view", "view_image"},
		func(in hostjson.Value) ([]call, error) { return file("Read", in, wire.NewObject()) },
	},
	{
		[]string{"Delete", "delete", "delete_file"},
		func(in hostjson.Value) ([]call, error) {
			path := first(in, fileNames...)
			if path == "" {
				return nil, errNoFile
			}
			return []call{shell("rm -- " + text.ShellQuote(path))}, nil
		},
	},
	{
		[]string{"apply_patch", "patch"},
		func(in hostjson.Value) ([]call, error) {
			return patched(first(in, "patchText", "input", "patch", "command"))
		},
	},
	{
		[]string{"WebFetch", "fetch", "web_fetch", "webfetch"},
		func(in hostjson.Value) ([]call, error) {
			page := wire.NewObject().Str("url", first(in, "url")).Str("prompt", first(in, "prompt"))
			return []call{{"WebFetch", page.Bytes()}}, nil
		},
	},
}

// fileNames are the names under which tools have their file.
var fileNames = []string{claude.FieldFile, "filePath", "path", "absolute_path", "target_file"}

var errNoFile = errors.New("the call names no file")

// first returns the first text in a call under one of the names, "" for none.
func first(in hostjson.Value, names ...string) string {
	for _, name := range names {
		if s := in.Get(name).Str(); s != "" {
			return s
		}
	}
	return ""
}

func shell(command string) call {
	return call{"Bash", wire.NewObject().Str("command", command).Bytes()}
}

// commands returns a call of a shell. The directory that it names, if any, is gone to first.
func commands(in hostjson.Value, tool string) ([]call, error) {
	command := first(in, "command", "cmd")
	if command == "" {
		return nil, errors.New("the call of a shell has no command")
	}
	if dir := first(in, "workdir", "directory", "dir_path", "working_directory"); dir != "" {
		command = "cd " + text.ShellQuote(dir) + " && " + command
	}
	all := []call{{tool, wire.NewObject().Str("command", command).Bytes()}}
	if strings.Contains(command, patchBegins) {
		more, err := patched(command)
		return append(all, more...), err
	}
	return all, nil
}

// file returns a call of a tool about one file.
func file(tool string, in hostjson.Value, input *wire.Object) ([]call, error) {
	path := first(in, fileNames...)
	if path == "" {
		return nil, errNoFile
	}
	return []call{{tool, input.Str(claude.FieldFile, path).Bytes()}}, nil
}

const patchBegins = "*** Begin Patch"

// patched returns the calls that a patch in the form of apply_patch is worth. A text that holds no such patch is an
// error.
func patched(patch string) (all []call, err error) {
	_, patch, found := strings.Cut(patch, patchBegins)
	if !found {
		return nil, errors.New("want a patch that starts with " + patchBegins)
	}
	patch, _, _ = strings.Cut(patch, "*** End Patch")
	var now change
	for line := range strings.Lines(patch) {
		head := strings.TrimRight(line, "\r\n")
		verb, path, isHead := strings.Cut(strings.TrimPrefix(head, "*** "), " File: ")
		to, isMove := strings.CutPrefix(head, "*** Move to: ")
		switch {
		case isHead && strings.HasPrefix(head, "*** "):
			all = append(all, now.calls()...)
			now = change{verb: verb, path: path}
		case isMove:
			all = append(all, shell("mv -- "+text.ShellQuote(now.path)+" "+text.ShellQuote(to)))
		case strings.HasPrefix(line, "+"):
			now.added += line[1:]
		case strings.HasPrefix(line, "-"):
			now.removed += line[1:]
		}
	}
	if all = append(all, now.calls()...); len(all) == 0 {
		return nil, errors.New("the patch names no file")
	}
	return all, nil
}

// A change is what a patch does to one file.
type change struct{ verb, path, added, removed string }

// calls returns the call that the change is worth, none for an empty change.
func (c change) calls() []call {
	in := wire.NewObject().Str(claude.FieldFile, c.path)
	switch c.verb {
	case "":
		return nil
	case "Add":
		return []call{{"Write", in.Str("content", c.added).Bytes()}}
	case "Delete":
		return []call{shell("rm -- " + text.ShellQuote(c.path))}
	}
	return []call{{
		"Edit", in.Str(claude.FieldOld, c.removed).Str(claude.FieldNew, c.added).Bytes(),
	}}
}
