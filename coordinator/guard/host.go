package guard

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/rawjson"
)

// The host loads more than plugins: a skill may bring hooks, and a mod, a module
// that may overrule every hook, ours among them.

// otherSetting is the Op of a WriteFile that changes no setting on which our
// hooks depend.
const otherSetting = "other setting"

// hostCommand reports what a command of the client does to plugins, mods and
// hooks.
func (sh *shell) hostCommand(c command) {
	o := parseOptions(c.args, "settings p print mcp-config setting-sources model allowedTools permission-mode output-format add-dir plugin-dir plugin-url")
	sh.hostEnvironment()
	sh.hostOptions(o)
	sh.hostPrompt(o)
	sub := strings.ToLower(o.at(0) + " " + o.at(1))
	switch {
	case oneOf(o.at(0), "plugin plugins"):
		sh.pluginCommand(o, sub)
	case o.at(0) == "config" && containsAny(o.pos, "disableAllHooks hooks enabledPlugins prependPlugins"):
		sh.effect(DisableAfar, sub, o.at(3))
	case oneOf(strings.ReplaceAll(sub, " ", "."), "mcp.add mcp.add-json mcp.remove config.set config.add config.remove") && !oneOf(o.at(2), "list ls"):
		sh.effect(ChangeSystem, "host", sub)
	}
}

// hostEnvironment reports variables that start a client without our hooks, or
// with plugins of its own.
func (sh *shell) hostEnvironment() {
	for _, name := range [...]string{"AFAR_DISABLED", "CLAUDE_CODE_SAFE_MODE", "CLAUDE_CODE_SIMPLE"} {
		if v, ok := sh.assigned(name); ok && v != "" && v != "0" {
			sh.effect(DisableAfar, "Afar off", name+"="+v)
		}
	}
	for _, name := range [...]string{"CLAUDE_CONFIG_DIR", "HOME", "AFAR_HOME"} {
		if v, ok := sh.assigned(name); ok && v != sh.u.ctx.Env[name] {
			sh.effect(RunElevated, "claude without the person's settings", v)
		}
	}
	if v, ok := sh.assigned("CLAUDE_CODE_PLUGIN_DIRS"); ok && v != "" {
		sh.effect(ChangeSystem, "host", "plugins from "+v)
	}
}

func (sh *shell) hostOptions(o options) {
	if o.exact("safe-mode", "bare", "disable-hooks") {
		sh.effect(DisableAfar, "hooks off", "")
	}
	if v, ok := o.get("setting-sources"); ok && !strings.Contains(v, "user") {
		sh.effect(DisableAfar, "settings off", "")
	}
	mode, _ := o.get("permission-mode")
	if o.exact("dangerously-skip-permissions", "allow-dangerously-skip-permissions") || mode == "bypassPermissions" {
		sh.effect(RunElevated, "claude without permissions", "")
	}
	for _, name := range [...]string{"plugin-dir", "plugin-url"} {
		if v, ok := o.get(name); ok {
			sh.effect(ChangeSystem, "host", "plugins from "+v)
		}
	}
	for _, settings := range o.all("settings") {
		sh.nestedSettings(settings)
	}
}

// nestedSettings judges the settings that a nested client is given, as JSON or
// as a file.
func (sh *shell) nestedSettings(settings string) {
	switch {
	case !strings.HasPrefix(strings.TrimSpace(settings), "{"):
		sh.effect(ChangeSystem, "host", "settings from "+settings)
	case strings.Contains(settings, "disableAllHooks") || !harmlessSettings(settings):
		sh.effect(DisableAfar, "hooks off", "")
	}
}

// hostPrompt reports a prompt that loads mods.
func (sh *shell) hostPrompt(o options) {
	prompts := append(o.all("p", "print"), o.at(0))
	for _, prompt := range prompts {
		if word, _, _ := strings.Cut(strings.TrimSpace(prompt), " "); strings.HasPrefix(word, "/") && loadsMods(word) {
			sh.effect(LoadMod, "prompt", word)
			return
		}
	}
}

func (sh *shell) pluginCommand(o options, sub string) {
	names := strings.Join(o.pos[min(2, len(o.pos)):], " ")
	verb := strings.ToLower(o.at(1))
	switch {
	case oneOf(verb, "uninstall remove disable rm") && (strings.Contains(names, "afar") || o.exact("all") || names == ""):
		sh.effect(DisableAfar, sub, o.at(2))
	case verb == "marketplace" && oneOf(o.at(2), "remove rm") && strings.Contains(names, "afar"):
		sh.effect(DisableAfar, sub, o.at(3))
	case verb == "marketplace" && oneOf(o.at(2), "list ls"):
	case oneOf(verb, "install i init new enable update uninstall remove disable rm prune autoremove restore-set-aside marketplace"):
		sh.effect(ChangeSystem, "host", sub)
	}
}

// skillTool reports a skill, or a command of the client, that loads mods.
func (sh *shell) skillTool(call Call) {
	for _, a := range call.Args {
		name, _, _ := strings.Cut(strings.TrimSpace(a.Value), " ")
		if oneOf(a.Path, "skill command name") && loadsMods(name) {
			sh.part, sh.via = call.Tool+" "+name, call.Tool
			sh.effect(LoadMod, "skill", name)
		}
	}
}

// loadsMods is true of the skill with which a session writes mods, and of the
// command that loads what was written.
func loadsMods(name string) bool {
	name = strings.ToLower(strings.TrimPrefix(name, "/"))
	return oneOf(name[strings.LastIndexByte(name, ':')+1:], "plugin-authoring reload-plugins")
}

// hostPath is true of the files that decide which hooks the host runs.
func hostPath(p, home string, env map[string]string) bool {
	low := strings.ToLower(p)
	base := baseName(low)
	if base == "managed-settings.json" || base == "remote-settings.json" || base == ".claude.json" {
		return true
	}
	tail, ok := hostFolder(p, env)
	return ok && hostTail(tail)
}

// hostFolder returns the part of a path below a folder of the host, in small
// letters: "" for the folder itself, else with a slash before it.
func hostFolder(p string, env map[string]string) (tail string, ok bool) {
	if dir := env["CLAUDE_CONFIG_DIR"]; dir != "" && within(p, dir) && hostTail(strings.ToLower(p[len(dir):])) {
		return strings.ToLower(p[len(dir):]), true
	}
	low := strings.ToLower(p)
	if i := strings.LastIndex(low, "/.claude/"); i >= 0 {
		return low[i+len("/.claude"):], true
	}
	return "", strings.HasSuffix(low, "/.claude")
}

func hostTail(tail string) bool {
	base := baseName(tail)
	if tail == "" || tail == "/" {
		return true
	}
	if strings.HasPrefix(base, "settings") && (strings.HasSuffix(base, ".json") || hasGlob(base) || hasHole(base)) {
		return true
	}
	return within(tail, "/plugins") || within(tail, "/hooks") || within(tail, "/dev-mods") || tail == "/*" || tail == "/.credentials.json" || tail == "/"+unknown
}

// modFile is true of what makes the host load a mod: all that lies in dev-mods,
// and what tells it which hooks and modules a skill brings.
func modFile(j *judging, e Effect) bool {
	return e.Away == "" && (j.loadsMod(e.Target) || j.loadsMod(j.real(e.Target)))
}

func (j *judging) loadsMod(p string) bool {
	tail, _ := hostFolder(p, j.ctx.Env)
	if within(tail, "/dev-mods") {
		return true
	}
	rest, ok := strings.CutPrefix(tail, "/skills/")
	if !ok {
		return false
	}
	_, file, _ := strings.Cut(rest, "/")
	return within(file, "hooks") || within(file, ".claude-plugin") || oneOf(baseName(file), "hooks.json plugin.json")
}

// skillFile is true of a skill of the host, or the folder of all.
func skillFile(j *judging, e Effect) bool {
	if e.Away != "" || e.Op == "create" {
		return false
	}
	for _, p := range [...]string{e.Target, j.real(e.Target)} {
		if tail, _ := hostFolder(p, j.ctx.Env); within(tail, "/skills") {
			return true
		}
	}
	return false
}

// settingsEdit is otherSetting for a call of a file tool that shows the whole of
// what it changes, and changes no setting on which our hooks depend; else "". A
// whole user file is never that: what it leaves out is not shown.
func (sh *shell) settingsEdit(call Call, p string) string {
	tail, ok := hostFolder(p, sh.u.ctx.Env)
	if !ok || strings.Count(tail, "/") != 1 || !oneOf(baseName(tail), "settings.json settings.local.json") {
		return ""
	}
	inHome := p == sh.place.home+"/.claude"+tail
	switch {
	case call.Tool == "Write" && !inHome && wholeSettings(call.value("content")):
		return otherSetting
	case (call.Tool == "Edit" || call.Tool == "MultiEdit") && call.harmlessEdits():
		return otherSetting
	}
	return ""
}

// wholeSettings is true of a harmless settings file that is not empty.
func wholeSettings(content string) bool {
	return strings.Contains(content, ":") && rawjson.Valid(content) && harmlessSettings(content)
}

// harmlessEdits is true if each text that an edit takes or gives is harmless.
func (c Call) harmlessEdits() bool {
	texts := 0
	for _, a := range c.Args {
		if !oneOf(a.Path[strings.LastIndexByte(a.Path, '.')+1:], "old_string new_string") {
			continue
		}
		texts++
		if !harmlessSettings(a.Value) {
			return false
		}
	}
	return texts > 1
}

// harmlessSettings is true of a piece of a settings file that names what it
// changes, and names nothing on which our hooks depend. It may be cut at any
// point between two tokens.
func harmlessSettings(text string) bool {
	named, listed := false, false // the value that comes next has a name, or its list has
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

// settingToken is the token that a piece of JSON begins with, "" if it cannot be
// told. Escapes are not read: no harmless name or value has one.
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
	if oneOf(word, "true false null") || strings.Trim(word, "0123456789.-") == "" {
		return word, false
	}
	return "", false
}

// guardsHooks is true of the names of settings that decide which hooks, plugins
// and mods the host runs, and with which environment.
func guardsHooks(name string) bool {
	low := strings.ToLower(strings.Trim(name, `"`))
	if strings.Contains(low, "hook") || strings.Contains(low, "plugin") || strings.Contains(low, "marketplace") || strings.Contains(low, "afar") {
		return true
	}
	return oneOf(low, "env crosssessioninbound command matcher type mods modules")
}

// permissionRule is true of an item of a list that can only be a rule of the
// host's permissions: a tool's name, perhaps with parentheses.
func permissionRule(item string) bool {
	item = strings.Trim(item, `"`)
	tool, _, _ := strings.Cut(item, "(")
	return strings.HasPrefix(tool, "mcp__") || tool != "" && tool[0] >= 'A' && tool[0] <= 'Z' && !strings.ContainsAny(tool, "@/.: ")
}

// switchOff is the file that silences Afar in a project.
const switchOff = ".afar-disabled"
