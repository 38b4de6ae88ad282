package host

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/repository"
)

// The agents that the tests run on.
const (
	Codex    = "0.169.0"
	Copilot  = "1.0.102"
	Gemini   = "0.61.0"
	Opencode = "1.18.33"
)

// NeedAgent returns the pinned program of another agent than Claude Code, or skips the test: the
// executable that AFAR_TEST_<NAME>_<version with underscores> names, else the one that .ci put
// into the repository. As with Need, the test runs in CI.
func NeedAgent(t testing.TB, name, version string) string {
	t.Helper()
	long.InCI(t)
	variable := "AFAR_TEST_" + strings.ToUpper(name) + "_" + strings.ReplaceAll(version, ".", "_")
	path := os.Getenv(variable)
	if path == "" {
		root, err := repository.Root()
		if err != nil {
			Skip(t, err.Error())
		}
		path = filepath.Join(root, ".ci", "cache", name+"-"+version, "node_modules", ".bin", name)
	}
	path, ok, why := usable(path, "no "+name+" "+version+" at "+path+": let .ci install it, or set "+variable)
	if !ok {
		Skip(t, why)
	}
	return path
}
