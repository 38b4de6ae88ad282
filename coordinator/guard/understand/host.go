package understand

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/protected"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/host/claude/hostjson"
)

// The host loads more than plugins. A skill may add hooks. A mod brings a module
// that can overrule every hook, including Afar's.

// hostCommand reports the effects of a command of the client on plugins, mods and
// hooks.
func hostCommand(sh *shell.Shell, c shell.Command) {
	o := shell.ParseOptions(c.Args, "settings p print mcp-config setting-sources model allowedTools "+
		"permission-mode output-format add-dir plugin-dir plugin-url")
	hostEnvironment(sh)
	hostOptions(sh, o)
	hostPrompt(sh, o)
	sub := strings.ToLower(o.At(0) + " " + o.At(1))
	switch {
	case lex.OneOf(o.At(0), "plugin plugins"):
		pluginCommand(sh, o, sub)
	case o.At(0) == "config" && lex.ContainsAny(o.Pos, "disableAllHooks hooks enabledPlugins prependPlugins"):
		sh.Effect(effect.DisableAfar, effect.Named(sub), o.At(3))
	case lex.OneOf(strings.ReplaceAll(sub, " ", "."), "mcp.add mcp.add-json mcp.remove config.set config.add "+
		"config.remove") && !lex.OneOf(o.At(2), "list ls"):
		sh.Effect(effect.ChangeSystem, effect.Host, sub)
	}
}

// hostEnvironment reports variables that start a client without Afar's hooks, with
// another configuration, or with other plugins.
func hostEnvironment(sh *shell.Shell) {
	for _, name := range [...]string{"AFAR_DISABLED", "CLAUDE_CODE_SAFE_MODE", "CLAUDE_CODE_SIMPLE"} {
		if v, ok := sh.Assigned(name); ok && v != "" && v != "0" {
			sh.Effect(effect.DisableAfar, effect.AfarOff, name+"="+v)
		}
	}
	for _, name := range [...]string{"CLAUDE_CONFIG_DIR", "HOME", "AFAR_HOME"} {
		if v, ok := sh.Assigned(name); ok && v != sh.Eval.Site.Env[name] {
			sh.Effect(effect.RunElevated, effect.ForeignClient, v)
		}
	}
	if v, ok := sh.Assigned("CLAUDE_CODE_PLUGIN_DIRS"); ok && v != "" {
		sh.Effect(effect.ChangeSystem, effect.Host, "plugins from "+v)
	}
}

func hostOptions(sh *shell.Shell, o shell.Options) {
	if o.Exact("safe-mode", "bare", "disable-hooks") {
		sh.Effect(effect.DisableAfar, effect.HooksOff, "")
	}
	if v, ok := o.Get("setting-sources"); ok && !strings.Contains(v, "user") {
		sh.Effect(effect.DisableAfar, effect.SettingsOff, "")
	}
	mode, _ := o.Get("permission-mode")
	if o.Exact("dangerously-skip-permissions", "allow-dangerously-skip-permissions") || mode == "bypassPermissions" {
		sh.Effect(effect.RunElevated, effect.UncheckedClient, "")
	}
	for _, name := range [...]string{"plugin-dir", "plugin-url"} {
		if v, ok := o.Get(name); ok {
			sh.Effect(effect.ChangeSystem, effect.Host, "plugins from "+v)
		}
	}
	for _, settings := range o.All("settings") {
		nestedSettings(sh, settings)
	}
}

// nestedSettings reports the settings, as JSON or as a file, that a nested client
// gets.
func nestedSettings(sh *shell.Shell, settings string) {
	switch {
	case !strings.HasPrefix(strings.TrimSpace(settings), "{"):
		sh.Effect(effect.ChangeSystem, effect.Host, "settings from "+settings)
	case strings.Contains(settings, "disableAllHooks") || !harmlessSettings(settings):
		sh.Effect(effect.DisableAfar, effect.HooksOff, "")
	}
}

// hostPrompt reports a prompt that loads mods.
func hostPrompt(sh *shell.Shell, o shell.Options) {
	prompts := append(o.All("p", "print"), o.At(0))
	for _, prompt := range prompts {
		if word, _, _ := strings.Cut(strings.TrimSpace(prompt), " "); strings.HasPrefix(word, "/") && loadsMods(word) {
			sh.Effect(effect.LoadMod, effect.Prompt, word)
			return
		}
	}
}

// pluginCommand reports a command that changes the host's plugins.
func pluginCommand(sh *shell.Shell, o shell.Options, sub string) {
	names := strings.Join(o.Pos[min(2, len(o.Pos)):], " ")
	verb := strings.ToLower(o.At(1))
	switch {
	case lex.OneOf(verb, "uninstall remove disable rm") &&
		(strings.Contains(names, "afar") || o.Exact("all") || names == ""):
		sh.Effect(effect.DisableAfar, effect.Named(sub), o.At(2))
	case verb == "marketplace" && lex.OneOf(o.At(2), "remove rm") && strings.Contains(names, "afar"):
		sh.Effect(effect.DisableAfar, effect.Named(sub), o.At(3))
	case verb == "marketplace" && lex.OneOf(o.At(2), "list ls"):
	case lex.OneOf(verb, "install i init new enable update uninstall remove disable rm prune autoremove "+
		"restore-set-aside marketplace"):
		sh.Effect(effect.ChangeSystem, effect.Host, sub)
	}
}

// skillTool reports a skill or a client command that loads mods.
func skillTool(sh *shell.Shell, call effect.Call) {
	for _, a := range call.Args {
		name, _, _ := strings.Cut(strings.TrimSpace(a.Value), " ")
		if lex.OneOf(a.Path, "skill command name") && loadsMods(name) {
			sh.Part, sh.Via = call.Tool+" "+name, call.Tool
			sh.Effect(effect.LoadMod, effect.Skill, name)
		}
	}
}

// loadsMods reports whether a name is the skill with which a session writes mods, or
// the command that loads them.
func loadsMods(name string) bool {
	name = strings.ToLower(strings.TrimPrefix(name, "/"))
	return lex.OneOf(name[strings.LastIndexByte(name, ':')+1:], "plugin-authoring reload-plugins")
}

// settingsEdit returns OtherSetting if a call of a file tool shows its whole change
// and changes no setting on which Afar's hooks depend. Otherwise it returns "". A call
// that writes the whole user file returns "", because it does not show what it
// removes.
func settingsEdit(sh *shell.Shell, call effect.Call, p string) effect.Op {
	tail, ok := protected.HostFolder(p, sh.Eval.Site.Env)
	if !ok || strings.Count(tail, "/") != 1 || !lex.OneOf(fspath.Base(tail), "settings.json settings.local.json") {
		return ""
	}
	inHome := p == sh.Place.Home+"/.claude"+tail
	switch {
	case call.Tool == "Write" && !inHome && wholeSettings(call.Value("content")):
		return effect.OtherSetting
	case (lex.OneOf(call.Tool, "Edit MultiEdit")) && harmlessEdits(call):
		return effect.OtherSetting
	}
	return ""
}

// wholeSettings reports whether a text is a harmless settings file that is not empty.
func wholeSettings(content string) bool {
	_, err := hostjson.Parse(content, hostjson.MaxDepth)
	return err == nil && strings.Contains(content, ":") && harmlessSettings(content)
}

// harmlessEdits reports whether every old and new text of an edit is harmless.
func harmlessEdits(c effect.Call) bool {
	texts := 0
	for _, a := range c.Args {
		if !lex.OneOf(a.Path[strings.LastIndexByte(a.Path, '.')+1:], "old_string new_string") {
			continue
		}
		texts++
		if !harmlessSettings(a.Value) {
			return false
		}
	}
	return texts > 1
}

// harmlessSettings reports whether a piece of a settings file names every setting it
// contains, and none on which Afar's hooks depend. The piece may start and end between
// any two tokens.
func harmlessSettings(text string) bool {
	named, listed := false, false // the next value has a name, or its list has one
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		token, isText := settingToken(text)
		text = text[len(token):]
		isName := isText && strings.HasPrefix(strings.TrimSpace(text), ":")
		switch {
		case token == "":
			return false
		case isName && guardsHooks(token):
			return false
		case isText && !isName && !named && !listed && !permissionRule(token):
			return false
		case !isText && !named && !listed && strings.IndexByte("{}[],:", token[0]) < 0:
			return false // a number or a switch of unknown name
		}
		listed = token == "[" && named || listed && token != "]"
		named = isName || token == ":" && named
	}
	return true
}

// settingToken returns the first token of a piece of JSON, or "" if it is not clear.
// It reads no escapes, because no harmless name or value has one.
func settingToken(text string) (token string, isText bool) {
	if text[0] == '"' {
		end := strings.IndexByte(text[1:], '"')
		if end < 0 || strings.Contains(text[:end+1], "\\") {
			return "", false
		}
		return text[:end+2], true
	}
	if strings.IndexByte("{}[],:", text[0]) >= 0 {
		return text[:1], false
	}
	end := strings.IndexAny(text, "{}[],:\" \t\r\n")
	if end < 0 {
		end = len(text)
	}
	word := text[:end]
	if lex.OneOf(word, "true false null") || strings.Trim(word, "0123456789.-") == "" {
		return word, false
	}
	return "", false
}

// guardsHooks reports whether a setting decides which hooks, plugins and mods the host
// runs, or with which environment.
func guardsHooks(name string) bool {
	low := strings.ToLower(strings.Trim(name, `"`))
	if lex.Mentions(low, "hook plugin marketplace afar") {
		return true
	}
	return lex.OneOf(low, "env crosssessioninbound command matcher type mods modules")
}

// permissionRule reports whether a list item can only be a permission rule of the
// host: the name of a tool, optionally followed by parentheses.
func permissionRule(item string) bool {
	item = strings.Trim(item, `"`)
	tool, _, _ := strings.Cut(item, "(")
	return strings.HasPrefix(tool, "mcp__") ||
		tool != "" && tool[0] >= 'A' && tool[0] <= 'Z' && !strings.ContainsAny(tool, "@/.: ")
}
