package understand

import (
	"cmp"
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
	hosted        bool // its paths are those of a repository or a store of a service
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
	t.hosted = t.isHosted()
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
		mcpVerb(sh, t.words, call)
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
	switch {
	case lex.ContainsAny(t.words, "file directory process"):
		return false
	case lex.ContainsAny(t.server, "terminal iterm iterm2 tmux screen kitty wezterm computer desktop"):
		return lex.ContainsAny(t.words, "keys key type keystroke computer input send write paste")
	}
	return false
}

// takesFile reports whether an effect takes a file away.
func takesFile(e effect.Effect) bool { return e.Kind == effect.DeleteTree || e.Kind == effect.MoveAway }

// searches reports whether a tool looks for a text, so that the text is not run.
func (t serverTool) searches() bool {
	return lex.ContainsAny(t.words, "search find lookup docs doc ask question grep suggest translate") ||
		lex.ContainsAny(t.server, "brave exa tavily perplexity context7 duckduckgo serper kagi deepwiki search docs")
}

// An mcpRow says what a tool does whose name has a verb. The first row whose conditions hold
// applies to a verb; an empty condition holds.
type mcpRow struct {
	verbs  string
	behind string // one of these comes behind the verb
	among  string // one of these is anywhere in the name
	field  string // the name of an argument, "" = any ...
	given  string // ... that has one of these values
	kind   effect.Kind
	op     effect.Op // "$verb" or "$noun" of the tool's name
	target string    // "" = the name of the tool
}

const (
	mcpVerbWord effect.Op = "$verb"
	mcpNounWord effect.Op = "$noun"
)

// rightsWords are about rights or secrets.
const rightsWords = "policy acl permission permissions access login binding bindings ingress rights secret password"

var mcpRows = []mcpRow{
	{verbs: web.DestroyVerbs, kind: effect.DestroyRemote, op: mcpNounWord},
	{verbs: "publish", kind: effect.PublishOut, op: mcpVerbWord, target: "to others"},
	{verbs: "release", among: "create make", kind: effect.PublishOut, op: mcpVerbWord, target: "to others"},
	{verbs: "deploy", given: "prod production", kind: effect.PublishOut, op: mcpVerbWord, target: "to others"},
	{
		verbs:  "send post reply tweet add",
		behind: "message messages email mail dm tweet sms",
		kind:   effect.SendOut,
		op:     effect.Message,
	},
	{verbs: "tweet", kind: effect.SendOut, op: effect.Message},
	{verbs: "merge close accept complete abandon", among: requestWords, kind: effect.ChangeRemote, op: mcpVerbWord},
	{
		verbs: "update edit", among: requestWords, given: "closed close abandoned completed",
		kind: effect.ChangeRemote, op: mcpVerbWord,
	},
	{verbs: "run trigger dispatch", behind: "workflow", kind: effect.ChangeRemote, op: mcpVerbWord},
	{verbs: "change clear block compact repair break"}, // often of something small
	{verbs: "refund pause scale apply " + changeVerbs, kind: effect.ChangeRemote, op: mcpVerbWord},
	{verbs: rightsVerbs, behind: rightsWords, kind: effect.ChangeRemote, op: effect.Rights},
	{verbs: rightsVerbs, among: "collaborator", kind: effect.ChangeRemote, op: effect.Rights},
	{verbs: rightsVerbs, field: "visibility", given: "public", kind: effect.ChangeRemote, op: effect.Rights},
	{verbs: "create", among: "refund", kind: effect.ChangeRemote, op: effect.Refund},
}

// requestWords are about a request to merge.
const requestWords = "pull pr mr request"

const rightsVerbs = "create add set put update attach grant"

// holds reports whether the conditions of a row hold for the i-th word of a tool's name.
func (r *mcpRow) holds(words []string, i int, call effect.Call) bool {
	switch {
	case !lex.OneOf(words[i], r.verbs),
		r.behind != "" && !lex.ContainsAny(words[i+1:], r.behind),
		r.among != "" && !lex.ContainsAny(words, r.among),
		r.given != "" && !call.Has(r.field, r.given):
		return false
	}
	return true
}

// mcpVerb reports the effects that the name of a tool suggests.
func mcpVerb(sh *shell.Shell, words []string, call effect.Call) {
	if lex.ContainsAny(words, "secret secrets password credential credentials") &&
		lex.ContainsAny(words, "get read reveal show fetch access") {
		sh.Effect(effect.RevealSecret, effect.Vault, call.Tool)
		return
	}
	if mcpGit(sh, words, call) {
		return
	}
	for i, w := range words {
		at := slices.IndexFunc(mcpRows, func(r mcpRow) bool { return r.holds(words, i, call) })
		switch {
		case at >= 0 && mcpRows[at].kind != "":
			mcpRows[at].report(sh, words, w, call)
			return
		case lex.OneOf(w, readVerbs):
			return
		}
	}
}

// report reports the effect of a row for a verb.
func (r *mcpRow) report(sh *shell.Shell, words []string, verb string, call effect.Call) {
	op := r.op
	switch op {
	case mcpVerbWord:
		op = effect.Named(verb)
	case mcpNounWord:
		op = effect.Named(lex.Noun(words, verb))
	}
	sh.Effect(r.kind, op, cmp.Or(r.target, call.Tool))
}

// mcpGit runs the git command that a tool wraps.
func mcpGit(sh *shell.Shell, words []string, call effect.Call) bool {
	switch {
	case call.Has("hard", "true"), slices.Contains(words, "reset") && call.Has("mode", "hard"):
		sh.Effect(effect.Discard, effect.ResetHard, "")
	case lex.ContainsAny(words, "push ref refs") && call.Has("force", "true"):
		branch := cmp.Or(call.Value("branch"), call.Value("ref"))
		sh.Effect(effect.PushForce, effect.Force, branchOf(branch))
	case lex.ContainsAny(words, "clean") && call.Has("force", "true"):
		sh.Effect(effect.Discard, effect.Clean, "")
	default:
		return false
	}
	return true
}
