// Package host drives the real Claude Code client in tests: as `claude -p` and
// in a terminal (tmux), each time in a throw-away home, with a clean
// environment, against a model on loopback (package model).
package host

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/repository"
)

// The clients that the tests run on. All tests run on Current. Oldest is the
// oldest supported client; Previous is one that many people still have.
const (
	Current  = claude.Newest
	Previous = "2.1.330"
	Oldest   = claude.Oldest
)

// Client finds the pinned client of this version: the executable that
// AFAR_TEST_CLAUDE_<version with underscores> names, else the one that .ci put into the
// repository. If there is none, ok is false and why says what to do.
func Client(version string) (path string, ok bool, why string) {
	name := "AFAR_TEST_CLAUDE_" + strings.ReplaceAll(version, ".", "_")
	if path = os.Getenv(name); path != "" {
		return usable(path, name+" names no executable: "+path)
	}
	root, err := repository.Root()
	if err != nil {
		return "", false, err.Error()
	}
	path = filepath.Join(root, ".ci", "cache", "claude-"+version, "node_modules", ".bin", "claude")
	return usable(path, fmt.Sprintf("no Claude Code %s at %s: let .ci install it, or set %s to its executable",
		version, path, name))
}

func usable(path, otherwise string) (string, bool, string) {
	st, err := os.Stat(path)
	if err != nil || st.IsDir() || st.Mode()&0o111 == 0 {
		return "", false, otherwise
	}
	return path, true, ""
}

// Need returns the client of this version or skips the test. What drives a client runs in CI; tests on
// Previous run with all long tests only.
func Need(t testing.TB, version string) string {
	t.Helper()
	long.InCI(t)
	if version == Previous {
		long.Only(t)
	}
	path, ok, why := Client(version)
	if !ok {
		Skip(t, why)
	}
	return path
}

// NeedLong is Need for a test whose subject does not depend on the version: clients other than
// the current one run it with all long tests only.
func NeedLong(t testing.TB, version string) string {
	t.Helper()
	if version != Current {
		long.Only(t)
	}
	return Need(t, version)
}

// Skip skips an end-to-end test because this machine lacks something, which it names. With
// AFAR_TEST_NO_SKIP=1 the test fails instead.
func Skip(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("AFAR_TEST_NO_SKIP") == "1" {
		t.Fatal("nothing may be skipped here: " + why)
	}
	t.Skip(why)
}

// Each runs fn as a subtest for each supported client. It skips the subtest of a missing
// client.
func Each(t *testing.T, fn func(t *testing.T, client string)) {
	for _, v := range []string{Current, Oldest} {
		t.Run(v, func(t *testing.T) { fn(t, Need(t, v)) })
	}
}
