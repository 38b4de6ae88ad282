package script

import (
	"slices"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// This file reads what a program runs of another file or another machine by a call. The modules that
// it imports are not read.

const maxImports = 3 // files that run each other

// runsFileText runs the file whose text the arguments of a call read, as in exec(open("x.py").read()).
// It returns false if they read none that is known.
func (r *reading) runsFileText(kind string, toks []Token) bool {
	args := callTokens(toks)
	if kind == "run" && kindAt(args, 0) != 'n' {
		return false // only a part of the command comes from a file
	}
	for i, t := range args {
		if !Shaped(args, i, "n(") || r.callNamed(t.Text).kind != "read" && t.Text != "open" {
			continue
		}
		path, ok := r.literal(args[i+2:])
		if !ok || len(r.importing) >= maxImports {
			return false
		}
		return r.sh.RunCode(path, nil, nil, func(child *shell.Shell, code string) {
			if kind == "run" {
				child.Run(code, nil)
				return
			}
			start(child, code, r.lang, append(slices.Clip(r.importing), path))
		})
	}
	return false
}

// includers are the calls that run the code at an address, or in what their argument fetches.
const includers = "dofile evaluate import importScripts include include_once require require_once source source_url"

// imports notes what the call of name at token i imports, and reports code of another machine that it runs.
func (r *reading) imports(k knownCall, name string, i int) {
	behind := r.toks[i+1:]
	switch {
	case !lex.OneOf(k.short, includers):
	case kindAt(behind, 0) != '(' && r.lang != "php": // import x from "https://…"
	case r.fetches(r.toks[i:]), r.readFrom(behind, false) == effect.Network:
		r.sh.Effect(effect.RunUnknown, effect.Network, name)
	}
	if k.imports {
		r.bindsModule(i)
	}
}

// Named returns the texts that a program or an object of JSON gives to settings with one of the
// blank-separated names, as in {setupFiles: ["a.js"]}.
func Named(text, keys string) (named []string) {
	const most = 16
	if keys == "" {
		return nil
	}
	toks := Tokenize(text, "js")
	for i := range toks {
		if !sets(toks, i, keys) {
			continue
		}
		r := reading{text: text, toks: toks}
		for _, value := range r.expression(i + 2) {
			if value.Kind == 's' && len(named) < most {
				named = append(named, value.Text)
			}
		}
	}
	return named
}
