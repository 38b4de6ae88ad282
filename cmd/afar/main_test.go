package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/agent"
	"github.com/afar-sh/afar/coordinator/standin/consultant"
	"github.com/afar-sh/afar/coordinator/standin/stray"
	"github.com/afar-sh/afar/coordinator/standin/tracker"
)

// builtVar is the variable with the directory of the binaries.
const builtVar = "AFAR_TEST_BIN"

func TestMain(m *testing.M) {
	clientMain()
	agent.Main()
	consultant.Main() // a script may run this binary as the stand-in for another program
	tracker.Main()
	os.Exit(testMain(m))
}

// goHome is the home with Go's caches, from before the tests changed HOME.
var goHome = os.Getenv("HOME")

// testMain builds the real binaries once. It replaces the real home by an empty one, and
// fails if a test writes into that.
func testMain(m *testing.M) int {
	flag.Parse()
	// The scripts mostly wait. Nothing here is fuzzed, so there are no workers to multiply.
	_ = flag.Set("test.parallel", "6")
	dir, err := os.MkdirTemp("", "afar")
	if err != nil {
		return complain("make a place for the binaries", err)
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return complain("find the binaries", err)
	}
	bin, home := filepath.Join(dir, "bin"), filepath.Join(dir, "home")
	build := exec.Command("go", "build", "-ldflags", "-s -w -X main.version=v0.0.0-test", "-o",
		bin+string(filepath.Separator), ".", "../hook-...", "../agent-run", "../fleet-server")
	if out, err := build.CombinedOutput(); err != nil {
		return complain("build the binaries", fmt.Errorf("%w\n%s", err, out))
	}
	for name, value := range map[string]string{"HOME": home, "AFAR_HOME": home, builtVar: bin} {
		if err := os.Setenv(name, value); err != nil {
			return complain("move the home", err)
		}
	}
	code := m.Run()
	if err := stray.Check(dir); err != nil {
		return complain("look for what the tests left", err)
	}
	if _, err := os.Stat(home); err == nil && code == 0 {
		return complain("look after the tests", fmt.Errorf("a test wrote into the person's home"))
	}
	return code
}

func complain(what string, err error) int {
	fmt.Fprintf(os.Stderr, "%s: %v\n", what, err)
	return 1
}
