package guard

import "strings"

// understand turns one tool call into effects.
func understand(call Call, ctx *Context) *understanding {
	u := newUnderstanding(call, ctx)
	sh := newShell(u)
	sh.src = &source{}
	switch {
	case call.Tool == "Write" || call.Tool == "Edit" || call.Tool == "MultiEdit" || call.Tool == "NotebookEdit":
		sh.fileTool(call, WriteFile)
	case call.Tool == "Read" || call.Tool == "NotebookRead" || call.Tool == "Grep":
		sh.fileTool(call, ReadFile)
	case strings.HasPrefix(call.Tool, "mcp__"):
		sh.mcpTool(call)
	default:
		sh.commandTool(call)
	}
	if ctx.ReadOnly {
		u.readOnly(call)
	}
	return u
}

// commandTool runs every argument named "command", whatever the tool is
// called: Bash and Monitor today, others tomorrow.
func (sh *shell) commandTool(call Call) {
	for _, a := range call.Args {
		if last := a.Path[strings.LastIndexByte(a.Path, '.')+1:]; last == "command" {
			sh.commandText(a.Value)
		}
	}
	if call.Tool == "PowerShell" {
		for _, a := range call.Args {
			if a.Path == "command" {
				sh.powerText(scrub(a.Value))
			}
		}
	}
}

func (sh *shell) commandText(text string) {
	sh.part = clip(text, 300)
	if len(text) > maxSource {
		sh.unreadable("too long", text)
		return
	}
	src := scrub(text)
	sh.src = nil
	sh.u.budget.bytes += len(src)
	sh.run(src, nil)
}

func (sh *shell) fileTool(call Call, kind Kind) {
	sh.via = call.Tool
	for _, a := range call.Args {
		if oneOf(a.Path, "file_path notebook_path path") && a.Value != "" {
			sh.part = clip(a.Value, 300)
			sh.effect(kind, "", sh.path(scrub(a.Value)))
		}
	}
}

// mcpTool reads a server's tool by its verb and by what its arguments are
// called: a command is a command, a query is SQL, a path is a path.
func (sh *shell) mcpTool(call Call) {
	parts := strings.SplitN(call.Tool, "__", 3)
	if len(parts) < 3 {
		return
	}
	sh.via = call.Tool
	words := verbWords(parts[2])
	for _, a := range call.Args {
		sh.part = clip(a.Value, 300)
		sh.mcpArg(a, words)
	}
	sh.part = call.Tool
	if strings.Contains(parts[1], "afar") {
		return
	}
	for _, w := range words {
		if oneOf(w, destroyVerbs) {
			sh.effect(DestroyRemote, nounOf(words, w), call.Tool)
			return
		}
		if oneOf(w, readVerbs) {
			return
		}
	}
}

// mcpArg judges one argument of a server's tool.
func (sh *shell) mcpArg(a Arg, words []string) {
	name := strings.ToLower(a.Path[strings.LastIndexByte(a.Path, '.')+1:])
	text := scrub(a.Value)
	switch {
	case oneOf(name, "command cmd shell script bash shell_command commandline command_line"):
		sub := sh.sub()
		sub.src = nil
		sub.run(text, nil)
	case oneOf(name, "sql query statement q queries statements sql_query"):
		sh.sql(text)
	case oneOf(name, "code python javascript js source"):
		sh.src = &source{whole: sh.part}
		sh.code(text, "python")
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

func hasWord(words []string, list string) bool {
	for _, w := range words {
		if oneOf(w, list) {
			return true
		}
	}
	return false
}

// verbWords cuts a tool or operation name into lower-case words at
// underscores, dashes, colons, dots and camel humps.
func verbWords(name string) []string {
	var out []string
	start := 0
	flush := func(i int) {
		if i > start {
			out = append(out, strings.ToLower(name[start:i]))
		}
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case strings.IndexByte("_-:./ ", c) >= 0:
			flush(i)
			start = i + 1
		case c >= 'A' && c <= 'Z' && i > start && name[i-1] >= 'a' && name[i-1] <= 'z':
			flush(i)
			start = i
		}
	}
	flush(len(name))
	return out
}

func nounOf(words []string, verb string) string {
	var rest []string
	for _, w := range words {
		if w != verb {
			rest = append(rest, w)
		}
	}
	return strings.Join(rest, "-")
}
