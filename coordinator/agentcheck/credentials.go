package agentcheck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/internal/child"
)

// A signing says where an agent has its credentials.
type signing struct {
	vars   []string // variables with a key
	dirVar string   // variable that moves the directory
	dir    string   // in the person's home
	file   string   // in the directory
	tokens []string // fields of the file, one of which holds a token
	item   string   // of the keychain of a Mac
	login  string   // how a person signs in
}

// signings are those of the agents that Afar knows, by protocol.
var signings = map[string]signing{
	"claude": {
		vars: []string{
			"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_USE_BEDROCK",
			"CLAUDE_CODE_USE_VERTEX",
		},
		dirVar: claude.ConfigDirName,
		dir:    ".claude",
		file:   ".credentials.json",
		tokens: []string{"claudeAiOauth.accessToken", "claudeAiOauth.refreshToken"},
		item:   "Claude Code-credentials",
		login:  "type `claude`, then /login",
	},
	"codex": {
		vars:   []string{"CODEX_API_KEY", "OPENAI_API_KEY"},
		dirVar: "CODEX_HOME",
		dir:    ".codex",
		file:   "auth.json",
		tokens: []string{"OPENAI_API_KEY", "tokens.access_token", "tokens.refresh_token"},
		login:  "codex login",
	},
}

// errNoSignIn says that an agent may have no credentials. It may also have them where Afar does
// not look, as with a provider of the person's own.
var errNoSignIn = errors.New("no credentials of it were found")

// credentials returns where an agent has its credentials, "" if Afar does not know where that is.
func credentials(protocol string, d home.Dirs, vars map[string]string) (string, error) {
	s, ok := signings[protocol]
	if !ok {
		return "", nil
	}
	for _, name := range s.vars {
		if vars[name] != "" {
			return name, nil
		}
	}
	path := filepath.Join(cmp.Or(vars[s.dirVar], filepath.Join(d.User, s.dir)), s.file)
	signedIn, err := s.isIn(path)
	switch {
	case signedIn:
		return path, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("its credentials cannot be read: %w", err)
	case s.item != "" && runtime.GOOS == "darwin" && inKeychain(s.item):
		return "the keychain", nil
	}
	return "", errNoSignIn
}

// maxCredentials bounds a file of credentials, in bytes.
const maxCredentials = 1 << 20

// isIn reports whether a file holds a token. The file may be there for other reasons: claude keeps the
// sign-ins of servers of tools in it too.
func (s signing) isIn(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxCredentials))
	if err != nil {
		return false, err
	}
	v, err := hostjson.Parse(string(raw), hostjson.MaxDepth)
	if err != nil {
		return false, fmt.Errorf("%s: %w", path, err)
	}
	return slices.ContainsFunc(s.tokens, func(field string) bool { return v.Get(field).Str() != "" }), nil
}

// inKeychain reports whether the keychain has an item. It does not ask for the secret.
func inKeychain(item string) bool {
	_, err := child.Program{
		Path:  "/usr/bin/security",
		Args:  []string{"find-generic-password", "-s", item},
		Limit: 2 * time.Second,
		Grace: time.Second,
		Most:  1 << 10,
	}.Run(context.Background())
	return err == nil
}

// signIn says how a person signs an agent in.
func signIn(protocol, name string) string {
	s := signings[protocol]
	return s.login + ", or put " + strings.Join(s.vars[:2], " or ") + " into the file of agents." + name + ".env_file"
}
