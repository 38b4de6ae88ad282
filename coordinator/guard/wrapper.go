package guard

import (
	"slices"
	"strings"
)

// wrapper describes a program that starts another: which of its own flags
// take a value, and how many operands stand before the inner command.
type wrapper struct {
	values string // flags that consume an argument
	skip   int    // operands before the command
}

// plainWrapper lists the programs that run their arguments as they are.
func plainWrapper(name string) (wrapper, bool) {
	switch name {
	case "command", "builtin", "nohup", "setsid", "chronic", "unbuffer", "noglob", "nocorrect", "torsocks", "torify", "eatmydata", "catchsegv", "firejail", "busybox", "toybox", "-":
		return wrapper{}, true
	case "exec":
		return wrapper{values: "a"}, true
	case "caffeinate":
		return wrapper{values: "t w"}, true
	case "rlwrap":
		return wrapper{values: "f H C s"}, true
	case "fakeroot":
		return wrapper{values: "l s i b"}, true
	case "pkexec":
		return wrapper{values: "user"}, true
	case "time", "gtime":
		return wrapper{values: "o f output format"}, true
	case "timeout", "gtimeout":
		return wrapper{values: "s k signal kill-after", skip: 1}, true
	case "nice", "gnice":
		return wrapper{values: "n adjustment"}, true
	case "ionice":
		return wrapper{values: "c n class classdata"}, true
	case "chrt", "taskset":
		return wrapper{values: "p T P D", skip: 1}, true
	case "cpulimit":
		return wrapper{values: "l p e"}, true
	case "stdbuf":
		return wrapper{values: "i o e input output error"}, true
	case "strace", "ltrace", "dtruss", "perf", "valgrind":
		return wrapper{values: "e o p s u E"}, true
	case "proxychains", "proxychains4":
		return wrapper{values: "f"}, true
	case "arch", "setarch", "linux32", "linux64":
		return wrapper{values: "e d"}, true
	case "doas":
		return wrapper{values: "u C a"}, true
	case "choom":
		return wrapper{values: "n p adjust pid"}, true
	case "runuser", "setpriv", "sg":
		return wrapper{values: "u g G user group reuid regid"}, true
	case "unshare", "nsenter", "bwrap", "systemd-run", "systemd-inhibit", "dbus-run-session", "xvfb-run":
		return wrapper{values: "t target u p unit property S wd setenv E description what who why mode uid gid"}, true
	case "chroot":
		return wrapper{values: "userspec groups", skip: 1}, true
	case "flock":
		return wrapper{values: "w E timeout conflict-exit-code", skip: 1}, true
	case "watch":
		return wrapper{values: "n interval d"}, true
	case "hyperfine":
		return wrapper{values: "w r m M warmup runs min-runs max-runs p prepare s setup c cleanup export-json export-markdown i"}, true
	}
	return wrapper{}, false
}

func wrapperRow(name string) row {
	if w, ok := plainWrapper(name); ok {
		return w.run
	}
	switch name {
	case "sudo", "sudoedit":
		return sudo
	case "env", "genv":
		return environment
	case "su":
		return switchUser
	case "xargs", "gxargs":
		return xargs
	case "parallel", "rush":
		return parallel
	case "find", "gfind", "bfs":
		return find
	case "fd", "fdfind":
		return fd
	case "eval":
		return evaluate
	case "source", ".":
		return sourceFile
	case "trap":
		return trap
	case "ssh", "mosh", "autossh", "sshpass", "dbclient", "plink":
		return ssh
	case "script":
		return scriptProgram
	case "at", "batch", "crontab":
		return later
	case "poetry", "pipenv", "uv", "rye", "pdm", "hatch", "bundle", "conda", "mamba", "micromamba", "direnv", "dotenv", "dotenvx",
		"aws-vault", "chamber", "infisical", "doppler", "op", "envchain", "mise", "asdf", "rbenv", "pyenv", "nodenv", "volta", "devbox", "teller", "summon", "sops", "nix", "nix-shell", "lerna":
		return runner
	case "tmux", "screen", "zellij", "byobu":
		return multiplexer
	case "osascript":
		return appleScript
	case "xdotool", "ydotool", "wtype", "dotool", "cliclick":
		return func(sh *shell, c command) {
			if !oneOf(first(c.args), "search getactivewindow getmouselocation help version") {
				sh.effect(TypeInto, "", c.name)
			}
		}
	case "kitty", "kitten", "wezterm", "ghostty", "alacritty", "foot", "xterm", "urxvt", "rxvt", "konsole", "gnome-terminal", "xfce4-terminal", "mate-terminal", "lxterminal", "terminator", "tilix", "ptyxis", "kgx", "x-terminal-emulator":
		return terminal
	case "expect":
		return expect
	case "capsh":
		return func(sh *shell, c command) { sh.exec(append([]string{"bash"}, after(c.args, "--", 1)...), c.in) }
	case "powershell", "pwsh", "cmd":
		return powershell
	case "wsl", "distrobox", "toolbox", "multipass", "limactl", "vagrant", "adb", "lxc", "incus":
		return otherMachine
	case "watchexec", "entr", "nodemon", "reflex", "when-changed", "concurrently", "chokidar":
		return watcher
	}
	return nil
}

func (w wrapper) run(sh *shell, c command) {
	o, rest := leading(c.args, w.values)
	if c.name == "flock" || c.name == "sg" || c.name == "runuser" {
		if code, ok := flagText(o, rest, "c", "command"); ok {
			sh.runText(code)
			return
		}
	}
	for w.skip > 0 && len(rest) > 0 {
		rest = rest[1:]
		w.skip--
	}
	if oneOf(c.name, "perf") && len(rest) > 0 {
		rest = rest[1:]
	}
	if c.name == "command" && o.exact("v", "V") && !o.exact("p") {
		located(sh, command{args: rest})
		return
	}
	for len(rest) > 1 && strings.Contains(rest[0], "=") && oneOf(c.name, "firejail doas systemd-run") {
		rest = rest[1:]
	}
	switch c.name {
	case "watch", "hyperfine":
		sh.runText(strings.Join(rest, " "))
		return
	case "doas", "pkexec", "runuser":
		sh.effect(RunElevated, c.name, strings.Join(rest, " "))
	}
	sh.exec(rest, c.in)
}

// flagText finds "-c text" before or after the first operand.
func flagText(o options, rest []string, names ...string) (string, bool) {
	for i, a := range rest {
		for _, n := range names {
			if (a == "-"+n || a == "--"+n) && i+1 < len(rest) {
				return rest[i+1], true
			}
		}
	}
	if v, ok := o.get(names...); ok {
		return v, true
	}
	if o.exact(names...) && len(rest) > 0 {
		return rest[0], true
	}
	return "", false
}

func sudo(sh *shell, c command) {
	o, rest := leading(c.args, "u g h p C c r t T U D R user group host prompt chdir chroot close-from role type other-user")
	child := sh.sub()
	if dir, ok := o.get("D", "chdir"); ok {
		child.place.cwd = sh.path(dir)
	}
	for len(rest) > 0 && strings.Contains(rest[0], "=") && !strings.HasPrefix(rest[0], "-") {
		name, text, _ := strings.Cut(rest[0], "=")
		child.assign(name, value{text})
		rest = rest[1:]
	}
	if o.exact("e", "edit") || c.name == "sudoedit" {
		for _, f := range rest {
			child.write(f)
		}
		return
	}
	if len(rest) == 0 && o.exact("l", "list", "v", "validate", "k", "K", "V", "version", "reset-timestamp") {
		return
	}
	sh.effect(RunElevated, "sudo", strings.Join(rest, " "))
	if len(rest) == 0 && c.in != nil {
		child.runText(*c.in)
	}
	child.exec(rest, c.in)
}

func environment(sh *shell, c command) {
	if text, ok := splitString(c.args); ok {
		sh.sub().run(text, c.in)
		return
	}
	o, rest := leading(c.args, "u C P unset chdir")
	child := sh.sub()
	if dir, ok := o.get("C", "chdir"); ok {
		child.place.cwd = sh.path(dir)
	}
	if len(rest) > 0 && rest[0] == "-" {
		rest = rest[1:]
	}
	for len(rest) > 0 && strings.Contains(rest[0], "=") {
		name, text, _ := strings.Cut(rest[0], "=")
		child.assign(name, value{text})
		rest = rest[1:]
	}
	if len(rest) == 0 {
		dumpEnv(sh, command{name: "env"})
		return
	}
	child.exec(rest, c.in)
}

// splitString is the command line of "env -S text args", for env itself: the text
// is split, the arguments behind it are not.
func splitString(args []string) (string, bool) {
	for i := 0; i < len(args); i++ {
		text, attached, ok := splitOption(args[i])
		rest := args[i+1:]
		switch {
		case ok && !attached && len(rest) > 0:
			text, rest = rest[0], rest[1:]
			fallthrough
		case ok && attached:
			return "env " + strings.ReplaceAll(text, `\_`, " ") + " " + quoteAll(rest), true
		case oneOf(args[i], "-u -C -P --unset --chdir"):
			i++
		case !strings.HasPrefix(args[i], "-") && !strings.Contains(args[i], "="):
			return "", false
		}
	}
	return "", false
}

// splitOption reads an option of env that splits a text, alone or behind others
// in one word: -S, -iS, --split-string. The text may be attached.
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

func switchUser(sh *shell, c command) {
	if containsAny(c.args, "--help --version") {
		return
	}
	sh.effect(RunElevated, "su", "")
	o := parseOptions(c.args, "c s g G command shell group")
	if code, ok := o.get("c", "command"); ok {
		sh.runText(code)
		return
	}
	if c.in != nil {
		sh.runText(*c.in)
	}
}

func xargs(sh *shell, c command) {
	o, rest := leading(c.args, "a d E I J L n P R s S arg-file delimiter eof max-lines max-args max-procs max-chars process-slot-var")
	if len(rest) == 0 {
		sh.print(unknown)
		return
	}
	items := []string{unknown}
	if f, ok := o.get("a", "arg-file"); ok {
		text := sh.read(f)
		c.in = &text
	}
	if c.in != nil && *c.in != "" {
		items = quotedFields(*c.in)
	}
	marker := replaceMarker(o)
	if takesScript(rest, marker) {
		sh.effect(RunUnknown, "unknown", "")
	}
	if marker == "" {
		sh.exec(append(append([]string{}, rest...), items...), nil)
		return
	}
	lines := items
	if c.in != nil && len(items) > 0 && items[0] != unknown {
		lines = splitLines(*c.in)
	}
	found := strings.Contains(strings.Join(rest, " "), marker)
	for _, item := range lines {
		argv := replaceAll(rest, marker, item)
		if !found {
			argv = append(argv, item)
		}
		sh.exec(argv, nil)
	}
}

// takesScript is true of "sh -c" that gets its very script from data: where one
// item ends and the next begins is not the same on all systems.
func takesScript(argv []string, marker string) bool {
	for i, a := range argv {
		if isShellName(programName(a)) {
			for _, flag := range argv[i+1:] {
				if flag == marker {
					return marker != ""
				}
				if !strings.HasPrefix(flag, "-") {
					return false
				}
			}
			return len(argv) > i+1 && isClusterWith(argv[len(argv)-1], 'c')
		}
	}
	return false
}

// quotedFields splits the way xargs does: at blanks, with quotes.
func quotedFields(s string) []string {
	var out []string
	var b strings.Builder
	var quote byte
	open := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			b.WriteByte(c)
		case c == '\'' || c == '"':
			quote, open = c, true
		case c == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		case c == ' ' || c == '\t' || c == '\n' || c == 0:
			if b.Len() > 0 || open {
				out = append(out, b.String())
				b.Reset()
				open = false
			}
		default:
			b.WriteByte(c)
		}
	}
	if b.Len() > 0 {
		out = append(out, b.String())
	}
	return out
}

func replaceMarker(o options) string {
	if v, ok := o.get("I", "J"); ok {
		return v
	}
	for _, f := range o.flags {
		if f.name == "replace" || f.name == "i" {
			if f.given && f.value != "" {
				return f.value
			}
			return "{}"
		}
	}
	return ""
}

func replaceAll(words []string, marker, text string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = glue(strings.ReplaceAll(w, marker, text), "")
	}
	return out
}

func parallel(sh *shell, c command) {
	o, rest := leading(c.args, "j jobs S sshlogin a arg-file results joblog d delimiter C colsep I n N L X timeout retries delay tmpdir tempdir")
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
	child := sh.sub()
	if _, ok := o.get("S", "sshlogin"); ok {
		child.place = remotePlace()
	}
	if !sources {
		items = []string{unknown}
		if c.in != nil {
			items = splitLines(*c.in)
		}
	}
	for _, item := range items {
		if !sh.spend(len(argv)) {
			return
		}
		child.parallelOne(argv, item)
	}
}

// parallelOne runs the template for one item. GNU parallel joins the template
// to one text, puts the item in quoted, and hands it to a shell.
func (sh *shell) parallelOne(argv []string, item string) {
	if len(argv) == 0 {
		sh.runText(item)
		return
	}
	joined, quoted := strings.Join(argv, " "), quoteAll([]string{item})
	if takesScript(argv, "{}") {
		sh.effect(RunUnknown, "unknown", "")
	}
	if len(argv) > 1 {
		argv = slices.Clone(argv)
		for i, w := range argv[1:] {
			if strings.ContainsAny(w, " \t") {
				argv[i+1] = quoteAll([]string{w})
			}
		}
		joined = strings.Join(argv, " ")
	}
	if !strings.Contains(joined, "{") {
		sh.runText(joined + " " + quoted)
		return
	}
	for _, m := range [...]string{"{}", "{.}", "{/}", "{//}", "{1}", "{2}", "{3}"} {
		joined = glue(strings.ReplaceAll(joined, m, quoted), "")
	}
	sh.runText(joined)
}

func evaluate(sh *shell, c command) {
	if len(c.args) > 0 && c.args[0] == "--" {
		c.args = c.args[1:]
	}
	sh.runText(strings.Join(c.args, " "))
}

func sourceFile(sh *shell, c command) {
	if len(c.args) == 0 {
		return
	}
	if strings.HasPrefix(c.args[0], "/dev/stdin") && c.in != nil {
		sh.runText(*c.in)
		return
	}
	text, written := sh.brought(c.args[0])
	if written {
		sh.runText(text)
		return
	}
	sh.read(c.args[0])
}

func trap(sh *shell, c command) {
	if len(c.args) > 1 && c.args[0] != "-" {
		sh.run(c.args[0], nil)
	}
}

func scriptProgram(sh *shell, c command) {
	o := parseOptions(c.args, "c command I O B T t E")
	if code, ok := o.get("c", "command"); ok {
		sh.runText(code)
		return
	}
	if _, rest := leading(c.args, "I O B T t E"); len(rest) > 1 {
		sh.exec(rest[1:], c.in)
	}
}

// later programs store commands that run when nobody looks.
func later(sh *shell, c command) {
	o := parseOptions(c.args, "u f q t")
	if c.name == "crontab" {
		switch {
		case o.exact("e"):
			sh.effect(Persist, "crontab", "")
		case o.exact("r"):
			sh.effect(Persist, "crontab removed", "")
		case o.exact("l"):
			sh.print(unknown + "\n")
		case len(o.pos) > 0 || c.in != nil:
			sh.effect(Persist, "crontab", "")
			sh.crontab(c.in, o.at(0))
		}
		return
	}
	if o.exact("l", "r", "d", "c", "V") {
		return
	}
	sh.effect(Persist, c.name, strings.Join(o.pos, " "))
	if c.in != nil {
		sh.runText(*c.in)
	}
}

// crontab runs the commands of a table as far as they are known: five fields
// of time, or one that begins with @, stand before each.
func (sh *shell) crontab(in *string, file string) {
	text := sh.files[sh.path(file)]
	if in != nil {
		text = *in
	}
	for _, line := range splitLines(text) {
		n := 5
		if strings.HasPrefix(line, "@") {
			n = 1
		}
		if f := strings.Fields(line); len(f) > n && line[0] != '#' && !hasHole(f[0]) {
			sh.run(strings.Join(f[n:], " "), nil)
		}
	}
}

// runner covers the tools that have a verb ("run", "exec") and then a command.
func runner(sh *shell, c command) {
	if strings.HasPrefix(c.name, "nix") && sh.nix(c) {
		return
	}
	if oneOf(c.name, "conda mamba micromamba") && sh.environmentRemoved(c) {
		return
	}
	verb := -1
	for i, a := range c.args {
		if oneOf(a, "run exec -- x") {
			verb = i
			break
		}
	}
	if verb < 0 {
		if containsAny(c.args, "publish") && !containsAny(c.args, "--dry-run") {
			sh.effect(PublishOut, c.name, "registry")
		}
		if controls(c.name) {
			sh.remoteControl(c)
		}
		return
	}
	for i := len(c.args) - 1; i > verb; i-- {
		if c.args[i] == "--" {
			verb = i
		}
	}
	_, rest := leading(c.args[verb+1:], "p package with python group env-file e f file n name prefix config c project env extra from")
	if code, ok := parseOptions(c.args[verb+1:], "command p project c config").get("command"); ok {
		sh.runText(code)
	}
	if c.name == "direnv" && len(rest) > 0 {
		rest = rest[1:]
	}
	if c.name == "uv" && len(rest) > 0 && (rest[0] == "-" || strings.HasSuffix(rest[0], ".py")) {
		rest = append([]string{"python"}, rest...)
	}
	sh.exec(rest, c.in)
}

// environmentRemoved reports what conda takes away: an environment, or
// packages of one, as pip does.
func (sh *shell) environmentRemoved(c command) bool {
	o := parseOptions(c.args, "n name p prefix c channel f file solver")
	verb := o.at(0)
	if verb == "env" {
		verb = o.at(1)
	}
	if !oneOf(verb, "remove uninstall") {
		return false
	}
	if !o.short('d') && !o.exact("dry-run") {
		sh.effect(RemovePackage, c.name, strings.Join(o.pos, " "))
	}
	return true
}

// nix runs a command in a shell of packages, or a package's program.
func (sh *shell) nix(c command) bool {
	for i, a := range c.args {
		switch {
		case i+1 == len(c.args):
		case a == "--run":
			sh.runText(c.args[i+1])
			return true
		case oneOf(a, "--command -c") && oneOf(first(c.args), "shell develop"):
			sh.exec(c.args[i+1:], c.in)
			return true
		case i == 0 && a == "profile" && c.args[1] == "remove":
			sh.effect(RemovePackage, c.name, strings.Join(c.args[2:], " "))
			return true
		case a == "--" && first(c.args) == "run":
			_, program, _ := strings.Cut(c.args[1], "#")
			sh.exec(append([]string{program}, c.args[i+1:]...), c.in)
			return true
		}
	}
	return false
}

func watcher(sh *shell, c command) {
	o, rest := leading(c.args, "w e f i o p x ext exts watch filter ignore exec n names c")
	if code, ok := o.get("x", "exec"); ok {
		sh.runText(code)
		return
	}
	if c.name == "concurrently" {
		for _, code := range rest {
			sh.runText(code)
		}
		return
	}
	sh.oneOrAll(rest, c.in)
}
