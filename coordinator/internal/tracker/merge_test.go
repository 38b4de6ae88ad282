package tracker

import (
	"os"
	"os/exec"
	"path"
	"strings"
	"testing"
)

// TestBranchesMerge lets two people make and change issues on two branches. Different
// issues merge without help. An issue that is left half merged is named.
func TestBranchesMerge(t *testing.T) {
	top := t.TempDir()
	git := func(fails bool, args ...string) {
		t.Helper()
		cmd := exec.Command(
			"git",
			append([]string{"-C", top, "-c", "user.name=Ann", "-c", "user.email=ann@example.org"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := cmd.CombinedOutput(); (err != nil) != fails {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	commit := func() {
		t.Helper()
		git(false, "add", "-A")
		git(false, "commit", "-q", "-m", "issues")
	}
	git(false, "init", "-q", "-b", "main")
	b := bench{t, openFiles(t, top)}
	one, two, both := b.make("one", 1), b.make("two", 2), b.make("both", 5)
	commit()
	git(false, "checkout", "-q", "-b", "side")
	b.set(one.ID, StatusClosed, "on the side")
	b.set(both.ID, StatusClosed, "")
	b.make("side", 3, two.ID)
	commit()
	git(false, "checkout", "-q", "main")
	b.set(two.ID, StatusClosed, "on main")
	b.make("main", 4)
	commit()
	git(false, "merge", "-q", "--no-edit", "side")
	b.wantTitles("side main", "side main")

	git(false, "checkout", "-q", "-b", "third", "main~1")
	b.set(both.ID, StatusPaused, "")
	commit()
	git(true, "merge", "-q", "--no-edit", "main")
	name := strings.TrimSuffix(path.Base(both.Path), ".md") // its title and its priority are unknown
	b.wantTitles(name+" side main", "side main")
	if got := b.show(both.ID); !strings.Contains(got.Broken, both.Path+": line 3: an unfinished merge starts here") {
		t.Errorf("%q", got.Broken)
	}
}
