package script

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// This file reads the files of the project that a program imports.

const maxModules, maxImports = 64, 3 // that one program imports, and that import each other

// moduleEnds are what is added to the name of a module to get that of its file.
const moduleEnds = " .py .js .ts .mjs .cjs .mts .tsx .jsx .rb .lua .pm /__init__.py /index.js /index.ts"

// include reads the modules that the name at token i imports.
func (r *reading) include(i int) {
	for _, name := range r.modules(i) {
		if r.searched++; r.searched > maxModules {
			return
		}
		if path := r.moduleFile(name); path != "" {
			r.readModule(path, i)
		}
	}
}

// modules returns the modules that the name at token i imports, as paths.
func (r *reading) modules(i int) []string {
	word, behind := r.toks[i].Text, r.toks[i+1:]
	switch {
	case r.lang == "python" && lex.OneOf(unqualified(word), "import_module __import__ run_path run_module"):
		path, _ := r.literal(callTokens(behind))
		if strings.HasSuffix(path, ".py") {
			return []string{path}
		}
		return []string{strings.ReplaceAll(path, ".", "/")}
	case r.lang == "python":
		return r.pythonModules(i)
	case r.lang == "perl" && lex.OneOf(word, "use require") && kindAt(behind, 0) == 'n':
		return []string{strings.ReplaceAll(behind[0].Text, "::", "/")}
	case lex.OneOf(word, importers) && len(behind) > 0:
		if behind[0].Kind == '(' {
			behind = behind[1:]
		}
		path, _ := r.literal(behind)
		if r.lang != "js" || lex.BeginsWith(path, "./ ../ /") {
			return []string{path}
		}
	}
	return nil
}

const importers = "require import from require_relative require_once include include_once load dofile source do"

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
const includers = "require import include include_once require_once source source_url dofile evaluate importScripts"

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

// pythonModules returns the modules of "import a.b" and of "from .a import b, c", which may be ones, too.
func (r *reading) pythonModules(i int) (paths []string) {
	first := r.toks[i]
	if !lex.OneOf(first.Text, "from import") || tokenAt(r.toks, i-1).in("n.") && r.sameLine(r.toks[i-1], first) {
		return nil
	}
	top, end := "", first.At+lineLength(r.text[first.At:])
	for i++; i < len(r.toks) && r.toks[i].At < end && len(paths) < maxModules; i++ {
		switch t := r.toks[i]; {
		case t.Kind == '.' && len(paths) > 0, t.Text == "as":
			i++
		case t.Kind == '.':
			top += "../"
		case t.Text == "import" && len(paths) == 0:
		case t.Text == "import":
			top = paths[0] + "/"
		case t.Kind == 'n':
			paths = append(paths, strings.TrimPrefix(top, "../")+strings.ReplaceAll(t.Text, ".", "/"))
		}
	}
	return paths
}

// moduleFile returns the file of a module: it lies beside the program or below the working directory.
func (r *reading) moduleFile(name string) string {
	name = strings.TrimSuffix(name, ".js") // TypeScript names a file by what it becomes
	tops := []string{r.sh.SourceDir(), r.sh.Place.Cwd}
	if lex.OneOf(r.lang, "perl ruby") {
		tops = append(tops, r.sh.Place.Cwd+"/lib")
	}
	for _, top := range tops {
		for _, end := range strings.Split(moduleEnds, " ") {
			file := fspath.Join(top, name+end)
			if _, written := r.sh.Files[file]; written || r.sh.Lists(file) {
				return file
			}
		}
	}
	return ""
}

// readModule reads what the program uses of the module that the name at token i imports.
func (r *reading) readModule(path string, i int) {
	module := r.module(path)
	if module == nil {
		return
	}
	as := strings.TrimSuffix(fspath.Base(path), ".py")
	if kindAt(r.toks, i-1) == '=' {
		as = textAt(r.toks, i-2)
	}
	for name, f := range module.functions {
		if r.functions[name] == nil {
			r.functions[name] = f
		}
	}
	for name, meaning := range module.names {
		r.names[name], r.names[as+"."+name] = meaning, meaning
	}
	for name, text := range module.consts {
		if name == strings.ToUpper(name) && len(r.consts) < maxConstants {
			r.consts[name], r.consts[as+"."+name] = text, text
		}
	}
}

// module returns what was read of a module, nil for nothing. A program reads each module once.
func (r *reading) module(path string) *reading {
	module, known := r.imported[path]
	if known || len(r.importing) >= maxImports || slices.Contains(r.importing, path) {
		return module
	}
	var names []string
	for _, t := range r.toks {
		if t.Kind == 'n' {
			names = append(names, unqualified(t.Text))
		}
	}
	reached := func(text string) string { return Reached(text, names) }
	r.sh.RunCode(path, nil, reached, func(child *shell.Shell, code string) {
		module = start(child, code, r.lang, append(slices.Clip(r.importing), path))
	})
	if r.imported == nil {
		r.imported = map[string]*reading{}
	}
	r.imported[path] = module
	return module
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
