package understand

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// processPrograms are the programs of this file, with what each does.
var processPrograms = []table{
	{programs: "kill killall pkill skill xkill taskkill killall5", do: killProcess},
	{programs: "pgrep pidof ps lsof fuser", options: "u U g t P o C p i", do: processList},
	{programs: "java", do: func(sh *shell.Shell, c shell.Command, _ shell.Options) {
		if o := shell.ParseOptions(c.Args, "jar cp classpath"); len(o.All("jar")) > 0 {
			jar := strings.TrimSuffix(o.All("jar")[0], ".jar")
			sh.Exec(append([]string{jar}, lex.After(c.Args, "-jar", 2)...), c.In)
		}
	}},
}

// killProcess reports the processes that are killed.
func killProcess(sh *shell.Shell, c shell.Command, o shell.Options) {
	switch c.Name {
	case "kill":
		if len(c.Args) > 0 && lex.OneOf(c.Args[0], "-l -L -0") ||
			len(c.Args) > 1 && c.Args[0] == "-s" && c.Args[1] == "0" {
			return
		}
		killPids(sh, c.Args)
	default:
		o := shell.ParseOptions(c.Args, "u U g G s t P signal user group parent terminal")
		if o.Exact("l", "list", "V") {
			return
		}
		user, _ := o.Get("u", "U", "user")
		op := effect.ByName
		if c.Name == "killall5" {
			op = effect.Everything
		}
		if user != "" && len(o.Pos) == 0 {
			op = effect.Everything
		}
		for _, p := range o.Pos {
			if c.Name == "pkill" && o.Short('f') {
				op = effect.ByPattern
			}
			sh.Effect(effect.KillProcess, op, p)
		}
		if len(o.Pos) == 0 {
			sh.Effect(effect.KillProcess, op, user)
		}
	}
}

// killPids reports the processes that kill names.
func killPids(sh *shell.Shell, args []string) {
	for i, a := range args {
		switch {
		case i == 0 && len(a) > 1 && a[0] == '-' && !(a == "-1" && len(args) == 1):
			if lex.OneOf(a, "-s -n") {
				args[i+min(1, len(args)-1-i)] = ""
			}
		case a == "" || a == "--":
		case lex.OneOf(a, "-1 1 0"):
			sh.Effect(effect.KillProcess, effect.Everything, a)
		case strings.HasPrefix(a, "pid:"):
			sh.Effect(effect.KillProcess, effect.Found, a)
		default:
			sh.Effect(effect.KillProcess, effect.ByPID, a)
		}
	}
}

// processList prints a mark with the names that it looks for, so that
// "kill $(pgrep x)" still names x.
func processList(sh *shell.Shell, c shell.Command, o shell.Options) {
	if sh.Out == nil && c.Name != "fuser" {
		return
	}
	switch c.Name {
	case "fuser":
		if o.Short('k') {
			sh.Effect(effect.KillProcess, effect.ByFile, strings.Join(o.Pos, " "))
		}
	case "pgrep", "pidof":
		sh.Print("pid:" + strings.Join(o.Pos, ",") + "\n")
	case "ps":
		sh.Print("pid:" + partial.Unknown + "\n")
	case "lsof":
		for _, p := range shell.ParseOptions(c.Args, "u g p i c d F").Pos {
			if sh.IsOwn(sh.Path(p)) {
				sh.Print("pid:afar\n")
			}
		}
		sh.Print(partial.Unknown)
	default:
		sh.Print(partial.Unknown)
	}
}
