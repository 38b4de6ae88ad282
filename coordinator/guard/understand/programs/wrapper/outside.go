package wrapper

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell/expand"
)

// OutsidePrograms have a program of the person run a command: the server of a terminal or of an editor, a
// window manager, a service manager. See shell.Outside.
var OutsidePrograms = []rows.Table{
	{Programs: "screen", Options: "S p t T c e h s", Leads: true, Rows: []rows.Row{
		{Args: "-X", Mention: "stuff exec readreg paste shell bind eval source process colon", As: &typesIntoIt},
		{Args: "-X", Words: "at|idle|zombie", As: &typesIntoIt},
		{Args: "-X", Mention: "quit kill", Does: effect.KillProcess, Op: effect.Terminal, To: rows.ProgramName},
		{Args: "-X", Words: "screen", Also: screenWindow},
		{Args: "-X"},
		{Runs: &rows.Start{Words: rows.OperandsFrom(0)}},
	}},
	{
		Programs: "tmux byobu", Options: "L S f T c!", Leads: true, Do: tmux,
		Rows: []rows.Row{{Given: "C", As: &typesIntoIt}}, // commands come from the standard input
	},
	{Programs: "zellij", Options: "s session l layout c config", Leads: true, Do: zellij, Rows: []rows.Row{
		{Given: "l layout", As: &typesIntoIt},
		{Words: "action|ac", Args: "--layout|-l|write|write-chars|launch-plugin", As: &typesIntoIt},
	}},
	{Programs: "kitty kitten wezterm ghostty alacritty foot footclient xterm urxvt urxvtc rxvt konsole gnome-terminal " +
		"xfce4-terminal mate-terminal lxterminal terminator tilix ptyxis kgx x-terminal-emulator guake", Do: terminal},
	{Programs: "emacsclient", Options: "s f a d F T", Rows: []rows.Row{{Given: "e eval", As: &typesIntoIt}}},
	{Programs: "busctl gdbus dbus-send qdbus qdbus6", Rows: []rows.Row{
		{Mention: "starttransientunit startunit restartunit", Does: effect.Persist, OpOf: rows.ProgramName},
		{Mention: "runcommand sendtext", As: &typesIntoIt},
	}},
	{Programs: "i3-msg swaymsg hyprctl riverctl niri herbstclient qtile awesome-client", Rows: []rows.Row{
		{Mention: "exec spawn", As: &typesIntoIt},
		{Of: "awesome-client", As: &typesIntoIt},
	}},
	{
		Programs: "systemd-run",
		Options: "u unit p property M machine H host E setenv description slice service-type uid gid nice " +
			"working-directory on-active on-boot on-startup on-unit-active on-unit-inactive on-calendar timer-property " +
			"path-property socket-property background",
		Leads: true,
		Do:    systemdRun,
	},
	{
		Programs: "flatpak-spawn host-spawn distrobox-host-exec", Options: "directory env unset-env forward-fd",
		Leads: true, Do: startOutside,
	},
	{
		Programs: "run0", Options: "u user g group D chdir setenv nice slice unit description property background",
		Leads: true,
		Rows:  []rows.Row{{Does: effect.RunElevated, Op: effect.Pkexec, To: rows.OperandsFrom(0), Also: startOutside}},
	},
}

// typesIntoIt is the effect of a command that another program carries out as if a person had typed it.
var typesIntoIt = rows.Act{Kind: effect.TypeInto, To: rows.ProgramName}

// startOutside has a program of the person run the operands.
func startOutside(sh *shell.Shell, c shell.Command, o argv.Options) { sh.Outside().Exec(o.Pos, c.In) }

// screenWindow runs a command in a new window of a screen that runs already.
func screenWindow(sh *shell.Shell, c shell.Command, o argv.Options) {
	_, words := argv.Leading(lex.After(c.Args, "screen", 1), "t T h e s S")
	sh.Outside().Exec(words, c.In)
}

// systemdRun has the service manager run a command, in the home unless an option says where.
func systemdRun(sh *shell.Shell, c shell.Command, o argv.Options) {
	if o.Given("scope") { // systemd-run itself becomes the command
		rows.RunOperands(sh, c, o)
		return
	}
	if o.Given("on-boot= on-calendar= on-startup= on-unit-active= on-unit-inactive=") {
		sh.Effect(effect.Persist, effect.Named("timer"), c.Name)
	}
	child := sh.Outside()
	setOutside(child, o.All("E", "setenv"))
	for _, property := range o.All("p", "property") {
		if name, code, _ := strings.Cut(property, "="); strings.HasPrefix(name, "Exec") {
			child.RunText(strings.TrimLeft(code, "@-:+!|"))
		}
	}
	words := slices.Clone(o.Pos)
	if strings.Contains(lex.First(words), "/") {
		words[0] = sh.Path(words[0])
	}
	if !o.Given("d same-dir") {
		child.Place.Cwd = child.HomeText()
	}
	child = rows.InFolder(child, o, "working-directory")
	child.Exec(words, c.In)
}

// setOutside sets the variables of a command that runs outside.
func setOutside(child *shell.Shell, variables []string) {
	for _, text := range variables {
		name, value, _ := strings.Cut(text, "=")
		child.Assign(name, expand.Value{value})
		child.RunVariable(name)
	}
}

// Commands of tmux, and the other names of some. tmux takes the beginning of a name, too.
const (
	tmuxTypes = "bind-key command-prompt confirm-before display-menu paste-buffer send-keys send-prefix" +
		" set-environment set-hook source-file"
	tmuxStarts = "display-popup new-session new-window pipe-pane respawn-pane respawn-window run-shell split-window"
	tmuxOther  = "if-shell set-option set-window-option kill-session kill-server"
	tmuxNames  = "send=send-keys pasteb=paste-buffer bind=bind-key source=source-file setenv=set-environment " +
		"confirm=confirm-before menu=display-menu new=new-session neww=new-window splitw=split-window " +
		"respawnp=respawn-pane respawnw=respawn-window run=run-shell popup=display-popup pipep=pipe-pane if=if-shell " +
		"set=set-option setw=set-window-option display=display-message"
)

// tmuxSettings are the options of tmux whose values are commands.
const tmuxSettings = "default-command default-shell default-client-command lock-command copy-command editor " +
	"command-alias"

// tmuxVerb returns the whole name of a command of tmux, or the word itself.
func tmuxVerb(word string) string {
	if word == "" {
		return ""
	}
	for pair := range strings.FieldsSeq(tmuxNames) {
		if name, whole, _ := strings.Cut(pair, "="); name == word {
			return whole
		}
	}
	for name := range strings.FieldsSeq(tmuxTypes + " " + tmuxStarts + " " + tmuxOther) {
		if len(word) > 2 && strings.HasPrefix(name, word) {
			return name
		}
	}
	return word
}

// tmux reports text that is typed into another terminal, and runs a command in a new one.
func tmux(sh *shell.Shell, c shell.Command, o argv.Options) {
	rest := o.Pos
	next := slices.IndexFunc(rest, func(a string) bool { return strings.HasSuffix(a, ";") })
	if next >= 0 { // tmux takes several commands at once
		sh.Exec(append([]string{c.Name}, rest[next+1:]...), nil)
		last := strings.TrimSuffix(strings.TrimSuffix(rest[next], ";"), `\`)
		rest = append(slices.Clone(rest[:next]), last)
	}
	if len(rest) == 0 {
		return
	}
	runFormats(sh, rest)
	args := rest[1:]
	switch verb := tmuxVerb(rest[0]); {
	case lex.OneOf(verb, tmuxTypes):
		typesIntoIt.Report(sh, c, o)
	case lex.OneOf(verb, tmuxStarts):
		tmuxStart(sh, c, verb, args)
	case lex.OneOf(verb, "set-option set-window-option") && slices.ContainsFunc(args, setsCommand):
		typesIntoIt.Report(sh, c, o) // the person's next key or window runs it
	case strings.HasPrefix(verb, "choose-") && slices.ContainsFunc(args, setsCommand):
		typesIntoIt.Report(sh, c, o)
	case verb == "if-shell":
		tmuxChoice(sh, c.Name, args)
	case verb == "kill-session" && rows.IsMade(sh, c.Name, argv.ParseOptions(args, "t").All("t")):
	case lex.OneOf(verb, "kill-server kill-session"):
		sh.Effect(effect.KillProcess, effect.Terminal, c.Name)
	}
}

// setsCommand reports whether a word of set-option names an option whose value is a command, or is a command of
// tmux with arguments, as for a hook.
func setsCommand(word string) bool {
	words := strings.Fields(word)
	if len(words) > 1 {
		return lex.OneOf(tmuxVerb(words[0]), tmuxTypes+" "+tmuxStarts+" if-shell")
	}
	word, _, _ = strings.Cut(word, "[")
	return len(word) > 3 && slices.ContainsFunc(strings.Fields(tmuxSettings), func(name string) bool {
		return strings.HasPrefix(name, word)
	})
}

// tmuxStart runs the command of a new pane, or one without a pane.
func tmuxStart(sh *shell.Shell, c shell.Command, verb string, args []string) {
	options, folder := "s n t c x y F e l p w", "c"
	switch verb {
	case "display-popup":
		options, folder = "b c d e h s S t T w x y", "d"
	case "run-shell":
		options = "c d t"
	}
	own, words := argv.Leading(args, options)
	name, _ := own.Get("s")
	sh.Makes(c.Name, name)
	if verb == "run-shell" && own.Given("C") {
		tmuxText(sh, c.Name, lex.First(words))
		return
	}
	child := rows.InFolder(sh.Outside(), own, folder)
	setOutside(child, own.All("e"))
	rows.RunOneOrAll(child, words, c.In)
}

// runFormats runs the shell commands in the formats among some words: "#(date)".
func runFormats(sh *shell.Shell, words []string) {
	for _, word := range words {
		for {
			_, rest, ok := strings.Cut(word, "#(")
			if !ok {
				break
			}
			code := rest
			if end := strings.LastIndexByte(rest, ')'); end >= 0 {
				code = rest[:end]
			}
			sh.Outside().RunText(code)
			word = rest
		}
	}
}

// tmuxText runs a command of tmux that stands in a text.
func tmuxText(sh *shell.Shell, name, text string) {
	if partial.HasHole(text) {
		sh.Effect(effect.TypeInto, "", name)
	}
	if sh.SpendSource(text) {
		sh.Exec(append([]string{name}, expand.QuotedFields(text)...), nil)
	}
}

// tmuxChoice runs the condition of if-shell and both of its commands.
func tmuxChoice(sh *shell.Shell, name string, args []string) {
	o, inner := argv.Leading(args, "t")
	for i, text := range inner {
		if i == 0 && !o.Given("F") {
			sh.Outside().RunText(text)
		} else if i > 0 {
			tmuxText(sh, name, text)
		}
	}
}

// zellij runs a command in a new pane.
func zellij(sh *shell.Shell, c shell.Command, o argv.Options) {
	words := o.Pos
	if lex.OneOf(lex.First(words), "action ac") {
		words = words[1:]
	}
	switch lex.First(words) {
	case "run", "r", "new-pane":
		_, words = argv.Leading(words[1:], "n name cwd d direction x y width height plugin")
		sh.Outside().Exec(words, c.In)
	case "kill-session", "kill-all-sessions", "delete-session":
		sh.Effect(effect.KillProcess, effect.Terminal, c.Name)
	}
}

// startsItself are the terminals whose window is a child of the command that opens it.
const startsItself = "xterm urxvt rxvt foot"

// terminal runs a command in a new window, or reports what another terminal does as if it were typed.
func terminal(sh *shell.Shell, c shell.Command, _ argv.Options) {
	if lex.ContainsAny(c.Args, "send-text send-key send_text load-config action remote-control") {
		sh.Effect(effect.TypeInto, "", c.Name)
		return
	}
	if !lex.OneOf(c.Name, startsItself) {
		sh = sh.Outside()
	}
	for i, a := range c.Args {
		if flag, code, ok := strings.Cut(a, "="); ok && lex.OneOf(flag, "--command --execute") {
			sh.RunText(code)
			return
		}
		if lex.OneOf(a, "-- --command --execute -e -x launch new-window run spawn split-pane start") {
			child, inner := windowCommand(sh, c.Args[i+1:])
			rows.RunOneOrAll(child, inner, c.In)
			return
		}
	}
	child, inner := windowCommand(sh, c.Args)
	child.Exec(inner, c.In)
}

// windowOptions are the options with a value of the commands that open a window.
const windowOptions = "cwd type title tab-title os-window-title window-title env location next-to match m " +
	"source-window var os-window-class os-window-name logo color spacing marker pane-id window-id workspace class " +
	"domain-name position percent cells to t geometry working-directory profile T tab-with-profile o override config"

// windowCommand returns what a window runs, and a shell in its folder.
func windowCommand(sh *shell.Shell, args []string) (*shell.Shell, []string) {
	o, words := argv.Leading(args, windowOptions)
	child := sh.Sub()
	for _, dir := range o.All("cwd", "working-directory") {
		if dir != "current" {
			child.Place.Cwd = child.Path(dir)
		}
	}
	setOutside(child, o.All("env"))
	return child, words
}
