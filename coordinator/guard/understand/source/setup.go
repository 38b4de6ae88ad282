package source

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/recipes"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/script"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// This file reads the code of a project that a runner of tests or a tool for building loads by itself:
// its settings, if they are a program, and the files that they name.

// SetupPrograms are the programs that load such code.
var SetupPrograms = []rows.Table{
	{
		Programs: "pytest py.test", Options: "k m n p c o W r", Dry: "version h help fixtures markers",
		Do: loadConftests,
	},
	{Programs: "rspec phpunit pest paratest", Options: "r require c configuration bootstrap e t f P", Do: loadSetup},
	{
		Programs: "vitest jest playwright cypress mocha vite webpack rollup next nuxt nuxi astro svelte-kit gatsby " +
			"tsup karma ava wdio eslint stylelint postcss tailwindcss",
		Options: "c config r require globalSetup setupFiles project grep g t testNamePattern mode outDir reporter",
		Dry:     "version",
		Do:      loadSetup,
	},
}

// setups are the files that programs load, each from the nearest folder. $ is the name of the program, *
// stands for nodeEnds, and keys are the settings that name more files.
var setups = []struct{ programs, files, keys string }{
	{"rspec", "spec/spec_helper.rb spec/rails_helper.rb", ""},
	{"phpunit pest paratest", "phpunit.xml phpunit.xml.dist tests/Pest.php tests/bootstrap.php", "bootstrap"},
	{"jest", "package.json jest.config.json", setupKeys},
	{"mocha", ".mocharc.json .mocharc.cjs .mocharc.js", "require file"},
	{"vitest", "vite.config* vitest.workspace*", setupKeys},
	{"karma wdio", "$.conf.ts $.conf.js", ""},
	{"nuxi", "nuxt.config*", ""},
	{"svelte-kit", "svelte.config*", ""},
	{"tailwindcss", "tailwind.config*", ""},
	{
		"jest playwright cypress webpack rollup next nuxt astro gatsby tsup ava eslint stylelint vitest vite postcss",
		"$.config*", setupKeys,
	},
}

const setupKeys = "globalSetup globalTeardown setupFiles setupFilesAfterEnv supportFile"

// loadSetup runs the files that a program loads before it does its work.
func loadSetup(sh *shell.Shell, c shell.Command, o argv.Options) {
	for i := range setups {
		row := &setups[i]
		if !lex.OneOf(c.Name, row.programs) {
			continue
		}
		for _, name := range strings.Fields(strings.ReplaceAll(row.files, "$", c.Name)) {
			if before, open := strings.CutSuffix(name, "*"); open {
				name = before + strings.ReplaceAll(nodeEnds, " ", " "+before)
			}
			path, _ := recipes.Nearest(sh, name)
			runSetup(sh, path, row.keys)
		}
	}
	for _, name := range append(o.All("c", "config", "r", "require", "globalSetup", "bootstrap"), o.Pos...) {
		if languageOfFile(name) != "" {
			runSetup(sh, name, setupKeys)
		}
	}
}

// runSetup runs a file, if it is a program, and those that its settings name.
func runSetup(sh *shell.Shell, path, keys string) {
	recipes.RunFile(sh, path, nil, func(child *shell.Shell, text string) {
		if lang := languageOfFile(path); lang != "" {
			script.Run(child, text, lang)
		}
		for _, name := range script.Named(text, keys) {
			name = fspath.Join(fspath.Dir(child.Path(path)), strings.TrimPrefix(name, "<rootDir>/"))
			Run(child, name, nil, languageOfFile(name))
		}
	})
}

// maxAround bounds the folders around a test.
const maxAround = 8

// loadConftests runs the tests that are named, and the files conftest.py of their folders and of those around.
func loadConftests(sh *shell.Shell, _ shell.Command, o argv.Options) {
	for _, name := range append(o.Pos, ".")[:max(1, len(o.Pos))] {
		name, _, _ = strings.Cut(name, "::")
		path := sh.Path(name)
		if strings.HasSuffix(path, ".py") {
			Run(sh, path, nil, "python")
			path = fspath.Dir(path)
		}
		dir := path
		for range maxAround {
			if dir = fspath.Dir(dir); !fspath.Within(dir, sh.Eval.Site.Project) {
				break
			}
			Run(sh, dir+"/conftest.py", nil, "python")
		}
		sources(sh, path+"/...", "conftest.py", func(path string) { Run(sh, path, nil, "python") })
	}
}

// BuildPackage runs the program with which packages of Python are built from their sources.
func BuildPackage(sh *shell.Shell, _ shell.Command, o argv.Options) {
	dirs := slices.Concat(o.From(1), o.All("e", "editable"))
	for _, dir := range dirs {
		dir, _, _ = strings.Cut(dir, "[")
		if lex.BeginsWith(dir, ". /") {
			Run(sh, sh.Path(dir)+"/setup.py", nil, "python")
		}
	}
}
