package guard

import (
	"github.com/afar-sh/afar/coordinator/guard/judge"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell/grammar"
)

// Commands returns the argument lists of all commands that a Bash call would
// run, in order. d is the decision about the call. It returns false unless the commands are plain: each word is
// known exactly, nothing is substituted, redirected to a file, assigned or run
// by another program, and no word leads out of the project. It also returns
// false for a call of another tool and for a call that the guard asks about or
// denies.
func Commands(call Call, ctx Context, d Decision) ([][]string, bool) {
	text, ok := commandOf(call)
	if !ok || d.Verdict != None {
		return nil, false
	}
	commands, ok := grammar.Plain(text)
	if !ok || !judge.Obvious(commands, &ctx) {
		return nil, false
	}
	return commands, true
}

// ProposesRun reports whether a Bash call is one plain `afar run start`, here or on another machine, or `afar run widen`,
// and nothing else. d is the decision about the call. These commands ask the person themselves.
func ProposesRun(call Call, d Decision) bool {
	text, ok := commandOf(call)
	if !ok || d.Verdict != None {
		return false
	}
	commands, ok := grammar.Plain(text)
	if !ok || len(commands) != 1 || commands[0][0] != "afar" {
		return false
	}
	words := commands[0][1:]
	if len(words) > 1 && words[0] == "--machine" {
		words = words[2:]
	}
	return len(words) > 2 && words[0] == "run" && lex.OneOf(words[1], "start widen")
}

// Inside returns the file that a call of a file tool names, with its symbolic
// links resolved. d is the decision about the call. It returns false unless the file lies below the project, is
// not a setting, hook or credential, and the guard has no opinion on the call.
func Inside(call Call, ctx Context, d Decision) (string, bool) {
	file, ok := fileOf(call)
	if !ok || file[0] == '~' || d.Verdict != None {
		return "", false
	}
	return judge.Enclosed(file, &ctx)
}

// commandOf returns the command that a Bash call runs. It returns false for
// other tools and for an empty command.
func commandOf(call Call) (string, bool) {
	text := ""
	for _, a := range call.Args {
		if a.Path == "command" {
			text = a.Value
		}
	}
	return text, call.Tool == "Bash" && text != ""
}

// fileOf returns the file that a call names. It returns false unless the call
// names exactly one.
func fileOf(call Call) (string, bool) {
	found := ""
	for _, a := range call.Args {
		if !lex.OneOf(a.Path, "file_path notebook_path") {
			continue
		}
		switch {
		case found != "", a.Value == "", a.Value != partial.Scrub(a.Value):
			return "", false
		}
		found = a.Value
	}
	return found, found != ""
}
