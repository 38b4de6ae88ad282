package understand

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// processPrograms are the programs of this file, with what each does.
var processPrograms = []table{
	{programs: "kill", do: killPids},
	{
		programs: "killall pkill skill xkill taskkill killall5",
		options:  "u U g G s t P signal user group parent terminal",
		dry:      "l list V",
		rows: []row{
			{of: "killall5", does: act{effect.KillProcess, effect.Everything, operands}},
			{of: "pkill", words: "*", given: "f", does: act{effect.KillProcess, effect.ByPattern, eachOperand}},
			{words: "*", does: act{effect.KillProcess, effect.ByName, eachOperand}},
			{given: "u= U= user=", does: act{effect.KillProcess, effect.Everything, "$=u,U,user"}},
			{bare: true, does: act{effect.KillProcess, effect.ByName, ""}},
		},
	},
	{programs: "pgrep pidof ps lsof fuser", options: "u U g t P o C p i", do: processList},
	{programs: "java", do: func(sh *shell.Shell, c shell.Command, _ shell.Options) {
		if o := shell.ParseOptions(c.Args, "jar cp classpath"); len(o.All("jar")) > 0 {
			jar := strings.TrimSuffix(o.All("jar")[0], ".jar")
			sh.Exec(append([]string{jar}, lex.After(c.Args, "-jar", 2)...), c.In)
			return
		}
		runsSourceFile(sh, c, shell.Options{})
	}},
}

// killPids reports the processes that kill names. In its grammar "-9" is a signal and "-1" may
// be every process, so no row describes it.
func killPids(sh *shell.Shell, c shell.Command, _ shell.Options) {
	args := c.Args
	switch first := lex.First(args); {
	case lex.OneOf(first, "-l -L -0"), first == "-s" && slices.Index(args, "0") == 1:
		return
	case lex.OneOf(first, "-s -n"):
		args = args[min(2, len(args)):]
	case len(first) > 1 && first[0] == '-' && (first != "-1" || len(args) > 1):
		args = args[1:]
	}
	for _, a := range args {
		switch {
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
		if o.Given("k") {
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
