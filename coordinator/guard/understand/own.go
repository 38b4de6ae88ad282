package understand

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/protected"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// These are the programs that always edit their file arguments, the programs that
// do so with a flag, and the programs that talk to sockets.
const (
	inPlaceAlways = "nano pico vim vi nvim emacs micro hx helix code subl ed ex joe kak patch dos2unix unix2dos " +
		"sd rpl sqlite3 duckdb"
	inPlaceAsked  = "prettier yq dasel gofmt black ruff biome eslint rustfmt clang-format"
	socketClients = "curl nc ncat netcat socat websocat wget http"
)

// These are the programs that make requests, open pages or forward ports, and the programs
// that show a port of this machine to the world. They may reach Afar's page.
const (
	pageClients = socketClients + " " +
		"wget2 https xh httpie curlie aria2c axel fetch lwp-request lynx w3m links links2 elinks browsh " +
		"telnet openssl gnutls-cli hurl grpcurl ab wrk wrk2 hey siege oha bombardier vegeta k6 autocannon " +
		"httperf httrack monolith single-file wkhtmltopdf wkhtmltoimage cutycapt lighthouse playwright " +
		"puppeteer playwright-cli pageres percollate yt-dlp mitmproxy mitmdump proxychains proxychains4 ssh " +
		"autossh mosh plink sshuttle xdg-open open sensible-browser x-www-browser www-browser gnome-open " +
		"kde-open kde-open5 gio wslview explorer start start-process firefox firefox-esr librewolf chromium " +
		"chromium-browser google-chrome google-chrome-stable chrome chrome-headless-shell headless_shell " +
		"brave brave-browser microsoft-edge msedge vivaldi opera safari epiphany qutebrowser konqueror falkon " +
		"nyxt python node deno bun ruby perl php iwr irm invoke-webrequest invoke-restmethod " +
		"test-netconnection"
	tunnels = "ngrok cloudflared lt localtunnel bore devtunnel zrok pagekite tailscale inlets inletsctl frpc " +
		"rathole chisel expose loophole telebit"
)

// ownName reports whether checkOwn has a check for a program.
func ownName(name string) bool {
	return lex.OneOf(name, "afar agent-run claude claude-code go") || strings.HasPrefix(name, "hook-") ||
		lex.OneOf(name, inPlaceAlways) ||
		lex.OneOf(name, inPlaceAsked) ||
		lex.OneOf(name, pageClients) || lex.OneOf(name, tunnels)
}

// checkOwn reports the effects of a command on Afar or on the host's guard rails.
func checkOwn(sh *shell.Shell, c shell.Command, full string) {
	switch {
	case c.Name == "afar":
		afarCommand(sh, c)
	case strings.HasPrefix(c.Name, "hook-") && (lex.OneOf(c.Name[5:], protected.HookEvents) || sh.IsOwn(sh.Path(full))):
		sh.Effect(effect.SteerAfar, effect.Hook, c.Name)
	case c.Name == "agent-run" && sh.IsOwn(sh.Path(full)):
		sh.Effect(effect.SteerAfar, effect.Hook, c.Name)
	case lex.OneOf(c.Name, "claude claude-code"):
		hostCommand(sh, c)
	}
	reportOpened(sh, c)
	if changesInPlace(c) {
		ownOperands(sh, c)
	}
	if c.Name == "go" && len(c.Args) > 1 && c.Args[0] == "run" &&
		(fspath.Base(c.Args[1]) == "afar" || strings.HasPrefix(fspath.Base(c.Args[1]), "hook-")) {
		checkOwn(sh, shell.Command{Name: fspath.Base(c.Args[1]), Args: c.Args[2:]}, c.Args[1])
	}
	if lex.OneOf(c.Name, socketClients) {
		ownSocket(sh, c)
	}
	ownPage(sh, c)
}

// ownPage reports a command that reaches Afar's page.
func ownPage(sh *shell.Shell, c shell.Command) {
	page := sh.Eval.Site.Page
	isTunnel := lex.OneOf(c.Name, tunnels)
	if isTunnel && page.PortAlone(c.Args) || (isTunnel || lex.OneOf(c.Name, pageClients)) && page.Args(c.Args) {
		sh.Effect(effect.SteerAfar, effect.WebPage, strings.Join(c.Args, " "))
	}
}

// changesInPlace reports whether a command is an editor or a converter that
// overwrites its file arguments.
func changesInPlace(c shell.Command) bool {
	if lex.OneOf(c.Name, inPlaceAlways) {
		return true
	}
	return lex.OneOf(c.Name, inPlaceAsked) &&
		lex.ContainsAny(c.Args, "--write -i -w --in-place --inplace put --fix")
}

// ownOperands reports guarded files among the operands of a program that edits its
// file arguments.
func ownOperands(sh *shell.Shell, c shell.Command) {
	for _, a := range shell.ParseOptions(c.Args, "").Pos {
		if p := sh.Path(a); isGuarded(sh, p) {
			sh.Effect(effect.WriteFile, "", p)
		}
	}
}

// ownOutput reports a guarded file that a compiler or another program writes
// because of an output option.
func ownOutput(sh *shell.Shell, c shell.Command) {
	for i, a := range c.Args {
		if len(a) < 2 || a[0] != '-' {
			continue
		}
		name, file, given := strings.Cut(a, "=")
		if !lex.OneOf(name, "-o --output --out -O --outfile --output-file --dest --target-directory") {
			continue
		}
		if !given && i+1 < len(c.Args) {
			file = c.Args[i+1]
		}
		if p := sh.Path(file); isGuarded(sh, p) {
			sh.Effect(effect.WriteFile, "", p)
		}
	}
}

// ownProgram reports whether a path is one of Afar's binaries, or a link to one in
// the home directory.
func ownProgram(sh *shell.Shell, p string) bool {
	base := fspath.Base(p)
	return protected.LinkedProgram(p) || sh.IsOwn(p) && (lex.OneOf(base, "afar agent-run") || strings.HasPrefix(base, "hook-"))
}

// namesFiles are the programs that show names of files, or take texts that are no files.
const namesFiles = "ls ll dir stat du df test [ [[ echo printf " +
	"rm rmdir cd pushd find fd fdfind mkdir touch file wc tree " +
	"exa eza lsd chmod chown basename dirname realpath readlink which whereis locate pgrep pkill ps kill " +
	"git gh glab grep egrep fgrep rg ag ack sed awk gawk jq export alias pip pip3 uv npm pnpm yarn cargo " +
	"go apt apt-get brew"

// readsBrowser reports the cookie stores of browsers among the arguments of any program.
func readsBrowser(sh *shell.Shell, c shell.Command) {
	if sh.Place.Away != "" || lex.OneOf(c.Name, namesFiles) {
		return
	}
	below := protected.MayBeBrowser(sh.Place.Cwd)
	for _, a := range c.Args {
		if strings.HasPrefix(a, "--cookies-from-browser") {
			sh.Effect(effect.ReadFile, effect.Cookies, a)
		}
		if !below && !protected.MayBeBrowser(a) || strings.HasPrefix(a, "-") && !strings.Contains(a, "=") {
			continue
		}
		if _, value, ok := strings.Cut(a, "="); ok && strings.HasPrefix(a, "-") {
			a = value
		}
		if p := sh.Path(strings.TrimPrefix(strings.TrimPrefix(a, "file:"), "@")); protected.BrowserStore(p) {
			sh.Effect(effect.ReadFile, effect.Cookies, p)
		}
	}
}

// ownSocket reports arguments that name one of Afar's sockets.
func ownSocket(sh *shell.Shell, c shell.Command) {
	for _, a := range c.Args {
		for _, dir := range sh.Eval.Site.Own {
			if dir != "" && strings.Contains(a, dir) || strings.Contains(a, "afar") && strings.Contains(a, ".sock") {
				sh.Effect(effect.SteerAfar, effect.Socket, a)
				return
			}
		}
		if strings.Contains(a, "afar") && strings.Contains(a, ".sock") {
			sh.Effect(effect.SteerAfar, effect.Socket, a)
			return
		}
	}
}

// afarCommand reports a command of Afar that decides something. Verbs that only read
// or post are allowed. Every other verb is a decision that belongs to the person,
// not to a session.
func afarCommand(sh *shell.Shell, c shell.Command) {
	_, rest := shell.Leading(c.Args, "session since home")
	if len(rest) == 0 {
		return
	}
	verb, sub := rest[0], ""
	if _, more := shell.Leading(rest[1:], "session since"); len(more) > 0 {
		sub = more[0]
	}
	if lex.ContainsAny(rest, "--help -h") {
		return
	}
	if lex.OneOf(verb, "status asks log logs post read topics issue consult doctor version help report grants "+
		"completion demo") {
		return
	}
	if lex.OneOf(verb+"."+sub, "guard.explain guard.rules guard.test loop.show loop.list undo.list audit.verify "+
		"telegram.status undo. telegram. guard. loop. audit. config. away. debug. send.person run. run.list "+
		"run.show run.log") {
		return
	}
	sh.Effect(effect.SteerAfar, effect.Named(verb), strings.TrimSpace(verb+" "+sub))
}
