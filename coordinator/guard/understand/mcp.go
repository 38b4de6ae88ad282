package understand

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/web"
)

// No table can list the tools of all MCP servers. A tool is judged by the words of its
// name, by its action, and by its fields: see mcp_field.go.

// A serverTool is a tool of an MCP server: the words of the server's name, and those of the
// tool's name and of the action that a field names.
type serverTool struct {
	server, words []string
	call          effect.Call
}

// mcpTool reports the effects of a call of an MCP server's tool.
func mcpTool(sh *shell.Shell, call effect.Call) {
	parts := strings.SplitN(call.Tool, "__", 3)
	if len(parts) < 3 {
		return
	}
	sh.Via = call.Tool
	t := serverTool{server: lex.VerbWords(parts[1]), words: lex.VerbWords(parts[2]), call: call}
	t.words = append(t.words, t.action()...)
	before := len(sh.Eval.Effects)
	requested := t.request(sh)
	t.commandLine(sh)
	for _, a := range call.Args {
		sh.Part = lex.Clip(a.Value, 300)
		t.field(sh, a)
	}
	sh.Part = call.Tool
	switch {
	case requested, slices.Contains(t.server, "afar"), t.harmless():
	case t.types():
		sh.Effect(effect.TypeInto, "", call.Tool)
	case slices.ContainsFunc(sh.Eval.Effects[before:], takesFile):
		// its paths already gave its effects
	default:
		mcpVerb(sh, t.server, t.words, call)
	}
}

// harmless reports whether the verbs of a server change nothing that is anybody's.
func (t serverTool) harmless() bool {
	return t.browses() || lex.ContainsAny(t.server, "memory thinking")
}

// browses reports whether a server drives a browser.
func (t serverTool) browses() bool {
	return lex.ContainsAny(t.server, "playwright puppeteer browser chrome chromium firefox selenium")
}

// types reports whether a tool types into a terminal or into another program.
func (t serverTool) types() bool {
	return lex.ContainsAny(t.server, "terminal iterm iterm2 tmux screen kitty wezterm computer desktop") &&
		lex.ContainsAny(t.words, "keys key type keystroke computer input send write paste") &&
		!lex.ContainsAny(t.words, "file directory process")
}

// takesFile reports whether an effect takes a file away.
func takesFile(e effect.Effect) bool { return e.Kind == effect.DeleteTree || e.Kind == effect.MoveAway }

// searches reports whether a tool looks for a text, so that the text is not run.
func (t serverTool) searches() bool {
	return lex.ContainsAny(t.words, "search find lookup docs doc ask question grep suggest translate") ||
		lex.ContainsAny(t.server, "brave exa tavily perplexity context7 duckduckgo serper kagi deepwiki search docs")
}

// mcpVerb reports the effects that the name of a tool suggests.
func mcpVerb(sh *shell.Shell, server, words []string, call effect.Call) {
	if lex.ContainsAny(words, "secret secrets password credential credentials") &&
		lex.ContainsAny(words, "get read reveal show fetch access") {
		sh.Effect(effect.RevealSecret, effect.Vault, call.Tool)
		return
	}
	if mcpGit(sh, words, call) {
		return
	}
	for i, w := range words {
		switch {
		case lex.OneOf(w, web.DestroyVerbs):
			sh.Effect(effect.DestroyRemote, effect.Named(lex.Noun(words, w)), call.Tool)
			return
		case w == "publish",
			w == "release" && lex.ContainsAny(words, "create make"),
			w == "deploy" && call.Has("", "prod production"):
			sh.Effect(effect.PublishOut, effect.Named(call.Tool), "to others")
			return
		case lex.OneOf(w, "send post reply tweet add") && lex.ContainsAny(words[i:], "message messages email mail dm "+
			"tweet sms"):
			sh.Effect(effect.SendOut, effect.Message, call.Tool)
			return
		case w == "merge" && lex.ContainsAny(words, "pull pr mr request"),
			lex.OneOf(w, "refund pause scale apply "+changeVerbs) &&
				!lex.OneOf(w, "change clear block compact repair break"):
			sh.Effect(effect.ChangeRemote, effect.Named(w), call.Tool)
			return
		case lex.OneOf(w, "create add set put update attach grant") &&
			(touchesRights(strings.Join(words[i+1:], "-")) ||
				lex.ContainsAny(words, "collaborator") ||
				call.Has("visibility", "public")):
			sh.Effect(effect.ChangeRemote, effect.Rights, call.Tool)
			return
		case w == "create" && slices.Contains(words, "refund"):
			sh.Effect(effect.ChangeRemote, effect.Refund, call.Tool)
			return
		case lex.OneOf(w, readVerbs):
			return
		}
	}
}

// mcpGit runs the git command that a tool wraps.
func mcpGit(sh *shell.Shell, words []string, call effect.Call) bool {
	switch {
	case lex.ContainsAny(words, "reset") && call.Has("mode", "hard") || call.Has("hard", "true"):
		sh.Effect(effect.Discard, effect.ResetHard, "")
	case lex.ContainsAny(words, "push") && call.Has("force", "true"):
		branch := call.Value("branch")
		sh.Effect(effect.PushForce, effect.Force, branchOf(branch))
	case lex.ContainsAny(words, "clean") && call.Has("force", "true"):
		sh.Effect(effect.Discard, effect.Clean, "")
	default:
		return false
	}
	return true
}
