package grant

import (
	"path"
	"slices"
	"strings"
)

// changers are parts of the names of options with which a program runs another
// one, reads other rules, or writes what it would only show.
var changers = []string{
	"exec", "command", "cmd", "pack", "pager", "shell", "script", "hook", "config", "rsh", "wrapper", "plugin", "require", "eval", "loader",
	"editor", "output", "vettool", "overlay", "textconv", "ext-diff", "rcfile", "init-file", "preload", "checkpoint-action",
}

// shorts are options of one letter that do so, by program.
var shorts = map[string][]string{
	"git":   {"-O", "-x"},
	"rsync": {"-e"},
	"tar":   {"-I", "-F"},
	"zip":   {"-TT"},
	"npm":   {"-c"},
	"npx":   {"-c"},
}

// carriers are the commands of a program that run what they are given, or
// change what the next call of it does.
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

// wide reports a command in which more than the beginning says what is done: no
// beginning stands for it, and it can be allowed only as it is.
func wide(argv []string) bool {
	program := path.Base(argv[0])
	carries := func(word string) bool { return slices.Contains(carriers[program], word) }
	if slices.Contains(launchers, program) || slices.ContainsFunc(argv[1:min(len(argv), 3)], carries) {
		return true
	}
	return slices.ContainsFunc(argv[1:], func(w string) bool { return changes(program, w) })
}

// changes reports a word that makes a program do something else than it says.
func changes(program, word string) bool {
	if strings.Contains(word, "::") || program == "make" && strings.Contains(word, "=") {
		return true // a transport of git's; a variable, the shell among them
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
