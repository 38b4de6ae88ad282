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
	case call.Tool == "Skill" || call.Tool == "SlashCommand":
		sh.skillTool(call)
	case call.Tool == "WebFetch":
		sh.via, sh.part = call.Tool, clip(call.value("url"), 300)
		sh.fetched([]string{call.value("url")})
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
			sh.commandText(a.Value, call.Tool == "PowerShell")
		}
	}
}

func (sh *shell) commandText(text string, power bool) {
	sh.part = clip(text, 300)
	if len(text) > maxSource {
		sh.unreadable("too long", text)
		return
	}
	src := scrub(text)
	sh.src = nil
	sh.u.budget.bytes += len(src)
	if power {
		sh.powerText(src)
		return
	}
	sh.run(src, nil)
}

func (sh *shell) fileTool(call Call, kind Kind) {
	sh.via = call.Tool
	for _, a := range call.Args {
		if oneOf(a.Path, "file_path notebook_path path") && a.Value != "" {
			sh.part = clip(a.Value, 300)
			p := sh.path(scrub(a.Value))
			sh.effect(kind, sh.settingsEdit(call, p), p)
		}
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
