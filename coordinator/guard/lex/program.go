package lex

import (
	"strings"
)

// IsShellName reports whether a program of that name is a shell.
func IsShellName(name string) bool {
	return OneOf(name, "sh bash zsh dash ksh mksh ash fish rbash tcsh csh yash pdksh elvish xonsh nu bash.bash su-sh")
}

// IsClusterWith reports whether a is a cluster of short flags that has letter.
func IsClusterWith(a string, letter byte) bool {
	return len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.IndexByte(a, letter) > 0
}

// ProgramName returns the name of a program in the tables: the base name in lower
// case, without ".exe" and, for some programs, without the version.
func ProgramName(arg string) string {
	if i := strings.LastIndexAny(arg, "/\\"); i >= 0 {
		arg = arg[i+1:]
	}
	name := strings.ToLower(arg)
	name = strings.TrimSuffix(name, ".exe")
	trimmed := strings.TrimRight(name, "0123456789.")
	switch trimmed {
	case "python", "pip", "ruby", "perl", "php", "node", "lua", "pypy", "bash", "zsh", "make", "mkfs", "tclsh", "go":
		return trimmed
	}
	return name
}
