package guard

import "strings"

// hookEvents name our hook binaries after "hook-".
const hookEvents = "session-start session-end pre-tool-use post-tool-use post-tool-use-failure permission-request permission-denied stop stop-failure " +
	"elicitation subagent-start subagent-stop pre-compact user-prompt-submit user-prompt-expansion notification config-change stop-rewake"

// The programs that write the files they are given, always or with a flag,
// and those that talk to sockets.
const (
	inPlaceAlways = "nano pico vim vi nvim emacs micro hx helix code subl ed ex joe kak patch dos2unix unix2dos sd rpl sqlite3 duckdb"
	inPlaceAsked  = "prettier yq dasel gofmt black ruff biome eslint rustfmt clang-format"
	socketClients = "curl nc ncat netcat socat websocat wget http"
)

// ownName is true of the programs that own has something to say about.
func ownName(name string) bool {
	return name == "afar" || strings.HasPrefix(name, "hook-") || name == "claude" || name == "claude-code" || name == "go" ||
		oneOf(name, inPlaceAlways) || oneOf(name, inPlaceAsked) || oneOf(name, socketClients)
}

// own reports what a command does to Afar or to the host's guard rails.
func (sh *shell) own(c command, full string) {
	switch {
	case c.name == "afar":
		sh.afarCommand(c)
	case strings.HasPrefix(c.name, "hook-") && (oneOf(c.name[5:], hookEvents) || sh.isOwn(sh.path(full))):
		sh.effect(SteerAfar, "hook", c.name)
	case c.name == "claude" || c.name == "claude-code":
		sh.hostCommand(c)
	}
	sh.opened(c)
	if changesInPlace(c) {
		sh.ownOperands(c)
	}
	if c.name == "go" && len(c.args) > 1 && c.args[0] == "run" && (baseName(c.args[1]) == "afar" || strings.HasPrefix(baseName(c.args[1]), "hook-")) {
		sh.own(command{name: baseName(c.args[1]), args: c.args[2:]}, c.args[1])
	}
	if oneOf(c.name, socketClients) {
		sh.ownSocket(c)
	}
}

// changesInPlace is true of the editors and converters that write the files
// they are given.
func changesInPlace(c command) bool {
	if oneOf(c.name, inPlaceAlways) {
		return true
	}
	return oneOf(c.name, inPlaceAsked) &&
		containsAny(c.args, "--write -i -w --in-place --inplace put --fix")
}

// ownOperands reports guarded files among the operands of a program that
// changes what it is given.
func (sh *shell) ownOperands(c command) {
	for _, a := range parseOptions(c.args, "").pos {
		if p := sh.path(a); sh.isOwn(p) || hostPath(p, sh.place.home, sh.u.ctx.Env) {
			sh.effect(WriteFile, "", p)
		}
	}
}

// ownOutput notices a compiler or another program that is told to write one of
// the guarded files.
func (sh *shell) ownOutput(c command) {
	for i, a := range c.args {
		if len(a) < 2 || a[0] != '-' {
			continue
		}
		name, file, given := strings.Cut(a, "=")
		if !oneOf(name, "-o --output --out -O --outfile --output-file --dest --target-directory") {
			continue
		}
		if !given && i+1 < len(c.args) {
			file = c.args[i+1]
		}
		if p := sh.path(file); sh.isOwn(p) || hostPath(p, sh.place.home, sh.u.ctx.Env) {
			sh.effect(WriteFile, "", p)
		}
	}
}

// ownProgram is true of our binaries, and of the link to one in the home.
func (sh *shell) ownProgram(p string) bool {
	base := baseName(p)
	return linkedProgram(p) || sh.isOwn(p) && (base == "afar" || strings.HasPrefix(base, "hook-"))
}

func linkedProgram(p string) bool {
	return strings.HasSuffix(p, "/.local/bin/afar") || p == "/usr/local/bin/afar"
}

// guardedName is true of names that are ours wherever they lie: the link to the
// program, its service, and what a search finds by name.
func guardedName(p string) bool {
	base := baseName(p)
	switch {
	case base == switchOff, strings.EqualFold(base, PolicyFile), linkedProgram(p):
		return true
	case strings.Contains(base, "afar"):
		return strings.Contains(p, "/LaunchAgents/") || strings.Contains(p, "/systemd/") || hasHole(p) && oneOf(base, "afar.db afar.sock afar")
	}
	event, ok := strings.CutPrefix(base, "hook-")
	return ok && hasHole(p) && oneOf(event, hookEvents)
}

func (sh *shell) isOwn(p string) bool {
	if strings.EqualFold(baseName(p), PolicyFile) {
		return true
	}
	for _, dir := range sh.u.ctx.Own {
		if within(p, dir) {
			return true
		}
	}
	return false
}

func (sh *shell) ownSocket(c command) {
	for _, a := range c.args {
		for _, page := range [...]string{"127.0.0.1:7357", "localhost:7357", "[::1]:7357"} { // AFAR_WEB_ADDR's default
			if strings.Contains(a, page) || strings.HasPrefix(a, ":7357") {
				sh.effect(SteerAfar, "web page", a)
				return
			}
		}
		for _, dir := range sh.u.ctx.Own {
			if dir != "" && strings.Contains(a, dir) || strings.Contains(a, "afar") && strings.Contains(a, ".sock") {
				sh.effect(SteerAfar, "socket", a)
				return
			}
		}
		if strings.Contains(a, "afar") && strings.Contains(a, ".sock") {
			sh.effect(SteerAfar, "socket", a)
			return
		}
	}
}

// afarCommand lets the verbs through that only read or speak; every other
// verb is a decision, and a session decides nothing for the person.
func (sh *shell) afarCommand(c command) {
	_, rest := leading(c.args, "session since home")
	if len(rest) == 0 {
		return
	}
	verb, sub := rest[0], ""
	if _, more := leading(rest[1:], "session since"); len(more) > 0 {
		sub = more[0]
	}
	if containsString(rest, "--help") || containsString(rest, "-h") {
		return
	}
	if oneOf(verb, "status asks log logs post read topics issue consult doctor version help report grants completion demo") {
		return
	}
	if oneOf(verb+"."+sub, "guard.explain guard.rules guard.test loop.show loop.list undo.list audit.verify telegram.status undo. telegram. guard. loop. audit. config. away. debug. send.person") {
		return
	}
	sh.effect(SteerAfar, verb, strings.TrimSpace(verb+" "+sub))
}
