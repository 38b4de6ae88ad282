package machine

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/protected"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/recipes"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/script"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// ProcessTables are the programs that find, end, enter and limit processes.
var ProcessTables = []rows.Table{
	{Programs: "kill", Do: killPids},
	{Programs: "killall pkill skill xkill taskkill killall5", Do: killNamed},
	{Programs: processLists, Options: "u U g t P o C p i", Do: processList, Rows: []rows.Row{
		{Of: "fuser", Given: "k kill", Also: reportKilledUsers},
	}},
	{
		Programs: "prlimit", Leads: true,
		Options: "p pid o output c? core? d? data? e? nice? f? fsize? i? sigpending? l? memlock? m? rss? n? nofile? " +
			"q? msgqueue? r? rtprio? s? stack? t? cpu? u? nproc? v? as? x? locks? y? rttime?",
		Rows: []rows.Row{
			{Given: "p= pid=", Also: reportLimits},
			{Also: rows.RunOperands},
		},
	},
	{Programs: "gdb", Options: "- p pid x command ex iex eval-command init-eval-command args.", Do: debugger},
	{Programs: "lldb", Options: "p attach-pid n attach-name s source o one-line O one-line-before-file", Do: debugger},
	{Programs: "strace ltrace dtruss valgrind", Options: "e o p attach s u E", Leads: true, Rows: []rows.Row{
		{Given: "p= attach=", As: &entersBy},
		{Also: rows.RunOperands},
	}},
	{Programs: "gcore pyrasite memfetch", Options: "o", Rows: []rows.Row{{As: &entersNamed}}},
	{
		Programs: "dlv rr", Rows: []rows.Row{{Words: "attach *",
			Does: effect.KillProcess, Op: effect.Inside, To: rows.Each{rows.OperandsFrom(1)}}},
	},
	{Programs: "gdbserver", Rows: []rows.Row{
		{Args: "--attach", Does: effect.KillProcess, Op: effect.Inside, To: rows.LastOperand},
		{Runs: &rows.Start{Words: rows.OperandsFrom(1)}},
	}},
	{Programs: "pdb debugpy", Options: "p pid c listen connect log-to", Leads: true, Rows: []rows.Row{
		{Given: "p= pid=", As: &entersBy},
	}},
	{Programs: "frida frida-trace uftrace radare2 r2", Options: "p pid P n attach-name d", Rows: []rows.Row{
		{Given: "p= pid= P= n= attach-name=", As: &entersBy},
		{Of: "radare2 r2", Given: "d=", As: &entersBy},
	}},
	{Programs: "py-spy", Options: "p pid", Rows: []rows.Row{{Words: "inject", Given: "p= pid=", As: &entersBy}}},
	{Programs: "criu", Options: "t tree", Rows: []rows.Row{{Given: "t= tree=", As: &entersBy}}},
}

// processLists are programs that show processes. What they print begins with the mark of a list.
const processLists = "atop fuser htop lsof netstat pgrep pidof ps pstree ss top"

// These acts reach into the processes that options or operands name.
var (
	entersBy = rows.Act{
		Kind: effect.KillProcess, Op: effect.Inside,
		To: rows.Each{rows.ValueOf("p pid attach attach-pid n attach-name P d t tree")},
	}
	entersNamed = rows.Act{Kind: effect.KillProcess, Op: effect.Inside, To: rows.Each{rows.OperandsFrom(0)}}
)

// killPids reports the processes that kill names. In its grammar "-9" is a signal and "-1" may
// be every process, so no row describes it.
func killPids(sh *shell.Shell, c shell.Command, _ argv.Options) {
	args := c.Args
	switch first := lex.First(args); {
	case lex.OneOf(first, "-l -L -0"), first == "-s" && slices.Index(args, "0") == 1:
		return
	case lex.OneOf(first, "-s -n"):
		args = args[min(2, len(args)):]
	case first == "-1" && len(args) == 1: // every process
	case len(first) > 1 && first[0] == '-':
		args = args[1:]
	}
	for _, a := range args {
		found, isFound := strings.CutPrefix(a, shell.FoundMark)
		switch {
		case a == "", a == "--":
		case lex.OneOf(a, "-1 1 0"):
			sh.Effect(effect.KillProcess, effect.Everything, a)
		case !lex.IsNumber(a) && a != shell.OwnChild && sh.Eval.SeeksAfar:
			sh.Effect(effect.KillProcess, effect.Found, "pid:afar")
		case isFound && a != shell.OwnChild && !strings.HasPrefix(found, "0"), strings.ContainsAny(a, "*?["):
			sh.Effect(effect.KillProcess, effect.Found, a)
		default:
			sh.Effect(effect.KillProcess, effect.ByPID, a)
		}
	}
}

// namedKills are the programs that end processes by their names. A signal is read before their options.
var namedKills = rows.Table{
	Options: "u U g G s t P signal user group parent terminal", Dry: "l list V",
	Rows: []rows.Row{
		{Of: "killall5", Does: effect.KillProcess, Op: effect.Everything, To: rows.OperandsFrom(0)},
		{
			Of: "pkill", Words: "*", Given: "f", Does: effect.KillProcess, Op: effect.ByPattern,
			To: rows.Each{rows.OperandsFrom(0)},
		},
		{Words: "*", Does: effect.KillProcess, Op: effect.ByName, To: rows.Each{rows.OperandsFrom(0)}},
		{Given: "u= U= user=", Does: effect.KillProcess, Op: effect.Everything, To: rows.ValueOf("u U user")},
		{Bare: true, Does: effect.KillProcess, Op: effect.ByName},
	},
}

// killNamed reports the processes that programs such as pkill name.
func killNamed(sh *shell.Shell, c shell.Command, _ argv.Options) {
	if lex.First(c.Args) == "-0" {
		return
	}
	c.Args = slices.DeleteFunc(slices.Clone(c.Args), func(a string) bool {
		letters, ok := strings.CutPrefix(a, "-")
		return ok && (lex.IsNumber(letters) || len(letters) > 2 && letters == strings.ToUpper(letters))
	})
	namedKills.Run(sh, c, false)
}

// reportKilledUsers reports the processes that use a file or a port.
func reportKilledUsers(sh *shell.Shell, _ shell.Command, o argv.Options) {
	target := strings.Join(o.Pos, " ")
	if sh.Eval.SeeksAfar {
		target = "afar " + target
	}
	sh.Effect(effect.KillProcess, effect.ByFile, target)
}

// processList prints a mark with the names that it looks for, so that "kill $(pgrep x)" names x.
func processList(sh *shell.Shell, c shell.Command, o argv.Options) {
	names, isPS := o.Get("C")
	switch {
	case sh.Out == nil:
	case lex.OneOf(c.Name, "pgrep pidof"):
		sh.Print(shell.FoundMark + strings.Join(o.Pos, ",") + "\n")
	case c.Name == "ps" && isPS:
		sh.Print(shell.FoundMark + names + "\n")
	case c.Name == "ps":
		sh.Print(shell.FoundMark + partial.Unknown + "\n")
	default:
		sh.Print(shell.AList)
	}
}

// ReportSearch remembers that a command looks for the processes of Afar: what it reads or shows is a list
// of processes, and it names one of Afar's, a file of Afar or the port of its page.
func ReportSearch(sh *shell.Shell, c shell.Command) {
	lists := lex.OneOf(c.Name, processLists) || c.In != nil && strings.Contains(*c.In, shell.FoundMark)
	for _, a := range c.Args {
		if strings.Contains(a, "/proc") && !strings.Contains(a, "/proc/self") {
			lists = true
			if lex.OneOf(c.Name, rows.NamesFiles) {
				sh.Print(shell.AList)
			}
		}
		lists = lists || strings.HasPrefix(a, shell.FoundMark)
	}
	if lists && slices.ContainsFunc(c.Args, func(a string) bool { return namesAfar(sh, a) }) {
		sh.Eval.SeeksAfar = true
	}
}

// namesAfar reports whether a word names a process or a file of Afar, or the port of its page.
func namesAfar(sh *shell.Shell, word string) bool {
	numbers := strings.FieldsFunc(word, func(r rune) bool { return r < '0' || r > '9' })
	return protected.NamesProcess(word) || sh.IsOwn(sh.Path(word)) || sh.Eval.Site.Page.PortAlone(numbers)
}

// reportLimits reports limits that are set for another process.
func reportLimits(sh *shell.Shell, _ shell.Command, o argv.Options) {
	pid, _ := o.Get("p", "pid")
	for _, f := range o.Flags {
		if f.Given && !lex.OneOf(f.Name, "p pid o output") {
			sh.Effect(effect.KillProcess, effect.Limits, pid)
			return
		}
	}
}

// debugger runs the commands of a debugger and the program that it debugs, and reports the process that
// it enters.
func debugger(sh *shell.Shell, c shell.Command, o argv.Options) {
	entersBy.Report(sh, c, o)
	commands := o.All("ex", "iex", "eval-command", "init-eval-command", "o", "one-line", "O", "one-line-before-file")
	for _, text := range append(commands, rows.Stdin(c)...) {
		for _, code := range shell.SplitLines(text) {
			debuggerCommand(sh, code)
		}
	}
	for _, name := range o.All("x", "command", "source") {
		recipes.RunLines(sh, name, debuggerCommand)
	}
	if program := lex.After(c.Args, "--args", 1); len(program) > 0 {
		sh.Exec(program, c.In)
		return
	}
	for _, a := range o.From(1)[:max(0, len(o.Pos)-1-len(o.Behind))] {
		if lex.IsNumber(a) || strings.HasPrefix(a, shell.FoundMark) || partial.HasHole(a) {
			entersNamed.Report(sh, c, argv.Options{Pos: []string{a}})
		}
	}
}

// debuggerCommand runs one command of a debugger.
func debuggerCommand(sh *shell.Shell, code string) {
	verb, rest, _ := strings.Cut(code, " ")
	switch {
	case verb == "shell", verb == "!":
		sh.RunText(rest)
	case lex.OneOf(verb, "attach at"), strings.HasPrefix(code, "process attach"):
		sh.Effect(effect.KillProcess, effect.Inside, rest)
	default:
		script.Run(sh, code, "other")
	}
}
