package wall

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host/claude"
)

// temporary are the directories that every program writes. Test suites, tmux and shells name them by
// their path, so they are open as a whole: a private one needs a mount namespace, which many systems
// refuse to ordinary users.
var temporary = []string{"/tmp", "/var/tmp", "/dev/shm"}

// devices are the device files that can be written and controlled.
var devices = []string{
	"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts",
	"/dev/dri", "/dev/nvidia*", "/dev/kfd", "/dev/kvm",
}

// A cache is a folder of the home in which a tool keeps what it fetched or built. tool is the program
// for which it is made if it is not there, "" for none.
type cache struct{ path, tool, why string }

// caches hold no programs that a shell finds, and no settings.
var caches = []cache{
	{".cache", "sh", "caches: go, pip, uv, yarn, deno, browsers of tests and others"},
	{"go/pkg", "go", "modules of Go"},
	{".npm", "npm", "packages of npm"},
	{".cargo/registry", "cargo", "crates"},
	{".cargo/git", "cargo", "crates"},
	{".cargo/.package-cache", "", "cargo's lock"},
	{".cargo/.package-cache-mutate", "", "cargo's lock"},
	{".cargo/.global-cache", "", "cargo's list of what it used"},
	{".m2/repository", "mvn", "artifacts of Maven"},
	{".gradle/caches", "gradle", "artifacts of Gradle"},
	{".gradle/daemon", "gradle", "Gradle's processes"},
	{".gradle/native", "gradle", "Gradle's libraries"},
	{".gradle/workers", "gradle", "Gradle's processes"},
	{".gradle/notifications", "gradle", "what Gradle has told"},
	{".gradle/.tmp", "gradle", "Gradle's temporary files"},
	{".ivy2/cache", "", "artifacts of Ivy"},
	{".local/share/pnpm/store", "pnpm", "packages of pnpm"},
	{".pnpm-store", "", "packages of pnpm"},
	{".yarn/berry/cache", "", "packages of Yarn"},
	{".bun/install/cache", "bun", "packages of Bun"},
	{".nuget/packages", "dotnet", "packages of .NET"},
	{".composer/cache", "", "packages of Composer"},
	{".hex", "", "packages of Elixir"},
	{".ccache", "", "objects of C"},
}

// An agentState is a folder of the home with an agent's own state. Settings, hooks, plugins and commands
// are in none of the folders that a turn may write.
type agentState struct {
	top, program string
	needs        []string // made, and may be written
	writes       []string // may be written where they are
	finds        []string // made, and may not be written
	files        []string // made, and may be written
}

var agentStates = []agentState{
	{hostState, "claude", claude.TurnNeeds, claude.TurnWrites, claude.TurnFinds, nil},
	{
		".codex", "codex", []string{"sessions", "sqlite", "log", "tmp", "thread-writer-locks"},
		[]string{"cache", "shell_snapshots"}, nil, []string{"installation_id"}, // it does not start without that
	},
	{".gemini", "gemini", []string{"tmp", "history"}, nil, nil, nil},
	{".local/share/opencode", "opencode", []string{"."}, nil, nil, nil},
	{".local/state/opencode", "opencode", []string{"."}, nil, nil, nil},
	{".config/opencode", "opencode", nil, nil, []string{"."}, nil},
}

// hostTemp returns the folder of temporary files that Claude Code uses, whatever TMPDIR is.
func hostTemp() string { return filepath.Join("/tmp", "claude-"+strconv.Itoa(os.Getuid())) }

// Env returns an environment as a program gets it behind its wall. Codex then keeps its databases in a folder that
// is open, and not beside its settings. It renews no sign-in, which it could not keep: nothing listens at that
// address. Gemini lists its projects where it may write, and does not start otherwise. Where the home is in /tmp, nothing
// new can be made in /tmp itself.
func (p Place) Env(env []string) []string {
	var own []string
	if p.Temp == "" && isIn(real(p.Dirs.User), temporary) {
		own = append(own, "TMPDIR="+hostTemp())
	}
	switch filepath.Base(p.Program) {
	case "gemini":
		own = append(own, "SANDBOX=sandbox-exec") // its own word: it keeps what it makes in ~/.cache/.gemini
	case "codex":
		own = append(own, "CODEX_SQLITE_HOME="+filepath.Join(p.stateOf(".codex"), "sqlite"),
			"CODEX_REFRESH_TOKEN_URL_OVERRIDE=http://127.0.0.1:9/")
	}
	return append(slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.ContainsFunc(own, func(o string) bool { return strings.HasPrefix(o, name+"=") })
	}), own...)
}

// secrets are the folders of the home that hold keys and sign-ins, by reason.
var secrets = map[string]string{
	".ssh": "keys of ssh", ".gnupg": "keys of GnuPG", ".password-store": "passwords", ".aws": "sign-in of AWS",
	".azure": "sign-in of Azure", ".config/gcloud": "sign-in of Google Cloud", ".oci": "sign-in of Oracle Cloud",
	".kube": "sign-in of Kubernetes", ".config/doctl": "sign-in of DigitalOcean", ".config/rclone": "sign-ins of rclone",
	".config/sops": "keys of sops", ".config/age": "keys of age", ".vault-token": "sign-in of Vault",
	".terraform.d": "sign-in of Terraform", ".config/op": "passwords", ".config/1Password": "passwords",
	".config/Bitwarden": "passwords", ".config/keepassxc": "passwords", ".local/share/keyrings": "passwords",
	".local/share/kwalletd": "passwords", ".mozilla": "profile of a browser", ".thunderbird": "mail",
	".config/google-chrome": "profile of a browser", ".config/chromium": "profile of a browser",
	".config/BraveSoftware": "profile of a browser", ".config/microsoft-edge": "profile of a browser",
	".config/vivaldi": "profile of a browser", ".config/opera": "profile of a browser",
	"snap/firefox": "profile of a browser", "snap/chromium": "profile of a browser",
	".var/app": "profiles of applications", ".config/Signal": "messages", ".config/Slack": "messages",
	".config/discord": "messages", ".local/share/TelegramDesktop": "messages", ".bitcoin": "keys of a wallet",
	".ethereum": "keys of a wallet", ".electrum": "keys of a wallet", ".bash_history": "what was typed",
	".zsh_history": "what was typed", ".local/share/fish": "what was typed", ".psql_history": "what was typed",
	".mysql_history": "what was typed", ".python_history": "what was typed",
}

// closedInHome are what a later shell, hook, desktop or agent of the person loads. They stay closed
// where the home itself is where a program works.
var closedInHome = map[string]string{
	".claude": "settings, hooks and plugins of Claude Code", ".claude.json": "settings of Claude Code",
	".codex": "settings of codex", ".gemini": "settings of gemini", ".config": "settings of programs",
	".bashrc": "read by shells", ".bash_profile": "read by shells", ".bash_login": "read by shells",
	".bash_logout": "read by shells", ".bash_aliases": "read by shells", ".profile": "read by shells",
	".zshrc": "read by shells", ".zshenv": "read by shells", ".zprofile": "read by shells", ".zlogin": "read by shells",
	".inputrc": "read by shells", ".xprofile": "read by the desktop", ".xsessionrc": "read by the desktop",
	".pam_environment": "read at sign-in", ".gitconfig": "settings of git", ".npmrc": "settings of npm",
	".pypirc": "settings of pip", ".vimrc": "read by vim", ".vim": "read by vim", ".emacs": "read by emacs",
	".emacs.d": "read by emacs", ".tmux.conf": "read by tmux", ".local/bin": "programs", "bin": "programs",
	"go/bin": "programs", ".cargo/bin": "programs", ".cargo/config.toml": "settings of cargo", ".nvm": "programs",
	".pyenv": "programs", ".rustup": "programs", ".local/share/applications": "read by the desktop",
	".local/share/systemd": "read by systemd", ".local/share/dbus-1": "read by D-Bus", ".mcp.json": "servers of agents",
	".netrc": "sign-ins", ".docker": "settings of docker", "afar": "Afar's workspace",
}

// closed returns what cannot be written where a row of what may be written has it inside: a home in /tmp, what a later
// program of the person loads, and Afar's own files.
func (p Place) closed() []Row {
	all := rows(p.Dirs.User, closedInHome)
	if isIn(real(p.Dirs.User), temporary) {
		all = append(all, Row{p.Dirs.User, "your home"})
	}
	return append(all, p.never()...)
}

// never returns what nobody opens.
func (p Place) never() (all []Row) {
	for _, agent := range agentStates {
		all = append(all, Row{p.stateOf(agent.top), "settings of an agent"})
	}
	for _, dir := range p.Dirs.All() {
		if dir != "" {
			all = append(all, Row{dir, "Afar's own"})
		}
	}
	return all
}

// system are the folders that can be read in strict mode.
var system = []string{
	"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/usr", "/etc", "/opt", "/nix", "/snap", "/proc", "/sys", "/dev", "/run",
	"/var/lib", "/var/cache", "/gnu",
}

// rows returns a table of the home in the order of its paths.
func rows(user string, table map[string]string) (all []Row) {
	for _, name := range sorted(table) {
		all = append(all, Row{filepath.Join(user, name), table[name]})
	}
	return all
}

// An opened is what may be written: the rows, and which of these folders and files are made if they are missing,
// because nothing can be made in the home behind the wall.
type opened struct {
	rows        []Row
	made, files []string
}

// open opens a path, if it is there.
func (o *opened) open(path, why string) {
	if _, err := os.Stat(path); err == nil {
		o.rows = append(o.rows, Row{path, why})
	}
}

// make opens a folder, and has it made.
func (o *opened) make(path, why string) {
	o.rows, o.made = append(o.rows, Row{path, why}), append(o.made, path)
}

// writable returns what may be written.
func (p Place) writable(set Settings) (o opened) {
	user := p.Dirs.User
	if p.Dir != "" {
		o.rows = append(o.rows, Row{p.Dir, "where it works"})
		if common := commonGit(p.Dir); common != "" {
			o.rows = append(o.rows, Row{common, "the repository of its worktree"})
		}
	}
	if p.Temp != "" {
		o.rows = append(o.rows, Row{p.Temp, "TMPDIR"})
	}
	o.make(hostTemp(), "temporary files of Claude Code")
	for _, dir := range temporary { // a home in it is closed, see closed
		o.rows = append(o.rows, Row{dir, "temporary files, of all programs"})
	}
	p.openStates(&o)
	for _, name := range signIns {
		o.open(filepath.Join(user, name), "a sign-in that its tool renews")
	}
	isHere := map[string]bool{"": false} // of tools
	for _, c := range caches {
		if _, ok := isHere[c.tool]; !ok {
			isHere[c.tool] = home.LookIn(p.Dirs.Path, c.tool) != ""
		}
		if at := filepath.Join(user, c.path); isHere[c.tool] {
			o.make(at, c.why)
		} else {
			o.open(at, c.why)
		}
	}
	o.rows = append(o.rows, p.Own...)
	for _, path := range set.Write {
		o.rows = append(o.rows, Row{In(user, path), "asked for"})
	}
	return o
}

// openStates opens what agents keep of themselves: those that are set up here, and the one that is started.
func (p Place) openStates(o *opened) {
	const why = "the agent's own state"
	for _, agent := range agentStates {
		top := p.stateOf(agent.top)
		if !isDir(top) && agent.program != filepath.Base(p.Program) {
			continue
		}
		for _, name := range agent.needs {
			o.make(filepath.Join(top, name), why)
		}
		for _, name := range agent.writes {
			o.open(filepath.Join(top, name), why)
		}
		for _, name := range agent.files {
			o.files = append(o.files, filepath.Join(top, name))
			o.rows = append(o.rows, Row{filepath.Join(top, name), why})
		}
		for _, name := range agent.finds {
			o.made = append(o.made, filepath.Join(top, name))
		}
	}
	if top := p.stateOf(hostState); p.Session != "" && isDir(top) {
		o.make(claude.ShellFolder(top, p.Session), "what the host hands to the shells of this session")
	}
}

// signIns are the files of the home in which tools renew a sign-in in place. A tool that replaces its file cannot
// do so, because the folder is closed: the process that starts claude or codex renews theirs outside, and gh and
// npm renew none by themselves.
var signIns = []string{".gemini/oauth_creds.json"}

// hostState is the folder of Claude Code's state in the home.
const hostState = ".claude"

// stateOf returns the folder of an agent's state.
func (p Place) stateOf(agent string) string {
	switch agent {
	case hostState:
		return cmp.Or(p.Getenv.ConfigDir(), p.Dirs.HostDir())
	case ".codex":
		return cmp.Or(p.Getenv("CODEX_HOME"), filepath.Join(p.Dirs.User, agent))
	}
	return filepath.Join(p.Dirs.User, agent)
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// hidden returns what cannot be read: secrets, and Afar's own files besides those that its hooks read.
func (p Place) hidden(set Settings) []Row {
	d := p.Dirs
	all := rows(d.User, secrets)
	for _, file := range []string{
		d.TokenFile(), d.HookKeys(), filepath.Join(d.State, "fleet"), filepath.Dir(d.Log()), filepath.Dir(d.RunFiles("x")),
	} {
		all = append(all, Row{file, "Afar's own"})
	}
	for _, base := range []string{d.Database(), d.SearchIndex()} {
		for _, end := range []string{"", "-wal", "-shm", "-journal"} {
			all = append(all, Row{base + end, "Afar's own"})
		}
	}
	for _, path := range set.Hide {
		all = append(all, Row{In(d.User, path), "wall.hide"})
	}
	return all
}

// readable returns what can be read although it lies in what is hidden. In strict mode it is all that
// can be read.
func (p Place) readable(set Settings) (all []Row) {
	all = append(all, p.Reads...)
	for _, path := range set.Read {
		all = append(all, Row{In(p.Dirs.User, path), "asked for"})
	}
	if p.Getenv("SSH_AUTH_SOCK") != "" {
		for _, name := range []string{"known_hosts", "known_hosts2", "config"} {
			all = append(all, Row{filepath.Join(p.Dirs.User, ".ssh", name), "git over ssh; the agent of ssh lends the key"})
		}
	}
	if set.Mode != Strict {
		return all
	}
	for _, path := range system {
		all = append(all, Row{path, "the system"})
	}
	for _, dir := range append(filepath.SplitList(p.Dirs.Path), filepath.Dir(p.Program), filepath.Dir(real(p.Program))) {
		if filepath.IsAbs(dir) && dir != "/" && dir != p.Dirs.User {
			all = append(all, Row{dir, "programs"})
		}
	}
	for _, agent := range agentStates {
		all = append(all, Row{filepath.Join(p.Dirs.User, agent.top), "the agent's settings"})
	}
	own := []string{cmp.Or(p.Getenv.ConfigDir(), p.Dirs.User) + "/.claude.json", p.Getenv.ConfigDir()}
	own = append(own, p.Dirs.GuardFile(), p.Dirs.TrustFile(), p.Dirs.PageMark(), p.Dirs.ConfigFile())
	for _, path := range own {
		if filepath.IsAbs(path) {
			all = append(all, Row{path, "the agent's settings, and Afar's for its hooks"})
		}
	}
	return all
}

// commonGit returns the .git folder of the repository of which a directory is a worktree or a submodule, "" if it is
// neither. The repository has to name the directory too: what lies in the directory alone proves nothing.
func commonGit(dir string) string {
	raw, err := os.ReadFile(filepath.Join(dir, ".git"))
	own, ok := strings.CutPrefix(strings.TrimSpace(string(raw)), "gitdir: ")
	if err != nil || !ok {
		return ""
	}
	own = real(from(dir, own))
	common, file, before, named := own, "config", "worktree = ", dir
	if filepath.Base(filepath.Dir(own)) == "worktrees" {
		common, file, before, named = filepath.Dir(filepath.Dir(own)), "gitdir", "", filepath.Join(dir, ".git")
	}
	said, err := os.ReadFile(filepath.Join(own, file))
	if _, missing := os.Stat(filepath.Join(common, "HEAD")); err != nil || missing != nil {
		return ""
	}
	for line := range strings.Lines(string(said)) {
		path, ok := strings.CutPrefix(strings.TrimSpace(line), before)
		if ok && path != "" && real(from(own, path)) == real(named) {
			return common
		}
	}
	return ""
}

// from returns a path that may be relative to a directory.
func from(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

func sorted[V any](table map[string]V) []string { return slices.Sorted(maps.Keys(table)) }
