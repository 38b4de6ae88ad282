package guard

import "strings"

// Wrappers whose command runs elsewhere: on another machine, in another
// terminal.

func remotePlace() place { return place{cwd: "~", home: "", away: "remote"} }

func ssh(sh *shell, c command) {
	if c.name == "sshpass" {
		_, rest := leading(c.args, "p f d P")
		sh.exec(rest, c.in)
		return
	}
	o, rest := leading(c.args, "B b c D E e F I i J L l m O o p Q R S W w P")
	sh.sshOptions(o)
	if c.in != nil && strings.ContainsRune(*c.in, holeSecret) && len(rest) > 0 {
		sh.effect(SendOut, "secret", rest[0])
	}
	if len(rest) == 0 {
		return
	}
	child := sh.sub()
	child.place = remotePlace()
	if _, more := leading(rest[1:], "i p l o"); len(more) > 0 {
		child.run(strings.Join(more, " "), c.in)
	} else if c.in != nil {
		child.runText(*c.in)
	}
	sh.print(unknown)
}

// sshOptions runs the commands that ssh starts here, and those that it starts
// there, in whatever form the option is written.
func (sh *shell) sshOptions(o options) {
	var all []string
	for _, f := range o.flags {
		switch {
		case f.name == "o":
			all = append(all, f.value)
		case len(f.name) > 1 && f.name[0] == 'o' && f.given:
			all = append(all, f.name[1:]+"="+f.value)
		}
	}
	for _, opt := range all {
		i := max(strings.IndexAny(opt, " ="), 0)
		code := strings.TrimLeft(opt[i:], " =")
		switch strings.ToLower(opt[:i]) {
		case "proxycommand", "localcommand", "knownhostscommand":
			sh.run(code, nil)
		case "remotecommand":
			child := sh.sub()
			child.place = remotePlace()
			child.run(code, nil)
		}
	}
}

// multiplexer types into another terminal, or starts a command in a new one.
func multiplexer(sh *shell, c command) {
	_, rest := leading(c.args, "L S f T p t X r d session h")
	if c.name == "screen" {
		_, rest = leading(c.args, "S p t T c e h s")
		if containsString(c.args, "-X") && (containsString(c.args, "stuff") || containsString(c.args, "exec") || containsString(c.args, "readreg") || containsString(c.args, "paste")) {
			sh.effect(TypeInto, "", "screen")
			return
		}
		if containsString(c.args, "-X") && containsAny(c.args, "quit kill") {
			sh.effect(KillProcess, "terminal", "screen")
			return
		}
		sh.exec(rest, c.in)
		return
	}
	if len(rest) == 0 {
		return
	}
	for i, a := range rest { // tmux takes several commands at once
		if a == ";" || a == `\;` {
			multiplexer(sh, command{name: c.name, args: rest[i+1:]})
			rest = rest[:i]
			break
		}
	}
	if len(rest) == 0 {
		return
	}
	switch {
	case oneOf(rest[0], "send-keys send send-prefix paste-buffer pasteb"), c.name == "zellij" && len(rest) > 1 && oneOf(rest[1], "write write-chars"):
		sh.effect(TypeInto, "", c.name)
	case oneOf(rest[0], "new-session new new-window neww split-window splitw respawn-pane respawnp respawn-window run-shell run display-popup popup pipe-pane"):
		_, inner := leading(rest[1:], "s n t c x y F e l p w")
		sh.oneOrAll(inner, c.in)
	case oneOf(rest[0], "if-shell if"):
		sh.multiplexerChoice(c.name, rest[1:])
	case oneOf(rest[0], "kill-server kill-session"):
		sh.effect(KillProcess, "terminal", c.name)
	}
}

// oneOrAll runs a text that a shell gets, or the words of a command.
func (sh *shell) oneOrAll(words []string, in *string) {
	if len(words) == 1 {
		sh.runTextIn(words[0], in)
		return
	}
	sh.exec(words, in)
}

// terminal starts a command in a window of its own, or types into one.
func terminal(sh *shell, c command) {
	if containsAny(c.args, "send-text send-key") {
		sh.effect(TypeInto, "", c.name)
		return
	}
	for i, a := range c.args {
		if flag, code, ok := strings.Cut(a, "="); ok && oneOf(flag, "--command --execute") {
			sh.runText(code)
			return
		}
		if oneOf(a, "-- -e -x --command --execute start launch spawn") {
			_, inner := leading(c.args[i+1:], "")
			sh.oneOrAll(inner, c.in)
			return
		}
	}
	_, inner := leading(c.args, "")
	sh.exec(inner, c.in)
}

// multiplexerChoice runs the condition, and takes both of the commands that it
// decides between.
func (sh *shell) multiplexerChoice(name string, args []string) {
	o, inner := leading(args, "t")
	for i, text := range inner {
		if i == 0 && !o.short('F') {
			sh.runText(text)
		} else if i > 0 && sh.spendSource(text) {
			multiplexer(sh, command{name: name, args: quotedFields(text)})
		}
	}
}

func appleScript(sh *shell, c command) {
	o := parseOptions(c.args, "e l s")
	sh.appleCode(strings.Join(o.all("e"), "\n"))
	if c.in != nil {
		sh.appleCode(*c.in)
	}
}

// appleCode types where it says keystroke, and runs what it hands to a shell.
func (sh *shell) appleCode(code string) {
	if strings.Contains(code, "keystroke") || strings.Contains(code, "key code") || strings.Contains(code, "write text") || strings.Contains(code, "do script") && strings.Contains(code, "Terminal") {
		sh.effect(TypeInto, "", "osascript")
	}
	sh.scriptText(code, "applescript")
	toks := tokens(code, "applescript")
	if op := applePower(toks); op != "" {
		sh.effect(Power, op, "")
	}
	for i := range toks {
		if i+3 < len(toks) && toks[i].text == "do" && toks[i+1].text == "shell" && toks[i+3].kind == 's' {
			sh.runText(toks[i+3].text)
		}
	}
}

// applePower is what a script tells the system to do with the machine.
func applePower(toks []token) string {
	system := false
	for i, t := range toks {
		switch {
		case t.kind == 's':
			system = system || oneOf(strings.ReplaceAll(strings.ToLower(t.text), " ", "-"), "system-events finder loginwindow")
		case t.kind != 'n' || !system:
		case t.text == "restart", t.text == "sleep":
			return t.text
		case oneOf(t.text, "shut log") && i+1 < len(toks) && oneOf(toks[i+1].text, "down out"):
			return t.text + " " + toks[i+1].text
		}
	}
	return ""
}

// expect runs what its script spawns.
func expect(sh *shell, c command) {
	o := parseOptions(c.args, "c f d")
	text := strings.Join(o.all("c"), "\n")
	if c.in != nil {
		text += "\n" + *c.in
	}
	sh.tclShells(text)
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == ';' }) {
		if code, ok := strings.CutPrefix(strings.TrimSpace(line), "spawn "); ok {
			sh.run(code, nil)
		}
	}
}

func otherMachine(sh *shell, c command) {
	child := sh.sub()
	child.place = remotePlace()
	for i, a := range c.args {
		if oneOf(a, "shell ssh exec enter run -- -e --exec -c") && i+1 < len(c.args) {
			rest := c.args[i+1:]
			if inner := after(rest, "--", 1); len(inner) > 0 {
				child.exec(inner, c.in)
				return
			}
			for len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
				rest = rest[1:]
			}
			if len(rest) == 1 {
				child.run(rest[0], c.in)
				return
			}
			child.exec(rest, c.in)
			if len(rest) > 1 && (c.name == "multipass" || c.name == "limactl") {
				child.exec(rest[1:], c.in)
			}
			return
		}
	}
	if controls(c.name) {
		sh.remoteControl(c)
	}
}
