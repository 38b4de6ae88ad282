package shell

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/protected"
	"mvdan.cc/sh/v3/syntax"
)

// redirects evaluates the redirections. It returns the input of the command and
// the files that its output goes to.
func (sh *Shell) redirects(list []*syntax.Redirect, stdin *string) (*string, []sink) {
	var sinks []sink
	for _, r := range list {
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc, syntax.RdrIn, syntax.RdrInOut:
			in := sh.input(r, stdin)
			if in != nil && r.N != nil && r.N.Value != "0" { // such as 3<file
				sh.Remember("/dev/fd/"+r.N.Value, *in)
			} else {
				stdin = in
			}
		case syntax.DplIn:
			stdin = sh.fromDescriptor(r, stdin)
		default:
			sinks = append(sinks, sh.sinks(r)...)
		}
	}
	return stdin, sinks
}

// input returns the text that a command reads through a redirection, or stdin if
// the redirection names no file.
func (sh *Shell) input(r *syntax.Redirect, stdin *string) *string {
	text := ""
	switch r.Op {
	case syntax.WordHdoc:
		text = lex.First(sh.text(r.Word)) + "\n"
	case syntax.RdrIn, syntax.RdrInOut:
		files := sh.fields(r.Word)
		if len(files) == 0 {
			return stdin
		}
		for _, f := range files {
			text = sh.Read(f)
		}
	default:
		if r.Hdoc != nil {
			text = lex.First(sh.document(r))
		}
	}
	return &text
}

// sinks reports the files that a redirection writes. It returns those that the standard output
// goes to.
func (sh *Shell) sinks(r *syntax.Redirect) []sink {
	if r.Word == nil {
		return nil
	}
	op := effect.Op("")
	if r.Op == syntax.AppOut || r.Op == syntax.AppAll {
		op = effect.Append
	}
	var files []sink
	for _, f := range sh.fields(r.Word) {
		descriptor := r.Op == syntax.DplOut && (lex.IsNumber(f) || f == "-")
		if !descriptor {
			n := len(sh.Eval.Effects)
			files = append(files, sink{path: sh.WriteAs(op, f), effect: n, appends: op == effect.Append})
		} else if path, ok := sh.Eval.descriptors[f]; ok {
			files = append(files, sink{path: path, appends: true})
		}
	}
	if r.N == nil {
		return files
	}
	if len(files) == 1 {
		sh.Eval.opens(r.N.Value, files[0].path)
	}
	if r.N.Value != "1" {
		return nil
	}
	return files
}

// Write reports a file that is created or overwritten and returns its path.
func (sh *Shell) Write(word string) string { return sh.WriteAs("", word) }

// Arrives reports the file that a copy of another one writes: the path, or the file of the same
// name in it.
func (sh *Shell) Arrives(from, to string) {
	if sh.Renames(from, to) {
		return
	}
	sh.Write(to)
	base := from[strings.LastIndexAny(from, ":/")+1:]
	if fspath.IsExact(base) && base != fspath.Base(to) {
		sh.Write(strings.TrimSuffix(to, "/") + "/" + base)
	}
}

// Renames reports whether each of several files gets another name in its folder, as in a loop
// over them. That another file has the name is not likely.
func (sh *Shell) Renames(from, to string) bool {
	switch {
	case !fspath.HasGlob(from), !fspath.HasGlob(to), from == to:
		return false
	}
	return fspath.Dir(sh.Path(from)) == fspath.Dir(sh.Path(to))
}

// Overwrite reports a file that is created or overwritten with a text, and remembers
// the text.
func (sh *Shell) Overwrite(word, text string) {
	op := effect.Op("")
	if text == "" {
		op = effect.Truncate
	}
	sh.Remember(sh.WriteAs(op, word), text)
}

// WriteAs is Write with an Op: Append, Edit or Truncate.
func (sh *Shell) WriteAs(op effect.Op, word string) string {
	p := sh.Path(word)
	if host, ok := NetDevice(p); ok {
		sh.socket(host)
		return p
	}
	if lex.BeginsWith(p, "/dev/pts/ /dev/ttys") || ofProcess(p, "fd") {
		sh.Effect(effect.TypeInto, "", p)
	}
	if !lex.OneOf(p, "/dev/fd/1 /dev/fd/2 /dev/null /dev/stderr /dev/stdout /dev/tty") {
		sh.Effect(effect.WriteFile, op, p)
	}
	return p
}

// Read reports that the command reads a file, and returns the content as far as
// it is known.
func (sh *Shell) Read(word string) string {
	p := sh.Path(word)
	if host, ok := NetDevice(p); ok {
		sh.socket(host)
		return partial.UnknownNetwork
	}
	if p == "/dev/null" {
		return ""
	}
	if IsStdin(p) && sh.stdin != nil {
		return *sh.stdin
	}
	if text, ok := sh.Files[p]; ok {
		if text == partial.UnknownSecret || text == partial.UnknownNetwork && protected.SecretPath(p, sh.Place.Home) {
			sh.Effect(effect.RevealSecret, effect.Named("copy of a credential"), p)
		}
		return text
	}
	sh.Effect(effect.ReadFile, "", p)
	if base := fspath.Base(p); sh.IsOwn(p) && (lex.Mentions(base, "pid lock")) {
		return FoundMark + "afar\n"
	}
	if ofProcess(p, "comm cmdline exe status stat environ") {
		return AList
	}
	if sh.Place.Away == "" && protected.SecretPath(p, sh.Place.Home) {
		return partial.UnknownSecret
	}
	if sh.feeds {
		if text, ok := sh.textAt(p); ok {
			return text
		}
	}
	return partial.Unknown
}

// ofProcess reports whether a path is one of these parts of another process.
func ofProcess(p, parts string) bool {
	pid, rest, _ := strings.Cut(strings.TrimPrefix(p, "/proc/"), "/")
	part, _, _ := strings.Cut(rest, "/")
	return strings.HasPrefix(p, "/proc/") && !lex.OneOf(pid, "self thread-self") && lex.OneOf(part, parts)
}

// socket reports a redirection to the network. Connected to a shell it opens the
// machine to others; otherwise it may only test whether a port is open, as on this machine.
func (sh *Shell) socket(host string) {
	if sh.Eval.Site.Page.URL(strings.Replace(host, "/", ":", 1)) {
		sh.Effect(effect.SteerAfar, effect.WebPage, host)
	}
	name, _, _ := strings.Cut(sh.Text(), " ")
	switch local := lex.BeginsWith(host, "localhost/ 127. 0.0.0.0/ ::1/"); {
	case lex.IsShellName(lex.ProgramName(name)), name == "exec" && !local:
		sh.Effect(effect.ReverseShell, effect.ShellSocket, host)
	case !local && !lex.OneOf(name, "echo : true"):
		sh.Possible(effect.ReverseShell, effect.ShellSocket, host)
	}
}

func NetDevice(p string) (string, bool) {
	if rest, ok := strings.CutPrefix(p, "/dev/tcp/"); ok {
		return rest, true
	}
	return strings.CutPrefix(p, "/dev/udp/")
}
