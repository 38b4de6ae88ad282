package guard

import "strings"

// A server's tool has no manual that we could keep a table of. It is read by
// the words of its name, and by what its arguments are called: a command is a
// command, a query is SQL, a path is a path.

// mcpTool reports what a call of a server's tool does.
func (sh *shell) mcpTool(call Call) {
	parts := strings.SplitN(call.Tool, "__", 3)
	if len(parts) < 3 {
		return
	}
	sh.via = call.Tool
	server, words := verbWords(parts[1]), verbWords(parts[2])
	before := len(sh.u.effects)
	sh.mcpArgv(call)
	for _, a := range call.Args {
		sh.part = clip(a.Value, 300)
		sh.mcpArg(a, server, words)
	}
	sh.part = call.Tool
	if containsString(server, "afar") || hasWord(server, "playwright puppeteer browser chrome memory thinking") {
		return // our own, and those that keep what they do to themselves
	}
	if hasWord(server, "terminal iterm iterm2 tmux screen kitty wezterm computer desktop") && hasWord(words, "keys key type keystroke computer input send write paste") && !hasWord(words, "file directory process") {
		sh.effect(TypeInto, "", call.Tool)
		return
	}
	for _, e := range sh.u.effects[before:] {
		if e.Kind == DeleteTree || e.Kind == MoveAway {
			return // its name says what its paths have said
		}
	}
	sh.mcpVerb(server, words, call)
}

// mcpVerb reports what the name of a tool says.
func (sh *shell) mcpVerb(server, words []string, call Call) {
	if hasWord(words, "secret secrets password credential credentials") && hasWord(words, "get read reveal show fetch access") {
		sh.effect(RevealSecret, "vault", call.Tool)
		return
	}
	if sh.mcpGit(words, call) {
		return
	}
	for i, w := range words {
		switch {
		case oneOf(w, destroyVerbs):
			sh.effect(DestroyRemote, nounOf(words, w), call.Tool)
			return
		case oneOf(w, "publish") || oneOf(w, "release") && hasWord(words, "create make") || w == "deploy" && call.has("", "prod production"):
			sh.effect(PublishOut, call.Tool, "to others")
			return
		case oneOf(w, "send post reply tweet add") && hasWord(words[i:], "message messages email mail dm tweet sms"):
			sh.effect(SendOut, "message", call.Tool)
			return
		case w == "merge" && hasWord(words, "pull pr mr request") || oneOf(w, "refund pause scale apply "+changeVerbs) && !oneOf(w, "change clear block compact repair break"):
			sh.effect(ChangeRemote, w, call.Tool)
			return
		case oneOf(w, "create add set put update attach grant") && (touchesRights(strings.Join(words[i+1:], "-")) || hasWord(words, "collaborator") || call.has("visibility", "public")):
			sh.effect(ChangeRemote, "rights", call.Tool)
			return
		case w == "create" && containsString(words, "refund"):
			sh.effect(ChangeRemote, "refund", call.Tool)
			return
		case oneOf(w, readVerbs):
			return
		}
	}
}

// mcpGit reads the tools that wrap git's own verbs.
func (sh *shell) mcpGit(words []string, call Call) bool {
	switch {
	case hasWord(words, "reset") && call.has("mode", "hard") || call.has("hard", "true"):
		sh.effect(Discard, "reset-hard", "")
	case hasWord(words, "push") && call.has("force", "true"):
		branch := call.value("branch")
		sh.effect(PushForce, "force", branchOf(branch))
	case hasWord(words, "clean") && call.has("force", "true"):
		sh.effect(Discard, "clean", "")
	default:
		return false
	}
	return true
}

// value is the argument of a name, "" if there is none.
func (c Call) value(name string) string {
	for _, a := range c.Args {
		if a.Path == name {
			return a.Value
		}
	}
	return ""
}

// has is true if the argument of a name, or with no name any argument, is one
// of the words.
func (c Call) has(name, words string) bool {
	for _, a := range c.Args {
		if (name == "" || a.Path == name) && oneOf(strings.ToLower(a.Value), words) {
			return true
		}
	}
	return false
}

// mcpArgv runs a command whose words are the items of a list, with its name
// among them or beside them.
func (sh *shell) mcpArgv(call Call) {
	var argv []string
	for _, a := range call.Args {
		list, item, ok := strings.Cut(a.Path, ".")
		if ok && isNumber(item) && oneOf(list, "argv args arguments command cmd") {
			argv = append(argv, scrub(a.Value))
		}
	}
	if len(argv) == 0 {
		return
	}
	for _, name := range [...]string{"command", "cmd", "program", "executable"} {
		if v := call.value(name); v != "" {
			argv = append([]string{scrub(v)}, argv...)
		}
	}
	sh.part = clip(strings.Join(argv, " "), 300)
	sh.exec(argv, nil)
}

// mcpArg judges one argument of a server's tool.
func (sh *shell) mcpArg(a Arg, server, words []string) {
	name := strings.ToLower(a.Path[strings.LastIndexByte(a.Path, '.')+1:])
	text := scrub(a.Value)
	looksLikePath := !strings.HasPrefix(text, "!") && !strings.ContainsAny(text, "\n(") && strings.ContainsAny(text, "/\\~")
	switch {
	case oneOf(name, "script") && hasWord(server, "applescript osascript macos automation"):
		sh.appleCode(text)
	case oneOf(name, "command cmd shell script bash shell_command commandline command_line"):
		sub := sh.sub()
		sub.src = nil
		sub.run(text, nil)
	case oneOf(name, "sql query statement q queries statements sql_query"):
		sh.sql(text)
	case oneOf(name, "code python javascript js source") && !(name == "source" && looksLikePath):
		sh.src = &source{whole: sh.part}
		for _, line := range splitLines(text) {
			if magic, ok := strings.CutPrefix(line, "!"); ok { // a notebook's line of shell
				sh.runText(magic)
			}
		}
		sh.code(text, map[bool]string{true: "js", false: "python"}[oneOf(name, "javascript js")])
	case name == "url":
		sh.fetched([]string{text})
		sh.ownSocket(command{args: []string{text}})
	case oneOf(name, "path file_path filepath file filename destination dest target source uri paths directory dir") || isNumber(name) && strings.HasPrefix(a.Path, "paths."):
		sh.mcpPath(strings.TrimPrefix(text, "file://"), words, name)
	}
}

func (sh *shell) mcpPath(text string, words []string, name string) {
	if !strings.ContainsAny(text, "/\\.~") || strings.Contains(text, "://") || strings.ContainsAny(text, " \n") && len(text) > 200 {
		return
	}
	p := sh.path(text)
	switch {
	case hasWord(words, "delete remove rm unlink rmdir trash"):
		sh.effect(DeleteTree, "", p)
	case hasWord(words, "move rename") && name != "destination" && name != "dest":
		sh.effect(MoveAway, "", p)
	case hasWord(words, "write edit create update append save put patch move rename copy replace insert modify set"):
		sh.effect(WriteFile, "", p)
	case hasWord(words, "read get open view cat load fetch"):
		sh.effect(ReadFile, "", p)
	}
}
