package understand

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/script"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/sql"
	"github.com/afar-sh/afar/coordinator/guard/understand/web"
)

// No table can list the tools of all MCP servers. A tool is judged by the words of its
// name and by the names of its arguments: "command" is a command, "query" is SQL, and
// "path" is a path.

// mcpTool reports the effects of a call of an MCP server's tool.
func mcpTool(sh *shell.Shell, call effect.Call) {
	parts := strings.SplitN(call.Tool, "__", 3)
	if len(parts) < 3 {
		return
	}
	sh.Via = call.Tool
	server, words := lex.VerbWords(parts[1]), lex.VerbWords(parts[2])
	before := len(sh.Eval.Effects)
	mcpArgv(sh, call)
	for _, a := range call.Args {
		sh.Part = lex.Clip(a.Value, 300)
		mcpArg(sh, a, server, words)
	}
	sh.Part = call.Tool
	if slices.Contains(server, "afar") || lex.HasWord(server, "playwright puppeteer browser chrome memory thinking") {
		return // Afar's own tools, and tools without effects on anything else
	}
	if lex.HasWord(server, "terminal iterm iterm2 tmux screen kitty wezterm computer desktop") &&
		lex.HasWord(words, "keys key type keystroke computer input send write paste") &&
		!lex.HasWord(words, "file directory process") {
		sh.Effect(effect.TypeInto, "", call.Tool)
		return
	}
	for _, e := range sh.Eval.Effects[before:] {
		if e.Kind == effect.DeleteTree || e.Kind == effect.MoveAway {
			return // its paths already gave its effects
		}
	}
	mcpVerb(sh, server, words, call)
}

// mcpVerb reports the effects that the name of a tool suggests.
func mcpVerb(sh *shell.Shell, server, words []string, call effect.Call) {
	if lex.HasWord(words, "secret secrets password credential credentials") &&
		lex.HasWord(words, "get read reveal show fetch access") {
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
			w == "release" && lex.HasWord(words, "create make"),
			w == "deploy" && call.Has("", "prod production"):
			sh.Effect(effect.PublishOut, effect.Named(call.Tool), "to others")
			return
		case lex.OneOf(w, "send post reply tweet add") && lex.HasWord(words[i:], "message messages email mail dm "+
			"tweet sms"):
			sh.Effect(effect.SendOut, effect.Message, call.Tool)
			return
		case w == "merge" && lex.HasWord(words, "pull pr mr request"),
			lex.OneOf(w, "refund pause scale apply "+changeVerbs) &&
				!lex.OneOf(w, "change clear block compact repair break"):
			sh.Effect(effect.ChangeRemote, effect.Named(w), call.Tool)
			return
		case lex.OneOf(w, "create add set put update attach grant") &&
			(touchesRights(strings.Join(words[i+1:], "-")) ||
				lex.HasWord(words, "collaborator") ||
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
	case lex.HasWord(words, "reset") && call.Has("mode", "hard") || call.Has("hard", "true"):
		sh.Effect(effect.Discard, effect.ResetHard, "")
	case lex.HasWord(words, "push") && call.Has("force", "true"):
		branch := call.Value("branch")
		sh.Effect(effect.PushForce, effect.Force, branchOf(branch))
	case lex.HasWord(words, "clean") && call.Has("force", "true"):
		sh.Effect(effect.Discard, effect.Clean, "")
	default:
		return false
	}
	return true
}

// mcpArgv runs a command whose words are the items of a list. Its name is the first
// item, or an argument of its own.
func mcpArgv(sh *shell.Shell, call effect.Call) {
	var argv []string
	for _, a := range call.Args {
		list, item, ok := strings.Cut(a.Path, ".")
		if ok && lex.IsNumber(item) && lex.OneOf(list, "argv args arguments command cmd") {
			argv = append(argv, partial.Scrub(a.Value))
		}
	}
	if len(argv) == 0 {
		return
	}
	for _, name := range [...]string{"command", "cmd", "program", "executable"} {
		if v := call.Value(name); v != "" {
			argv = append([]string{partial.Scrub(v)}, argv...)
		}
	}
	sh.Part = lex.Clip(strings.Join(argv, " "), 300)
	sh.Exec(argv, nil)
}

// mcpArg judges one argument of a server's tool.
func mcpArg(sh *shell.Shell, a effect.Arg, server, words []string) {
	name := strings.ToLower(a.Path[strings.LastIndexByte(a.Path, '.')+1:])
	text := partial.Scrub(a.Value)
	looksLikePath := !strings.HasPrefix(text, "!") && !strings.ContainsAny(text, "\n(") &&
		strings.ContainsAny(text, "/\\~")
	switch {
	case lex.OneOf(name, "script") && lex.HasWord(server, "applescript osascript macos automation"):
		script.AppleScript(sh, text)
	case lex.OneOf(name, "command cmd shell script bash shell_command commandline command_line"):
		sub := sh.Sub()
		sub.Src = nil
		sub.Run(text, nil)
	case lex.OneOf(name, "sql query statement q queries statements sql_query"):
		sql.Read(sh, text)
	case lex.OneOf(name, "code python javascript js source") && !(name == "source" && looksLikePath):
		sh.Src = &shell.Source{Whole: sh.Part}
		for _, line := range shell.SplitLines(text) {
			if magic, ok := strings.CutPrefix(line, "!"); ok { // a shell line of a notebook
				sh.RunText(magic)
			}
		}
		lang := "python"
		if lex.OneOf(name, "javascript js") {
			lang = "js"
		}
		script.Run(sh, text, lang)
	case name == "url":
		reportFetched(sh, []string{text})
		ownSocket(sh, shell.Command{Args: []string{text}})
	case lex.OneOf(name, "path file_path filepath file filename destination dest target source uri paths "+
		"directory dir") || lex.IsNumber(name) && strings.HasPrefix(a.Path, "paths."):
		mcpPath(sh, strings.TrimPrefix(text, "file://"), words, name)
	}
}

func mcpPath(sh *shell.Shell, text string, words []string, name string) {
	if !strings.ContainsAny(text, "/\\.~") || strings.Contains(text, "://") ||
		strings.ContainsAny(text, " \n") && len(text) > 200 {
		return
	}
	p := sh.Path(text)
	switch {
	case lex.HasWord(words, "delete remove rm unlink rmdir trash"):
		sh.Effect(effect.DeleteTree, "", p)
	case lex.HasWord(words, "move rename") && !lex.OneOf(name, "destination dest"):
		sh.Effect(effect.MoveAway, "", p)
	case lex.HasWord(words, "write edit create update append save put patch move rename copy replace insert "+
		"modify set"):
		sh.Effect(effect.WriteFile, "", p)
	case lex.HasWord(words, "read get open view cat load fetch"):
		sh.Effect(effect.ReadFile, "", p)
	}
}
