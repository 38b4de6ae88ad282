package claude

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// An Env looks a variable up in the environment that the client gives its hooks.
type Env func(name string) string

// Entrypoint returns what the client was started as.
func (e Env) Entrypoint() string { return e("CLAUDE_CODE_ENTRYPOINT") }

// Project returns the directory of the session's project, "" if the client does
// not say.
func (e Env) Project() string { return e("CLAUDE_PROJECT_DIR") }

// File returns the file that the session's shells read when they start, "" for
// none.
func (e Env) File() string { return e("CLAUDE_ENV_FILE") }

// ConfigDir returns the configuration directory that the environment names, "" for
// none.
func (e Env) ConfigDir() string {
	if dir := e(ConfigDirName); filepath.IsAbs(dir) {
		return dir
	}
	return ""
}

// ConfigDirName is the variable that moves the configuration directory.
const ConfigDirName = "CLAUDE_CONFIG_DIR"

// Attended reports whether a person sits at the client's terminal. Older clients do not
// set the variable.
func (e Env) Attended() bool {
	if v := e("CLAUDE_CODE_SESSION_ATTENDED"); v != "" {
		return v == "1"
	}
	return e.atTerminal() && !e.inJob()
}

// Background reports whether this is a session of `claude --bg`: the terminal
// client on a terminal of its own, without a person.
func (e Env) Background() bool { return !e.Attended() && e.atTerminal() && e.inJob() }

// Dialogs reports whether the client opens dialogs of its own, for a person who
// sits at its terminal or attaches to it. It then fires PermissionRequest in every
// mode, and its Stop hooks can wake it.
func (e Env) Dialogs() bool { return e.Attended() || e.Background() }

func (e Env) atTerminal() bool { return AtTerminal(e.Entrypoint()) }

// AtTerminal reports whether a client with this entrypoint is the one for terminals.
func AtTerminal(entrypoint string) bool { return entrypoint == "cli" }

func (e Env) inJob() bool { return e("CLAUDE_JOB_DIR") != "" }

// PID returns the process id of the client. Older clients do not set the variable. A
// hook is a child of its client.
func (e Env) PID() int {
	pid, err := strconv.ParseUint(e("CLAUDE_PID"), 10, 26)
	if err != nil || pid == 0 {
		return os.Getppid()
	}
	return int(pid)
}

// IsSessionFile reports whether path is where the client keeps what the shells of
// a session read: …/session-env/<session id>/<file>. A project can name another
// file in its settings.
func IsSessionFile(path, session string) bool {
	dir := filepath.Dir(path)
	return filepath.IsAbs(path) && filepath.Base(dir) == session && filepath.Base(filepath.Dir(dir)) == "session-env"
}

// The variables that the client sets for the programs that it starts.
const (
	childMark   = "CLAUDECODE"
	childID     = "CLAUDE_CODE_SESSION_ID"
	childSubOne = "CLAUDE_CODE_CHILD_SESSION"
)

// ChildMarks are how the entries of a process's environment begin that only a program
// started by a client has.
var ChildMarks = []string{childMark + "=", childID + "=", childSubOne + "="}

// Weakening are the variables that switch the client into a mode in which Afar cannot do its
// work: in Code Mode the guard may not see each call, and where deferred calls are not resumed, a
// call that waits for its answer is lost.
var Weakening = []string{"CLAUDE_CODE_EXPERIMENTAL_CODE_MODE", "CLAUDE_CODE_DISABLE_DEFERRED_TOOL_RESUME"}

// Strong is the `env` of settings that takes the Weakening variables back, whatever the settings of
// the person and of a project say.
var Strong = `"env":{"` + strings.Join(Weakening, `":"","`) + `":""}`

// ChildMark is an entry of an environment that makes a program count as started by a
// client.
const ChildMark = childMark + "=1"

// InSession reports whether the environment says that this process was started by a
// client.
func (e Env) InSession() bool { return e(childMark) != "" || e(childID) != "" }

// HookEnv returns the variables that a client without a terminal sets for its hooks. pid is
// the client's process, dir its project.
func HookEnv(pid int, dir string) []string {
	return []string{
		"CLAUDE_PID=" + strconv.Itoa(pid),
		"CLAUDE_PROJECT_DIR=" + dir,
		"CLAUDE_CODE_ENTRYPOINT=sdk-cli",
		"CLAUDE_CODE_SESSION_ATTENDED=0",
	}
}
