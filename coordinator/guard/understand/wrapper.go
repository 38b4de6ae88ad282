package understand

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/powershell"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// wrapper describes a program that starts another one: which of its own flags take a
// value, and how many operands come before the inner command.
type wrapper struct {
	names  string
	values string // flags that consume an argument
	skip   int    // operands before the command
}

// wrappers are the programs that run their arguments as they are.
var wrappers = []wrapper{
	{names: "command builtin nohup setsid chronic unbuffer noglob nocorrect torsocks torify eatmydata catchsegv " +
		"firejail busybox toybox -"},
	{names: "exec", values: "a"},
	{names: "caffeinate", values: "t w"},
	{names: "rlwrap", values: "f H C s"},
	{names: "fakeroot", values: "l s i b"},
	{names: "pkexec", values: "user"},
	{names: "time gtime", values: "o f output format"},
	{names: "timeout gtimeout", values: "s k signal kill-after", skip: 1},
	{names: "nice gnice", values: "n adjustment"},
	{names: "ionice", values: "c n class classdata"},
	{names: "chrt taskset", values: "p T P D", skip: 1},
	{names: "cpulimit", values: "l p e"},
	{names: "stdbuf", values: "i o e input output error"},
	{names: "strace ltrace dtruss perf valgrind", values: "e o p s u E"},
	{names: "proxychains proxychains4", values: "f"},
	{names: "arch setarch linux32 linux64", values: "e d"},
	{names: "doas", values: "u C a"},
	{names: "choom", values: "n p adjust pid"},
	{names: "runuser setpriv sg", values: "u g G user group reuid regid"},
	{
		names:  "unshare nsenter bwrap systemd-run systemd-inhibit dbus-run-session xvfb-run",
		values: "t target u p unit property S wd setenv E description what who why mode uid gid",
	},
	{names: "chroot", values: "userspec groups", skip: 1},
	{names: "flock", values: "w E timeout conflict-exit-code", skip: 1},
	{names: "watch", values: "n interval d"},
	{names: "hyperfine", values: "w r m M warmup runs min-runs max-runs p prepare s setup c cleanup export-json " +
		"export-markdown i"},
}

// wrapperOf returns the wrapper that lists a name, or nil.
func wrapperOf(name string) *wrapper {
	for i := range wrappers {
		if lex.OneOf(name, wrappers[i].names) {
			return &wrappers[i]
		}
	}
	return nil
}

// wrapperPrograms are the programs of this file, with what each does.
var wrapperPrograms = []named{
	{names: "sudo sudoedit", do: sudo},
	{names: "env genv", do: environment},
	{names: "su", do: switchUser},
	{names: "xargs gxargs", do: xargs},
	{names: "parallel rush", do: parallel},
	{names: "find gfind bfs", do: find},
	{names: "fd fdfind", do: fd},
	{names: "eval", do: evaluate},
	{names: "source .", do: sourceFile},
	{names: "trap", do: trap},
	{names: "ssh mosh autossh sshpass dbclient plink", do: ssh},
	{names: "script", do: scriptProgram},
	{names: "at batch crontab", do: reportScheduled},
	{names: "poetry pipenv uv rye pdm hatch bundle conda mamba micromamba direnv dotenv dotenvx " +
		"aws-vault chamber infisical doppler op envchain mise asdf rbenv pyenv nodenv volta " +
		"devbox teller summon sops nix nix-shell lerna", do: runner},
	{names: "tmux screen zellij byobu", do: multiplexer},
	{names: "osascript", do: appleScript},
	{names: "xdotool ydotool wtype dotool cliclick", do: func(sh *shell.Shell, c shell.Command) {
		if !lex.OneOf(lex.First(c.Args), "search getactivewindow getmouselocation help version") {
			sh.Effect(effect.TypeInto, "", c.Name)
		}
	}},
	{names: "kitty kitten wezterm ghostty alacritty foot xterm urxvt rxvt konsole gnome-terminal " +
		"xfce4-terminal mate-terminal lxterminal terminator tilix ptyxis kgx x-terminal-emulator", do: terminal},
	{names: "expect", do: expect},
	{names: "capsh", do: func(sh *shell.Shell, c shell.Command) {
		sh.Exec(append([]string{"bash"}, lex.After(c.Args, "--", 1)...), c.In)
	}},
	{names: "powershell pwsh cmd", do: powershell.Program},
	{names: "wsl distrobox toolbox multipass limactl vagrant adb lxc incus", do: otherMachine},
	{names: "watchexec entr nodemon reflex when-changed concurrently chokidar", do: watcher},
}

// run runs the command that a wrapper starts.
func (w wrapper) run(sh *shell.Shell, c shell.Command) {
	o, rest := shell.Leading(c.Args, w.values)
	if lex.OneOf(c.Name, "flock sg runuser") {
		if code, ok := flagText(o, rest, "c", "command"); ok {
			sh.RunText(code)
			return
		}
	}
	rest = rest[min(w.skip, len(rest)):]
	if lex.OneOf(c.Name, "perf") && len(rest) > 0 {
		rest = rest[1:]
	}
	if c.Name == "command" && o.Exact("v", "V") && !o.Exact("p") {
		printLocation(sh, shell.Command{Args: rest})
		return
	}
	for len(rest) > 1 && strings.Contains(rest[0], "=") && lex.OneOf(c.Name, "firejail doas systemd-run") {
		rest = rest[1:]
	}
	switch c.Name {
	case "watch", "hyperfine":
		sh.RunText(strings.Join(rest, " "))
		return
	case "doas":
		sh.Effect(effect.RunElevated, effect.Doas, strings.Join(rest, " "))
	case "pkexec":
		sh.Effect(effect.RunElevated, effect.Pkexec, strings.Join(rest, " "))
	case "runuser":
		sh.Effect(effect.RunElevated, effect.Runuser, strings.Join(rest, " "))
	}
	sh.Exec(rest, c.In)
}

// flagText returns the text of an option such as -c, before or after the first operand.
func flagText(o shell.Options, rest []string, names ...string) (string, bool) {
	for i, a := range rest {
		for _, n := range names {
			if (a == "-"+n || a == "--"+n) && i+1 < len(rest) {
				return rest[i+1], true
			}
		}
	}
	if v, ok := o.Get(names...); ok {
		return v, true
	}
	if o.Exact(names...) && len(rest) > 0 {
		return rest[0], true
	}
	return "", false
}

// sudo runs a command as another user, and reports that.
func sudo(sh *shell.Shell, c shell.Command) {
	o, rest := shell.Leading(c.Args, "u g h p C c r t T U D R user group host prompt chdir chroot close-from "+
		"role type other-user")
	child := sh.Sub()
	if dir, ok := o.Get("D", "chdir"); ok {
		child.Place.Cwd = sh.Path(dir)
	}
	for len(rest) > 0 && strings.Contains(rest[0], "=") && !strings.HasPrefix(rest[0], "-") {
		name, text, _ := strings.Cut(rest[0], "=")
		child.Assign(name, shell.Value{text})
		rest = rest[1:]
	}
	if o.Exact("e", "edit") || c.Name == "sudoedit" {
		for _, f := range rest {
			child.Write(f)
		}
		return
	}
	if len(rest) == 0 && o.Exact("l", "list", "v", "validate", "k", "K", "V", "version", "reset-timestamp") {
		return
	}
	sh.Effect(effect.RunElevated, effect.Sudo, strings.Join(rest, " "))
	if len(rest) == 0 && c.In != nil {
		child.RunText(*c.In)
	}
	child.Exec(rest, c.In)
}

// environment runs the command of env with its variables, or prints the environment.
func environment(sh *shell.Shell, c shell.Command) {
	if text, ok := splitString(c.Args); ok {
		sh.Sub().Run(text, c.In)
		return
	}
	o, rest := shell.Leading(c.Args, "u C P unset chdir")
	child := sh.Sub()
	if dir, ok := o.Get("C", "chdir"); ok {
		child.Place.Cwd = sh.Path(dir)
	}
	if len(rest) > 0 && rest[0] == "-" {
		rest = rest[1:]
	}
	for len(rest) > 0 && strings.Contains(rest[0], "=") {
		name, text, _ := strings.Cut(rest[0], "=")
		child.Assign(name, shell.Value{text})
		rest = rest[1:]
	}
	if len(rest) == 0 {
		dumpEnv(sh, shell.Command{Name: "env"})
		return
	}
	child.Exec(rest, c.In)
}

// splitString returns the command line that "env -S text args" runs. The text is
// split into words, but the arguments after it are not.
func splitString(args []string) (string, bool) {
	for i := 0; i < len(args); i++ {
		text, attached, ok := splitOption(args[i])
		rest := args[i+1:]
		switch {
		case ok && !attached && len(rest) > 0:
			text, rest = rest[0], rest[1:]
			fallthrough
		case ok && attached:
			return "env " + strings.ReplaceAll(text, `\_`, " ") + " " + shell.QuoteAll(rest), true
		case lex.OneOf(args[i], "-u -C -P --unset --chdir"):
			i++
		case !strings.HasPrefix(args[i], "-") && !strings.Contains(args[i], "="):
			return "", false
		}
	}
	return "", false
}

// splitOption reads the option of env that splits a text: -S, -iS or --split-string.
// The text may be attached to it.
func splitOption(a string) (text string, attached, ok bool) {
	name, text, attached := strings.Cut(a, "=")
	if len(name) > len("--s") && strings.HasPrefix("--split-string", name) {
		return text, attached, true
	}
	if !strings.HasPrefix(a, "-") || strings.HasPrefix(a, "--") {
		return "", false, false
	}
	before, text, ok := strings.Cut(a[1:], "S")
	return text, text != "", ok && strings.Trim(before, "i0v") == ""
}

// switchUser runs the command of su, and reports the change of user.
func switchUser(sh *shell.Shell, c shell.Command) {
	if lex.ContainsAny(c.Args, "--help --version") {
		return
	}
	sh.Effect(effect.RunElevated, effect.SwitchUser, "")
	o := shell.ParseOptions(c.Args, "c s g G command shell group")
	if code, ok := o.Get("c", "command"); ok {
		sh.RunText(code)
		return
	}
	if c.In != nil {
		sh.RunText(*c.In)
	}
}

// xargs runs its command with the items of standard input or a file.
func xargs(sh *shell.Shell, c shell.Command) {
	o, rest := shell.Leading(c.Args, "a d E I J L n P R s S arg-file delimiter eof max-lines max-args max-procs "+
		"max-chars process-slot-var")
	if len(rest) == 0 {
		sh.Print(partial.Unknown)
		return
	}
	items := []string{partial.Unknown}
	if f, ok := o.Get("a", "arg-file"); ok {
		text := sh.Read(f)
		c.In = &text
	}
	if c.In != nil && *c.In != "" {
		items = shell.QuotedFields(*c.In)
	}
	marker := replaceMarker(o)
	if takesScript(rest, marker) {
		sh.Effect(effect.RunUnknown, effect.Unseen, "")
	}
	if marker == "" {
		sh.Exec(append(append([]string{}, rest...), items...), nil)
		return
	}
	lines := items
	if c.In != nil && len(items) > 0 && items[0] != partial.Unknown {
		lines = shell.SplitLines(*c.In)
	}
	found := strings.Contains(strings.Join(rest, " "), marker)
	for _, item := range lines {
		argv := replaceAll(rest, marker, item)
		if !found {
			argv = append(argv, item)
		}
		sh.Exec(argv, nil)
	}
}

// takesScript reports whether "sh -c" gets its script from the data itself. Systems
// differ in where one item ends and the next begins, so such a script is unknown.
func takesScript(argv []string, marker string) bool {
	for i, a := range argv {
		if lex.IsShellName(lex.ProgramName(a)) {
			for _, flag := range argv[i+1:] {
				if flag == marker {
					return marker != ""
				}
				if !strings.HasPrefix(flag, "-") {
					return false
				}
			}
			return len(argv) > i+1 && lex.IsClusterWith(argv[len(argv)-1], 'c')
		}
	}
	return false
}

// replaceMarker returns the text that xargs replaces with an item, or "".
func replaceMarker(o shell.Options) string {
	if v, ok := o.Get("I", "J"); ok {
		return v
	}
	for _, f := range o.Flags {
		if lex.OneOf(f.Name, "replace i") {
			if f.Given && f.Value != "" {
				return f.Value
			}
			return "{}"
		}
	}
	return ""
}

// replaceAll returns the words with each marker replaced.
func replaceAll(words []string, marker, text string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = shell.Glue(strings.ReplaceAll(w, marker, text), "")
	}
	return out
}

// parallel runs its template once for each item.
func parallel(sh *shell.Shell, c shell.Command) {
	o, rest := shell.Leading(c.Args, "j jobs S sshlogin a arg-file results joblog d delimiter C colsep I n N L X "+
		"timeout retries delay tmpdir tempdir")
	var argv, items []string
	sources := false
	for _, a := range rest {
		switch {
		case strings.HasPrefix(a, ":::"):
			sources = true
		case sources:
			items = append(items, a)
		default:
			argv = append(argv, a)
		}
	}
	child := sh.Sub()
	if _, ok := o.Get("S", "sshlogin"); ok {
		child.Place = shell.RemotePlace()
	}
	if !sources {
		items = []string{partial.Unknown}
		if c.In != nil {
			items = shell.SplitLines(*c.In)
		}
	}
	for _, item := range items {
		if !sh.Spend(len(argv)) {
			return
		}
		parallelOne(child, argv, item)
	}
}

// parallelOne runs the template for one item. GNU parallel joins the template into
// one text, inserts the quoted item, and passes the text to a shell.
func parallelOne(sh *shell.Shell, argv []string, item string) {
	if len(argv) == 0 {
		sh.RunText(item)
		return
	}
	joined, quoted := strings.Join(argv, " "), shell.QuoteAll([]string{item})
	if takesScript(argv, "{}") {
		sh.Effect(effect.RunUnknown, effect.Unseen, "")
	}
	if len(argv) > 1 {
		argv = slices.Clone(argv)
		for i, w := range argv[1:] {
			if strings.ContainsAny(w, " \t") {
				argv[i+1] = shell.QuoteAll([]string{w})
			}
		}
		joined = strings.Join(argv, " ")
	}
	if !strings.Contains(joined, "{") {
		sh.RunText(joined + " " + quoted)
		return
	}
	for _, m := range [...]string{"{}", "{.}", "{/}", "{//}", "{1}", "{2}", "{3}"} {
		joined = shell.Glue(strings.ReplaceAll(joined, m, quoted), "")
	}
	sh.RunText(joined)
}

// evaluate runs the arguments of eval as shell code.
func evaluate(sh *shell.Shell, c shell.Command) {
	if len(c.Args) > 0 && c.Args[0] == "--" {
		c.Args = c.Args[1:]
	}
	sh.RunText(strings.Join(c.Args, " "))
}

// sourceFile runs the code of a sourced file if it is known.
func sourceFile(sh *shell.Shell, c shell.Command) {
	if len(c.Args) == 0 {
		return
	}
	if strings.HasPrefix(c.Args[0], "/dev/stdin") && c.In != nil {
		sh.RunText(*c.In)
		return
	}
	text, written := sh.Brought(c.Args[0])
	if written {
		sh.RunText(text)
		return
	}
	sh.Read(c.Args[0])
}

// trap runs the code of a trap.
func trap(sh *shell.Shell, c shell.Command) {
	if len(c.Args) > 1 && c.Args[0] != "-" {
		sh.Run(c.Args[0], nil)
	}
}

// scriptProgram runs the command that script(1) records.
func scriptProgram(sh *shell.Shell, c shell.Command) {
	o := shell.ParseOptions(c.Args, "c command I O B T t E")
	if code, ok := o.Get("c", "command"); ok {
		sh.RunText(code)
		return
	}
	if _, rest := shell.Leading(c.Args, "I O B T t E"); len(rest) > 1 {
		sh.Exec(rest[1:], c.In)
	}
}

// reportScheduled reports commands that at, batch or crontab store to run later.
func reportScheduled(sh *shell.Shell, c shell.Command) {
	o := shell.ParseOptions(c.Args, "u f q t")
	if c.Name == "crontab" {
		switch {
		case o.Exact("e"):
			sh.Effect(effect.Persist, effect.Crontab, "")
		case o.Exact("r"):
			sh.Effect(effect.Persist, effect.CrontabRemoved, "")
		case o.Exact("l"):
			sh.Print(partial.Unknown + "\n")
		case len(o.Pos) > 0 || c.In != nil:
			sh.Effect(effect.Persist, effect.Crontab, "")
			crontab(sh, c.In, o.At(0))
		}
		return
	}
	if o.Exact("l", "r", "d", "c", "V") {
		return
	}
	sh.Effect(effect.Persist, effect.Named(c.Name), strings.Join(o.Pos, " "))
	if c.In != nil {
		sh.RunText(*c.In)
	}
}

// crontab runs the commands of a table as far as they are known. Before each command
// come five time fields, or one field that begins with @.
func crontab(sh *shell.Shell, in *string, file string) {
	text := sh.Files[sh.Path(file)]
	if in != nil {
		text = *in
	}
	for _, line := range shell.SplitLines(text) {
		n := 5
		if strings.HasPrefix(line, "@") {
			n = 1
		}
		if f := strings.Fields(line); len(f) > n && line[0] != '#' && !partial.HasHole(f[0]) {
			sh.Run(strings.Join(f[n:], " "), nil)
		}
	}
}

// runner runs the command of a tool that takes a verb ("run", "exec") and a command.
func runner(sh *shell.Shell, c shell.Command) {
	if strings.HasPrefix(c.Name, "nix") && nix(sh, c) {
		return
	}
	if lex.OneOf(c.Name, "conda mamba micromamba") && environmentRemoved(sh, c) {
		return
	}
	verb := -1
	for i, a := range c.Args {
		if lex.OneOf(a, "run exec -- x") {
			verb = i
			break
		}
	}
	if verb < 0 {
		if lex.ContainsAny(c.Args, "publish") && !lex.ContainsAny(c.Args, "--dry-run") {
			sh.Effect(effect.PublishOut, effect.Named(c.Name), "registry")
		}
		if controls(c.Name) {
			remoteControl(sh, c)
		}
		return
	}
	for i := len(c.Args) - 1; i > verb; i-- {
		if c.Args[i] == "--" {
			verb = i
		}
	}
	_, rest := shell.Leading(c.Args[verb+1:], "p package with python group env-file e f file n name prefix "+
		"config c project env extra from")
	if code, ok := shell.ParseOptions(c.Args[verb+1:], "command p project c config").Get("command"); ok {
		sh.RunText(code)
	}
	if c.Name == "direnv" && len(rest) > 0 {
		rest = rest[1:]
	}
	if c.Name == "uv" && len(rest) > 0 && (rest[0] == "-" || strings.HasSuffix(rest[0], ".py")) {
		rest = append([]string{"python"}, rest...)
	}
	sh.Exec(rest, c.In)
}

// environmentRemoved reports an environment, or packages of one, that conda removes.
// It returns false for any other command.
func environmentRemoved(sh *shell.Shell, c shell.Command) bool {
	o := shell.ParseOptions(c.Args, "n name p prefix c channel f file solver")
	verb := o.At(0)
	if verb == "env" {
		verb = o.At(1)
	}
	if !lex.OneOf(verb, "remove uninstall") {
		return false
	}
	if !o.Short('d') && !o.Exact("dry-run") {
		sh.Effect(effect.RemovePackage, effect.Named(c.Name), strings.Join(o.Pos, " "))
	}
	return true
}

// nix runs a command in a shell of packages, or a package's program, and reports a
// removed package. It returns false for any other command.
func nix(sh *shell.Shell, c shell.Command) bool {
	for i, a := range c.Args {
		switch {
		case i+1 == len(c.Args):
		case a == "--run":
			sh.RunText(c.Args[i+1])
			return true
		case lex.OneOf(a, "--command -c") && lex.OneOf(lex.First(c.Args), "shell develop"):
			sh.Exec(c.Args[i+1:], c.In)
			return true
		case i == 0 && a == "profile" && c.Args[1] == "remove":
			sh.Effect(effect.RemovePackage, effect.Named(c.Name), strings.Join(c.Args[2:], " "))
			return true
		case a == "--" && lex.First(c.Args) == "run":
			_, program, _ := strings.Cut(c.Args[1], "#")
			sh.Exec(append([]string{program}, c.Args[i+1:]...), c.In)
			return true
		}
	}
	return false
}

// watcher runs the command that a tool starts when files change.
func watcher(sh *shell.Shell, c shell.Command) {
	o, rest := shell.Leading(c.Args, "w e f i o p x ext exts watch filter ignore exec n names c")
	if code, ok := o.Get("x", "exec"); ok {
		sh.RunText(code)
		return
	}
	if c.Name == "concurrently" {
		for _, code := range rest {
			sh.RunText(code)
		}
		return
	}
	oneOrAll(sh, rest, c.In)
}
