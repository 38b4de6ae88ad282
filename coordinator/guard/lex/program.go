package lex

import (
	"strings"
)

func IsShellName(name string) bool {
	return OneOf(name, "sh bash zsh dash ksh mksh ash fish rbash tcsh csh yash pdksh elvish xonsh nu bash.bash su-sh")
}

func IsClusterWith(a string, letter byte) bool {
	return len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.IndexByte(a, letter) > 0
}

// ProgramName is the name that the tables know a program by.
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
