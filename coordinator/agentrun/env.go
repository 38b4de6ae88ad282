package agentrun

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"regexp"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/wire"
)

// inherited are the variables of this process that an agent gets.
var inherited = []string{
	"USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "SSH_AUTH_SOCK",
	"DBUS_SESSION_BUS_ADDRESS", "http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY",
	"SYSTEMROOT",
}

// webAddr is the variable in which Claude Code looks for the address of Afar's tools.
const webAddr = "AFAR_WEB_ADDR"

// Env returns the environment of an agent: the directories of the person and of Afar,
// the variables that every program needs, and those of the agent's own file.
func Env(dirs home.Dirs, getenv func(string) string, file string) ([]string, error) {
	env := dirs.Env()
	for _, name := range inherited {
		if v := getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	if me, err := user.Current(); err == nil && getenv("USER") == "" {
		env = append(env, "USER="+me.Username)
	}
	if file == "" {
		return env, nil
	}
	own, err := readEnvFile(file)
	return append(env, own...), err
}

// turnEnv returns the environment of the agent of a turn. It says where Afar's tools are served.
func turnEnv(dirs home.Dirs, getenv func(string) string, turn wire.RunTurnReply) ([]string, error) {
	env, err := Env(dirs, getenv, turn.EnvFile)
	return append(env, toolsEnv(turn)...), err
}

// toolsEnv returns the variable that says where Afar's tools are served, none while they are not.
func toolsEnv(turn wire.RunTurnReply) []string {
	if turn.WebAddr == "" {
		return nil
	}
	return []string{webAddr + "=" + turn.WebAddr}
}

// maxEnvFile bounds the size of an env_file, in bytes.
const maxEnvFile = 1 << 20

// readEnvFile reads a file of lines KEY=VALUE. Only its owner may read it, because it holds
// keys.
func readEnvFile(path string) ([]string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read env_file: %w", err)
	case info.Mode().Perm()&0o077 != 0:
		return nil, fmt.Errorf("env_file %s can be read by others: chmod 600 %s", path, path)
	case info.Size() > maxEnvFile:
		return nil, fmt.Errorf("env_file %s is larger than %d bytes", path, maxEnvFile)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read env_file: %w", err)
	}
	env, err := parseEnv(string(raw))
	if err != nil {
		return nil, fmt.Errorf("env_file %s: %w", path, err)
	}
	return env, nil
}

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// parseEnv reads lines KEY=VALUE. It skips empty lines and lines that begin with #. A value is
// taken as it is, without quotes around it.
func parseEnv(text string) (env []string, err error) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if trimmed := strings.TrimSpace(line); trimmed == "" || trimmed[0] == '#' {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok || !variable.MatchString(name) || strings.ContainsRune(value, 0) {
			return nil, fmt.Errorf("line %d: unknown form; want KEY=VALUE", n)
		}
		if err := allowed(name); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		env = append(env, name+"="+unquote(value))
	}
	return env, nil
}

// errOurs says that a variable is not the person's to set.
var errOurs = errors.New("is set by Afar and the agent alone")

// errWeakens says that no run may have a variable.
var errWeakens = errors.New("weakens the guard, so no run has it")

func allowed(name string) error {
	if strings.HasPrefix(name, "AFAR_") || slices.Contains(claude.ChildMarks, name+"=") {
		return fmt.Errorf("%s %w", name, errOurs)
	}
	if slices.Contains(claude.Weakening, name) {
		return fmt.Errorf("%s %w", name, errWeakens)
	}
	return nil
}

func unquote(value string) string {
	for _, quote := range []string{`"`, `'`} {
		inner, begins := strings.CutPrefix(value, quote)
		if inner, ends := strings.CutSuffix(inner, quote); begins && ends {
			return inner
		}
	}
	return value
}
