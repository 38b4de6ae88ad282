package grant

import (
	"path"
	"slices"
	"strings"
)

// changers are parts of option names. With such an option a program runs another
// program, reads other rules, or writes what it would only show without it.
var changers = []string{
	"exec", "command", "cmd", "pack", "pager", "shell", "script", "hook", "config", "rsh", "wrapper", "plugin",
	"require", "eval", "loader", "editor", "output", "vettool", "overlay", "textconv", "ext-diff", "rcfile",
	"init-file", "preload", "checkpoint-action",
}

// shorts are the one-letter options with such effects, by program.
var shorts = map[string][]string{
	"git":   {"-O", "-x"},
	"rsync": {"-e"},
	"tar":   {"-I", "-F"},
	"zip":   {"-TT"},
	"npm":   {"-c"},
	"npx":   {"-c"},
}

// carriers are the subcommands of a program that run their arguments, or change what
// later calls of the program do.
var carriers = map[string][]string{
	"git":     {"bisect", "submodule", "difftool", "mergetool", "config", "filter-branch", "send-email"},
	"go":      {"run", "generate", "tool", "env"},
	"cargo":   {"install"},
	"npm":     {"exec", "x", "config", "set", "init", "create", "explore"},
	"pnpm":    {"exec", "dlx", "config", "create"},
	"yarn":    {"exec", "dlx", "config", "create"},
	"docker":  {"exec", "run", "cp", "plugin", "context"},
	"podman":  {"exec", "run", "cp"},
	"kubectl": {"exec", "run", "debug", "cp", "config", "plugin"},
	"gh":      {"alias", "extension", "api", "config"},
	"aws":     {"configure"},
	"gcloud":  {"config"},
}

// launchers are programs whose whole purpose is to run another one.
var launchers = strings.Fields(
	"hyperfine valgrind perf xvfb-run dbus-run-session ssh-agent sg newgrp taskset chrt firejail bwrap " +
		"watchexec nodemon concurrently " +
		"doppler op dotenv direnv mise asdf nix nix-shell vagrant",
)

// wide reports whether the beginning of a command is not enough to say what the
// command does. Such a command can be allowed only as a whole.
func wide(argv []string) bool {
	program := path.Base(argv[0])
	carries := func(word string) bool { return slices.Contains(carriers[program], word) }
	if slices.Contains(launchers, program) || slices.ContainsFunc(argv[1:min(len(argv), 3)], carries) {
		return true
	}
	return slices.ContainsFunc(argv[1:], func(w string) bool { return changes(program, w) })
}

// changes reports whether a word makes a program do something that its name and
// command do not say.
func changes(program, word string) bool {
	if strings.Contains(word, "::") || program == "make" && strings.Contains(word, "=") {
		return true // a transport of git, or a variable, which may name the shell
	}
	if !strings.HasPrefix(word, "-") {
		return false
	}
	short := func(o string) bool { return strings.HasPrefix(word, o) && !strings.HasPrefix(word, "--") }
	if slices.ContainsFunc(shorts[program], short) {
		return true
	}
	name, _, _ := strings.Cut(strings.ToLower(word), "=")
	return slices.ContainsFunc(changers, func(part string) bool { return strings.Contains(name, part) })
}
