package hooks_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mostBytes bounds the size of the guard's binary, because it is loaded before every tool
// call. 4.8 MB held until the guard read the files that a command runs, 5.1 MB until it read
// those of most runners and what programs hand from one name to the next, and 5.3 MB until it
// followed what programs fetch, read and move, and the files of more tools for building, and 5.9 MB
// until it knew the doors of the host and of other processes, and 6 MB until it read what programs of the
// person start for a session.
const mostBytes = 6_100_000

// TestHookIsSmall builds the guard's hook with the installer's own flags.
func TestHookIsSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("drives binaries of their own, which the race detector does not see")
	}
	script, err := os.ReadFile("../install.sh")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^\s*run_go build (.*) -ldflags "\$flags"`).FindSubmatch(script)
	flags := regexp.MustCompile(`(?m)^\s*compile "([^"]*)" \./cmd/hook-\*`).FindSubmatch(script)
	if found == nil || flags == nil {
		t.Fatal("this test does not find the build flags in install.sh")
	}
	out := filepath.Join(t.TempDir(), "hook")
	args := append([]string{"build"}, strings.Fields(string(found[1]))...)
	build := exec.Command("go", append(args, "-ldflags", string(flags[1]), "-o", out, "../cmd/hook-pre-tool-use")...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	info, err := os.Stat(out)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > mostBytes {
		t.Errorf("hook-pre-tool-use has %d bytes, %d too many", info.Size(), info.Size()-mostBytes)
	}
}
