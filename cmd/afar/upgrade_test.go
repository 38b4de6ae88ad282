//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// upgradeFrom is the commit whose programs the script upgrade starts with. After a change
// of the database or the wire has landed, set it to the commit before.
const upgradeFrom = "db1a5be7"

// oldPrograms builds the programs of upgradeFrom once and returns their directory.
var oldPrograms = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(filepath.Dir(os.Getenv(builtVar)), "old")
	source := filepath.Join(dir, "source")
	if err := os.MkdirAll(source, 0o700); err != nil {
		return "", err
	}
	export := fmt.Sprintf("git -C ../.. archive %s | tar -x -C %s", upgradeFrom, source)
	if out, err := exec.Command("sh", "-c", export).CombinedOutput(); err != nil {
		return "", fmt.Errorf("export %s: %w\n%s", upgradeFrom, err, out)
	}
	bin := filepath.Join(dir, "bin")
	build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", bin+"/", "./cmd/...")
	build.Dir, build.Env = source, append(os.Environ(), "HOME="+goHome)
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", upgradeFrom, err, out)
	}
	return bin, nil
})

// hasHistory reports whether this checkout holds the commit to upgrade from.
func hasHistory() bool {
	return exec.Command("git", "cat-file", "-e", upgradeFrom+"^{commit}").Run() == nil
}

// cmdPrograms puts the programs of a release into $WORK/bin, each by rename, like
// install.sh. The script then runs its commands from there. It keeps the programs that are
// named.
func cmdPrograms(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 1, "programs old|new [KEEP…]")
	from := os.Getenv(builtVar)
	if args[0] == "old" {
		var err error
		from, err = oldPrograms()
		ts.Check(err)
	}
	bin := filepath.Join(ts.Getenv("WORK"), "bin")
	ts.Check(os.MkdirAll(bin, 0o700))
	entries, err := os.ReadDir(from)
	ts.Check(err)
	keep := strings.Join(args[1:], " ") + " "
	for _, e := range entries {
		if !strings.Contains(keep, e.Name()+" ") {
			ts.Check(replaceProgram(filepath.Join(from, e.Name()), filepath.Join(bin, e.Name())))
		}
	}
	ts.Setenv("PATH", bin+strings.TrimPrefix(ts.Getenv("PATH"), ts.Getenv("BIN")))
	ts.Setenv("BIN", bin)
}

func replaceProgram(from, to string) error {
	raw, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.WriteFile(to+".new", raw, 0o700); err != nil {
		return err
	}
	return os.Rename(to+".new", to)
}
