// Package agents has what concerns agents: the commands, skills and settings of the host, Afar's own programs, and the
// tools of MCP servers.
package agents

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/protected"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/secret"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/script"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// The host loads more than plugins. A skill may add hooks. A mod brings a module
// that can overrule every hook, including Afar's.

// hostCommand reports the effects of a command of the client on plugins, mods and hooks.
func hostCommand(sh *shell.Shell, c shell.Command) {
	o := argv.ParseOptions(c.Args, hostOptions)
	if o.Given("h help") {
		return
	}
	hostEnvironment(sh)
	hostSettings(sh, o)
	hostPrompt(sh, append(o.Pos, rows.Stdin(c)...))
	o.Pos = rows.Lowered(o.Pos)
	rows.Run(sh, HostRows, o.Pos, c, o)
}

// hostOptions are the options of the client with a value. Those whose value may be missing are not
// among them: the value is then read as an operand.
const hostOptions = "settings mcp-config setting-sources model fallback-model add-dir plugin-dir plugin-url -all -json -debug " +
	"-remote-control allowedTools allowed-tools disallowedTools disallowed-tools tools permission-mode permission-prompts " +
	"permission-prompt-tool output-format input-format json-schema max-budget-usd max-turns system-prompt " +
	"system-prompt-file append-system-prompt append-system-prompt-file system-prompt-snapshot agent agents betas " +
	"autocompact debug-file effort environment file n name session-id remote-control-session-name-prefix " +
	"messaging-socket-path cwd json-path log-file scope s transport t env e header H"

// A later is a file by the end of its path, and the keys in it whose commands other programs run by themselves.
type later struct{ file, keys string }

var laterKeys = [...]later{
	{"/package.json", "install postinstall preinstall prepare"},
	{"/.vscode/tasks.json", "command"},
	{"/devcontainer.json", "initializeCommand onCreateCommand postAttachCommand postCreateCommand postStartCommand"},
}

// ReportLater reports what the commands do that a call writes into a file, if another program runs them from
// there: the guard never sees that program start them.
func ReportLater(sh *shell.Shell, call effect.Call, file string) {
	isWorkflow := strings.Contains(file, "/.github/workflows/")
	at := slices.IndexFunc(laterKeys[:], func(k later) bool { return strings.HasSuffix(file, k.file) })
	if !isWorkflow && at < 0 {
		return
	}
	for _, a := range call.Args {
		switch {
		case !lex.OneOf(a.Name(), "content new_string"):
		case at >= 0:
			runValues(sh, a.Value, laterKeys[at].keys)
		case strings.Contains(a.Value, "toJSON(secrets)"):
			sh.Effect(effect.SendOut, effect.Named("secrets of workflows"), file)
		}
	}
}

// runValues runs the texts that a piece of JSON gives some keys. The piece may start and end between any two tokens.
func runValues(sh *shell.Shell, text, keys string) {
	toks := script.Tokenize(text, "js")
	for at := 0; at+2 < len(toks); at++ {
		key, value := toks[at], toks[at+2]
		if key.Kind == 's' && value.Kind == 's' && lex.OneOf(key.Text, keys) {
			sh.Sub().RunText(value.Text)
		}
	}
}

// Programs are other agents. Some of their options let them act without a question to anybody.
var Programs = []rows.Table{{
	Programs: "amp codex cursor-agent gemini qwen",
	Options:  "s sandbox a ask-for-approval approval-mode C cd m model c config p prompt output-format add-dir",
	Rows: []rows.Row{{
		Given: "dangerously-bypass-approvals-and-sandbox dangerously-allow-all yolo y approval-mode=yolo " +
			"sandbox=danger-full-access s=danger-full-access",
		Does: effect.RunElevated, Op: "agent without permissions",
	}},
}}

// HostRows are the options and the commands of the client that change its settings, servers and plugins.
var HostRows = []rows.Row{
	{
		Given: "safe-mode bare disable-hooks restricted", GoOn: true,
		Does: effect.DisableAfar, Op: effect.HooksOff,
	},
	{
		Given: "dangerously-skip-permissions allow-dangerously-skip-permissions permission-mode=bypassPermissions",
		GoOn:  true, Does: effect.RunElevated, Op: "claude without permissions",
	},
	{
		Given: "plugin-dir=", GoOn: true,
		Does: effect.ChangeSystem, Op: effect.Host,
		To: rows.Joined{rows.Text("plugins from"), rows.ValueOf("plugin-dir")},
	},
	{
		Given: "plugin-url=", GoOn: true,
		Does: effect.ChangeSystem, Op: effect.Host,
		To: rows.Joined{rows.Text("plugins from"), rows.ValueOf("plugin-url")},
	},
	{
		Words: "config", Among: "disableallhooks hooks enabledplugins prependplugins",
		Does: effect.DisableAfar, OpOf: rows.Joined{rows.Operand(0), rows.Operand(1)}, To: rows.Operand(3),
	},
	{Words: "attach|remote-control|rc", Does: effect.TypeInto, To: rows.Joined{rows.Operand(0), rows.Operand(1)}},
	{Words: "agents", Without: "json", Does: effect.TypeInto, To: rows.Operand(0)},
	{Given: "remote-control", GoOn: true, Does: effect.TypeInto, To: rows.Text("remote control")},
	{
		Words: "mcp|config add|add-json|set|remove",
		Does:  effect.ChangeSystem, Op: effect.Host, To: rows.Joined{rows.Operand(0), rows.Operand(1)},
	},
	{Words: "plugin|plugins marketplace list|ls"},
	{
		Words: pluginsEnd, Mention: "afar", Does: effect.DisableAfar,
		OpOf: rows.Joined{rows.Operand(0), rows.Operand(1)},
		To:   rows.Operand(2),
	},
	{
		Words: pluginsEnd + " *", Without: "all",
		Does: effect.ChangeSystem, Op: effect.Host, To: rows.Joined{rows.Operand(0), rows.Operand(1)},
	},
	{
		Words: pluginsEnd, Does: effect.DisableAfar, OpOf: rows.Joined{rows.Operand(0), rows.Operand(1)},
		To: rows.Operand(2),
	},
	{
		Words: "plugin|plugins marketplace remove|rm", Mention: "afar", Does: effect.DisableAfar,
		OpOf: rows.Joined{rows.Operand(0), rows.Operand(1)}, To: rows.Operand(3),
	},
	{
		Words: "plugin|plugins install|i|init|new|enable|update|prune|autoremove|restore-set-aside|marketplace",
		Does:  effect.ChangeSystem, Op: effect.Host, To: rows.Joined{rows.Operand(0), rows.Operand(1)},
	},
}

// pluginsEnd are the commands with which plugins no longer run.
const pluginsEnd = "plugin|plugins uninstall|remove|disable|rm"

// hostEnvironment reports variables that start a client without Afar's hooks, with
// another configuration, or with other plugins.
func hostEnvironment(sh *shell.Shell) {
	for _, name := range [...]string{"AFAR_DISABLED", "CLAUDE_CODE_SAFE_MODE", "CLAUDE_CODE_SIMPLE"} {
		if v, _ := sh.Assigned(name); strings.Trim(v, "0") != "" {
			sh.Effect(effect.DisableAfar, effect.Named("Afar off"), name+"="+v)
		}
	}
	for _, name := range [...]string{"CLAUDE_CONFIG_DIR", "HOME", "AFAR_HOME"} {
		if v, ok := sh.Assigned(name); ok && v != sh.Eval.Site.Env[name] {
			sh.Effect(effect.RunElevated, effect.Named("claude without the person's settings"), v)
		}
	}
	if v, _ := sh.Assigned("CLAUDE_CODE_PLUGIN_DIRS"); v != "" {
		sh.Effect(effect.ChangeSystem, effect.Host, "plugins from "+v)
	}
}

// hostSettings reports options that start a client with other settings.
func hostSettings(sh *shell.Shell, o argv.Options) {
	if v, ok := o.Get("setting-sources"); ok && !strings.Contains(v, "user") {
		sh.Effect(effect.DisableAfar, effect.Named("settings off"), "")
	}
	for _, settings := range o.All("settings") { // as JSON or as a file
		switch {
		case !strings.HasPrefix(strings.TrimSpace(settings), "{"):
			sh.Effect(effect.ChangeSystem, effect.Host, "settings from "+settings)
		case strings.Contains(settings, "disableAllHooks"), !harmlessSettings(settings):
			sh.Effect(effect.DisableAfar, effect.HooksOff, "")
		}
	}
}

// hostPrompt reports a prompt that loads mods, or that is a command of Afar's. Any of the texts may be the
// prompt. On standard input it may be a line of JSON.
func hostPrompt(sh *shell.Shell, texts []string) {
	for _, text := range texts {
		_, quoted, _ := strings.Cut(text, `"/afar:`)
		if quoted != "" {
			text = "/afar:" + quoted
		}
		word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
		name, ok := strings.CutPrefix(word, "/")
		switch {
		case !ok:
		case loadsMods(name):
			sh.Effect(effect.LoadMod, effect.Named("prompt"), word)
		case strings.HasPrefix(name, "afar:") && name != "afar:status", lex.OneOf(name, "away loop"):
			sh.Effect(effect.SteerAfar, effect.Named("prompt"), word)
		}
	}
}

// ReportSkill reports a skill or a client command that loads mods.
func ReportSkill(sh *shell.Shell, call effect.Call) {
	for _, a := range call.Args {
		name, _, _ := strings.Cut(strings.TrimSpace(a.Value), " ")
		if lex.OneOf(a.Path, "skill command name") && loadsMods(name) {
			sh.Part, sh.Via = call.Tool+" "+name, call.Tool
			sh.Effect(effect.LoadMod, effect.Named("skill"), name)
		}
	}
}

// loadsMods reports whether a name is the skill that writes mods, or the command that loads them.
func loadsMods(name string) bool {
	name = strings.ToLower(strings.TrimPrefix(name, "/"))
	return lex.OneOf(name[strings.LastIndexByte(name, ':')+1:], "plugin-authoring reload-plugins")
}

// SettingsEdit returns OtherSetting if a call of a file tool shows its whole change and changes no
// setting on which Afar's hooks depend, and "" otherwise. A call that writes the whole user file does
// not show what it removes.
func SettingsEdit(sh *shell.Shell, call effect.Call, p string) effect.Op {
	tail, _ := protected.HostFolder(p, sh.Eval.Site.Env)
	if !lex.OneOf(tail, "/settings.json /settings.local.json") {
		return ""
	}
	harmless := false
	switch call.Tool {
	case "Write":
		harmless = p != sh.Place.Home+"/.claude"+tail && wholeSettings(call.Value("content"))
	case "Edit", "MultiEdit":
		harmless = harmlessEdits(call)
	}
	if !harmless {
		return ""
	}
	return effect.OtherSetting
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
		if !lex.OneOf(a.Name(), "old_string new_string") {
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
	parts := strings.Split(text, `"`) // every second one is a text
	if len(parts)%2 == 0 || strings.Contains(text, `\`) {
		return false // no harmless name or value has an escape
	}
	named, listed := false, false // the next value has a name, or its list has one
	for i, part := range parts {
		if i%2 == 0 {
			if !harmlessTokens(part, &named, &listed) {
				return false
			}
			continue
		}
		isName := strings.HasPrefix(strings.TrimSpace(parts[i+1]), ":")
		switch {
		case isName:
			if guardsHooks(part) {
				return false
			}
		case !named && !listed && !permissionRule(part):
			return false // a value of unknown name
		}
		named = isName
	}
	return true
}

// harmlessTokens is harmlessSettings for the tokens between two texts.
func harmlessTokens(part string, named, listed *bool) bool {
	for _, mark := range "{}[],:" {
		part = strings.ReplaceAll(part, string(mark), " "+string(mark)+" ")
	}
	for _, token := range strings.Fields(part) {
		switch {
		case token == "[":
			*listed = *listed || *named
		case token == "]":
			*listed = false
		case lex.OneOf(token, "{ } , :"):
		case !lex.OneOf(token, "true false null") && strings.Trim(token, "0123456789.-") != "":
			return false
		case !*named && !*listed:
			return false
		}
		*named = *named && token == ":"
	}
	return true
}

// guardsHooks reports whether a setting decides which hooks, plugins and mods the host
// runs, or with which environment.
func guardsHooks(name string) bool {
	low := strings.ToLower(name)
	return lex.Mentions(low, "hook plugin marketplace afar") ||
		lex.OneOf(low, "command crosssessioninbound env matcher mods modules type")
}

// permissionRule reports whether a list item can only be a permission rule of the
// host: the name of a tool, optionally followed by parentheses.
func permissionRule(item string) bool {
	tool, _, _ := strings.Cut(item, "(")
	switch {
	case strings.HasPrefix(tool, "mcp__"):
		return true
	case tool == "", strings.ContainsAny(tool, "@/.: "):
		return false
	}
	return 'A' <= tool[0] && tool[0] <= 'Z'
}

// These are the programs that always edit their file arguments, the programs that
// do so with a flag, and the programs that talk to sockets.
const (
	editors       = "code ed emacs ex helix hx joe kak micro nano nvim pico subl vi vim"
	inPlaceAlways = editors + " patch dos2unix unix2dos sd rpl sqlite3 duckdb"
	inPlaceAsked  = "biome black clang-format dasel eslint gofmt prettier ruff rustfmt yq"
	socketClients = "curl http nc ncat netcat socat websocat wget"
)

// These are the programs that make requests, open pages or forward ports, and the programs
// that show a port of this machine to the world. They may reach Afar's page.
const (
	pageClients = socketClients + " wget2 https xh httpie curlie aria2c axel fetch lwp-request lynx w3m links links2 " +
		"elinks browsh telnet openssl gnutls-cli hurl grpcurl ab wrk wrk2 hey siege oha bombardier vegeta k6 " +
		"autocannon httperf httrack monolith single-file wkhtmltopdf wkhtmltoimage cutycapt lighthouse playwright " +
		"puppeteer playwright-cli pageres percollate yt-dlp mitmproxy mitmdump proxychains proxychains4 ssh autossh " +
		"mosh plink sshuttle xdg-open open sensible-browser x-www-browser www-browser gnome-open kde-open kde-open5 " +
		"gio wslview explorer start start-process firefox firefox-esr librewolf chromium chromium-browser " +
		"google-chrome google-chrome-stable chrome chrome-headless-shell headless_shell brave brave-browser " +
		"microsoft-edge msedge vivaldi opera safari epiphany qutebrowser konqueror falkon nyxt python node deno bun " +
		"ruby perl php iwr irm invoke-webrequest invoke-restmethod test-netconnection"
	tunnels = "bore chisel cloudflared devtunnel expose frpc inlets inletsctl localtunnel loophole lt ngrok pagekite" +
		" rathole tailscale telebit zrok"
)

// IsChecked reports whether ReportOwn has a check for a program.
func IsChecked(name string) bool {
	const checked = ownPrograms + " " + inPlaceAlways + " " + inPlaceAsked + " " + pageClients + " " + tunnels
	return lex.OneOf(name, checked) || strings.HasPrefix(name, "hook-")
}

const ownPrograms = "afar agent-run claude claude-code go"

// ReportOwn reports the effects of a command on Afar or on the host's guard rails.
func ReportOwn(sh *shell.Shell, c shell.Command, full string) {
	switch c.Name {
	case "afar":
		afarCommand(sh, c)
	case "claude", "claude-code":
		hostCommand(sh, c)
	case "go":
		ownSource(sh, c)
	default:
		if startsHook(sh, c.Name, full) {
			sh.Effect(effect.SteerAfar, effect.Named("hook"), c.Name)
		}
	}
	if lex.OneOf(c.Name, editors) {
		secret.ReportFiles(sh, argv.ParseOptions(c.Args, "c u S T").Pos)
	}
	if changesInPlace(c) {
		ReportOwnOperands(sh, c)
	}
	if lex.OneOf(c.Name, socketClients) {
		ownSocket(sh, c)
	}
	ownPage(sh, c)
}

// startsHook reports whether a program is one of Afar's hooks, or its program for a turn.
func startsHook(sh *shell.Shell, name, full string) bool {
	event, isHook := strings.CutPrefix(name, "hook-")
	switch {
	case isHook && lex.OneOf(event, protected.HookEvents):
		return true
	case isHook, name == "agent-run":
		return sh.IsOwn(sh.Path(full))
	}
	return false
}

// ownSource checks a program of Afar that "go run" builds.
func ownSource(sh *shell.Shell, c shell.Command) {
	if lex.First(c.Args) != "run" || len(c.Args) < 2 {
		return
	}
	if base := fspath.Base(c.Args[1]); rows.IsOwnName(base) {
		ReportOwn(sh, shell.Command{Name: base, Args: c.Args[2:]}, c.Args[1])
	}
}

// ownPage reports a command that reaches Afar's page.
func ownPage(sh *shell.Shell, c shell.Command) {
	page := sh.Eval.Site.Page
	switch {
	case lex.OneOf(c.Name, tunnels) && page.PortAlone(c.Args),
		lex.OneOf(c.Name, tunnels+" "+pageClients) && page.Args(c.Args):
		sh.Effect(effect.SteerAfar, effect.WebPage, strings.Join(c.Args, " "))
	}
}

// changesInPlace reports whether a command is an editor or a converter that overwrites its operands.
func changesInPlace(c shell.Command) bool {
	switch {
	case lex.OneOf(c.Name, inPlaceAlways):
		return true
	case lex.OneOf(c.Name, inPlaceAsked):
		return lex.ContainsAny(c.Args, "--write -i -w --in-place --inplace put --fix")
	}
	return false
}

// ReportOwnOperands reports guarded files among the operands of a program that edits files.
func ReportOwnOperands(sh *shell.Shell, c shell.Command) {
	for _, a := range argv.ParseOptions(c.Args, "").Pos {
		if p := sh.Path(a); rows.IsGuarded(sh, p) {
			sh.Effect(effect.WriteFile, "", p)
		}
	}
}

// BrowserFolders knows whether the directory of the last command may be that of a browser.
type BrowserFolders struct {
	cwd   string
	below bool
}

// Report reports the cookie stores of browsers among the arguments of any program.
func (b *BrowserFolders) Report(sh *shell.Shell, c shell.Command) {
	if sh.Place.Away != "" {
		return
	}
	below := b.mayHave(sh.Place.Cwd)
	for _, a := range c.Args {
		if strings.HasPrefix(a, "--cookies-from-browser") {
			sh.Effect(effect.ReadFile, effect.Cookies, a)
		}
		if strings.HasPrefix(a, "-") {
			_, a, _ = strings.Cut(a, "=")
		}
		if a == "" || !below && !protected.MayBeBrowser(a) {
			continue
		}
		if p := sh.Path(strings.TrimPrefix(strings.TrimPrefix(a, "file:"), "@")); protected.BrowserStore(p) {
			sh.Effect(effect.ReadFile, effect.Cookies, p)
		}
	}
}

// mayHave is protected.MayBeBrowser for the directory of a command. Commands mostly run where
// the one before ran.
func (b *BrowserFolders) mayHave(cwd string) bool {
	if cwd != b.cwd {
		b.cwd, b.below = cwd, protected.MayBeBrowser(cwd)
	}
	return b.below
}

// ownSocket reports arguments that name one of Afar's sockets.
func ownSocket(sh *shell.Shell, c shell.Command) {
	for _, a := range c.Args {
		inOwn := slices.ContainsFunc(sh.Eval.Site.Own, func(dir string) bool {
			return dir != "" && strings.Contains(a, dir)
		})
		switch {
		case inOwn || script.NamesSocket(a):
			sh.Effect(effect.SteerAfar, effect.Socket, a)
			return
		case protected.HostSocket(a):
			sh.Effect(effect.TypeInto, "", a)
		}
	}
}

// afarCommand reports a command of Afar that decides something. Verbs that only read
// or post are allowed. Every other verb is a decision that belongs to the person,
// not to a session. On another machine a session may only propose a run.
func afarCommand(sh *shell.Shell, c shell.Command) {
	o := argv.ParseOptions(c.Args, "session since home machine")
	verb, sub := o.At(0), o.At(1)
	_, isElsewhere := o.Get("machine")
	switch {
	case verb == "", lex.ContainsAny(c.Args, "--help -h"):
		return
	case isElsewhere && verb+"."+sub != "run.start": // a decision of the person
	case lex.OneOf(verb, "asks completion consult demo doctor grants help issue log logs post read report status"+
		" topics version"),
		lex.OneOf(verb+"."+sub, "audit. audit.verify away. config. debug. guard. guard.explain guard.rules"+
			" guard.test loop. loop.list loop.show run. run.list run.log run.show run.start run.widen send.person"+
			" telegram. telegram.status undo. undo.list"):
		return
	}
	sh.Effect(effect.SteerAfar, effect.Named(verb), strings.TrimSpace(verb+" "+sub))
}
