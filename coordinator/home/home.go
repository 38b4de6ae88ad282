// Package home says where each file of Afar lives, for the coordinator, the hooks and
// the command line. It also holds the two locks that make the coordinator a singleton.
package home

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
)

// PluginID is the host's name of Afar's plugin: its name, then its marketplace.
const PluginID = "afar@afar"

// SwitchOff is the name of the file by which a project asks Afar for silence.
const SwitchOff = ".afar-disabled"

// maxSocket is the length of the longest path that every supported system accepts for a
// Unix socket (104 bytes with the final NUL on darwin).
const maxSocket = 103

// Dirs are the directories in force, all absolute. A Dirs value does no I/O
// until one of its methods is called.
type Dirs struct {
	Root      string // AFAR_HOME, or "" if the system's own directories are used
	User      string // the person's home directory
	Config    string // config.toml, telegram.token
	State     string // database, logs
	Run       string // socket and locks
	Workspace string // markdown that a person reads
	Path      string // PATH for the programs that the coordinator starts
}

// Machine returns the name of this machine, for people.
func Machine() string {
	name, err := os.Hostname()
	if err != nil {
		return "this machine"
	}
	return name
}

// FromEnv resolves the directories from an environment. AFAR_HOME moves all of
// them; it must be absolute.
func FromEnv(getenv func(string) string) (Dirs, error) {
	root, user := getenv("AFAR_HOME"), cmp.Or(getenv("HOME"), getenv("USERPROFILE"))
	if cmp.Or(root, user) == "" {
		return Dirs{}, errors.New("neither AFAR_HOME nor HOME is set: cannot tell where Afar's files are")
	}
	for _, v := range []struct{ name, path string }{{"AFAR_HOME", root}, {"HOME", user}} {
		if v.path != "" && !filepath.IsAbs(v.path) {
			return Dirs{}, fmt.Errorf("%s must be an absolute path, not %q", v.name, v.path)
		}
	}
	d := Dirs{Root: root, User: user, Path: getenv("PATH")}
	if root != "" {
		return d.underRoot(), nil
	}
	return d.underXDG(getenv), nil
}

func (d Dirs) underRoot() Dirs {
	d.Root = filepath.Clean(d.Root)
	d.Config = d.Root
	d.State = filepath.Join(d.Root, "state")
	d.Run = filepath.Join(d.Root, "run")
	d.Workspace = filepath.Join(d.Root, "workspace")
	return d
}

func (d Dirs) underXDG(getenv func(string) string) Dirs {
	xdg := func(name, fallback string) string {
		if v := getenv(name); filepath.IsAbs(v) {
			return filepath.Join(v, "afar")
		}
		return filepath.Join(d.User, fallback, "afar")
	}
	d.Config = xdg("XDG_CONFIG_HOME", ".config")
	d.State = xdg("XDG_STATE_HOME", filepath.Join(".local", "state"))
	d.Run = filepath.Join(d.State, "run")
	if v := getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(v) && isDir(v) {
		d.Run = filepath.Join(v, "afar")
	}
	d.Workspace = filepath.Join(d.User, "afar")
	return d
}

// Env returns the environment with which another process resolves the same
// directories. It holds no token and no variable of a session.
func (d Dirs) Env() (env []string) {
	for _, name := range append(dirVars[:], "PATH") {
		if v := d.value(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// CoordinatorEnv returns the environment for a coordinator that a program without a person
// starts. It never passes on the environment of a session. If the home is not pinned, as in a
// test, it adds some of Afar's own variables.
func (d Dirs) CoordinatorEnv(pinned bool, getenv func(string) string) []string {
	env := d.Env()
	if pinned {
		return env
	}
	for _, name := range [...]string{
		"AFAR_TELEGRAM_API",
		"AFAR_TELEGRAM_TOKEN",
		"AFAR_TELEGRAM_TOKEN_FILE",
		"AFAR_WEB_ADDR",
	} {
		if v := getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// dirVars lists the variables that FromEnv takes directories from.
var dirVars = [...]string{"AFAR_HOME", "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"}

// value returns the value of a variable in Env, "" for none.
func (d Dirs) value(name string) string {
	switch {
	case name == "HOME":
		return d.User
	case name == "PATH":
		return d.Path
	case name == "AFAR_HOME":
		return d.Root
	case d.Root != "":
		return "" // AFAR_HOME moves all of them
	case name == "XDG_CONFIG_HOME":
		return filepath.Dir(d.Config)
	case name == "XDG_STATE_HOME":
		return filepath.Dir(d.State)
	case d.Run != filepath.Join(d.State, "run"):
		return filepath.Dir(d.Run)
	}
	return ""
}

// Socket returns the path of the coordinator's socket. If that path would be too
// long for a socket, Socket returns a short path with a hash of the long one.
func (d Dirs) Socket() string {
	path := filepath.Join(d.Run, "afar.sock")
	if len(path) <= maxSocket {
		return path
	}
	return filepath.Join("/tmp", "afar-"+strconv.Itoa(os.Getuid())+"-"+short(path), "s")
}

// short returns a short file name for a text of any length. Its hash need not
// resist attacks; a cryptographic one would cost time at each start of a hook.
func short(text string) string {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(text)) // never fails
	return hex.EncodeToString(sum.Sum(nil))
}

// Files of the coordinator.
func (d Dirs) LifeLock() string    { return filepath.Join(d.Run, "coordinator.lock") } // held while it lives
func (d Dirs) StartLock() string   { return filepath.Join(d.Run, "start.lock") }       // held while it starts
func (d Dirs) Database() string    { return filepath.Join(d.State, "afar.db") }
func (d Dirs) SearchIndex() string { return filepath.Join(d.State, "search.db") }
func (d Dirs) Log() string         { return filepath.Join(d.State, "log", "coordinator.log") }
func (d Dirs) CrashLog() string    { return filepath.Join(d.State, "log", "crash.log") } // what it prints
func (d Dirs) Halts() string       { return filepath.Join(d.State, "halts") }            // while a turn must end
func (d Dirs) Retries() string     { return filepath.Join(d.State, "retries") }          // while a call may be retried
func (d Dirs) ConfigFile() string  { return filepath.Join(d.Config, "config.toml") }
func (d Dirs) GuardFile() string   { return filepath.Join(d.Config, "guard.toml") } // the person's own policy
func (d Dirs) TrustFile() string   { return filepath.Join(d.State, "guard.trust") } // accepted policies of projects
func (d Dirs) TokenFile() string   { return filepath.Join(d.Config, "telegram.token") }
func (d Dirs) Sessions() string    { return filepath.Join(d.Workspace, "sessions") }    // a folder per session token
func (d Dirs) Tasks() string       { return filepath.Join(d.Workspace, "tasks") }       // a folder per task
func (d Dirs) Triggers() string    { return filepath.Join(d.Workspace, "triggers") }    // a file per trigger
func (d Dirs) Soul() string        { return filepath.Join(d.Workspace, "soul.md") }     // and how
func (d Dirs) Identity() string    { return filepath.Join(d.Workspace, "identity.md") } // who works here
func (d Dirs) HookKeys() string    { return filepath.Join(d.Config, "hooks") }          // the secrets of webhooks
func (d Dirs) Suggestions() string { return filepath.Join(d.Workspace, "suggestions") } // a file per suggestion
func (d Dirs) Gaps() string        { return filepath.Join(d.Workspace, "gaps.md") }     // what agents lack
func (d Dirs) Inbox() string       { return filepath.Join(d.Workspace, "inbox.md") }    // what came and fitted nowhere
// a mark per task with --confirm
func (d Dirs) Confirms() string  { return filepath.Join(d.State, "confirm") }
func (d Dirs) Snapshots() string { return filepath.Join(d.State, "snapshots") } // git's files while it takes one
func (d Dirs) HostDir() string   { return filepath.Join(d.User, ".claude") }    // the host's default directory
func (d Dirs) Calls() string     { return filepath.Join(d.State, "calls") }     // the hooks' ledger of each session
func (d Dirs) HoldMark() string  { return filepath.Join(d.State, "held") }      // the plugin must load first
func (d Dirs) Proved() string    { return filepath.Join(d.State, "proved") }    // what doctor --live proved, by version
func (d Dirs) All() []string     { return []string{d.Config, d.State, d.Run, d.Workspace} }

// TriggerRuns returns the folder in which the runs of a trigger work.
func (d Dirs) TriggerRuns(name string) string { return filepath.Join(d.Workspace, "runs", name) }

// Modules returns the folder with a folder per module.
func (d Dirs) Modules() string { return filepath.Join(d.Workspace, "modules") }

// ModuleData returns the folder in which the programs of a module keep their own files.
func (d Dirs) ModuleData(name string) string { return filepath.Join(d.State, "modules", name) }

// ModuleCopies returns the folder with the copies of a module from which its programs run.
func (d Dirs) ModuleCopies(name string) string { return filepath.Join(d.State, "module-copies", name) }

// Actions returns the log of the calls that reached other machines or people.
func (d Dirs) Actions() string { return filepath.Join(d.Workspace, "audit", "actions.log") }

// RunFiles returns the directory with the files of a run.
func (d Dirs) RunFiles(id string) string { return filepath.Join(d.State, "runs", id) }

// LastProgram returns the file that says which program the last turn of an agent ran.
func (d Dirs) LastProgram(agent string) string {
	return filepath.Join(d.State, "agents", agent+".json")
}

// ConversationLock returns the lock of a conversation. The process that has it is the only one that
// goes on with the conversation.
func (d Dirs) ConversationLock(conversation string) string {
	return filepath.Join(d.State, "conversations", conversation+".lock")
}

// Program returns the path of one of Afar's programs in the directory bin.
func Program(bin, name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(bin, name)
}

// MakeRun creates the directories of the socket and the locks, with mode 0700. It
// returns an error for a directory of another user, and takes away the access of others.
func (d Dirs) MakeRun() error {
	for _, dir := range []string{d.Run, filepath.Dir(d.Socket())} {
		if err := ensurePrivate(dir); err != nil {
			return err
		}
	}
	return nil
}

// Make creates all directories, with mode 0700.
func (d Dirs) Make() error {
	for _, dir := range []string{d.Config, d.State, filepath.Dir(d.Log()), d.Marks(), d.Workspace} {
		if err := ensurePrivate(dir); err != nil {
			return err
		}
	}
	return d.MakeRun()
}

// ensurePrivate makes sure that dir is a directory of this user that no other user may enter.
func ensurePrivate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("create directory: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("look at directory: %w", err)
	}
	if !info.IsDir() || !isOurs(info) {
		return fmt.Errorf("%s is not a directory of this user", dir)
	}
	if info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("close directory to others: %w", err)
	}
	return nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
