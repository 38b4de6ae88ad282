package guard

import (
	"github.com/afar-sh/afar/coordinator/guard/judge"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// Commands returns the plain argument lists of all that a Bash call would run,
// in order: each word is known to the letter, nothing is substituted, redirected
// to a file, assigned, or run by another program, and no word leads out of the
// project. It returns false for any other call, for one on which the guard has
// an opinion, and where it cannot tell.
func Commands(call Call, ctx Context) ([][]string, bool) {
	text, ok := commandOf(call)
	if !ok {
		return nil, false
	}
	commands, ok := shell.Plain(text)
	if !ok || !judge.Obvious(commands, &ctx) || Judge(call, ctx).Verdict != None {
		return nil, false
	}
	return commands, true
}

// Inside returns the file that a file tool's call is about, with its symbolic
// links resolved. It returns false unless the file lies below the project and
// is no setting, hook or credential, and the guard has no opinion.
func Inside(call Call, ctx Context) (string, bool) {
	file, ok := fileOf(call)
	if !ok || file[0] == '~' {
		return "", false
	}
	real, ok := judge.Enclosed(file, &ctx)
	if !ok || Judge(call, ctx).Verdict != None {
		return "", false
	}
	return real, true
}

// commandOf returns the command that a Bash call runs.
func commandOf(call Call) (string, bool) {
	text := ""
	for _, a := range call.Args {
		if a.Path == "command" {
			text = a.Value
		}
	}
	return text, call.Tool == "Bash" && text != ""
}

// fileOf returns the one file that a call names.
func fileOf(call Call) (string, bool) {
	found := ""
	for _, a := range call.Args {
		if !lex.OneOf(a.Path, "file_path notebook_path") {
			continue
		}
		if found != "" || a.Value == "" || a.Value != partial.Scrub(a.Value) {
			return "", false
		}
		found = a.Value
	}
	return found, found != ""
}
