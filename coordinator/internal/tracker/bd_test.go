package tracker

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func openBeads(t *testing.T) Tracker { return openBeadsAt(t, t.TempDir()) }

func openBeadsAt(t *testing.T, top string) Tracker {
	t.Helper()
	if err := os.Mkdir(filepath.Join(top, ".beads"), 0o755); err != nil {
		t.Fatal(err)
	}
	found, err := Open(top, "")
	if err != nil || found.Name() != "bd" || InTree(found) {
		t.Fatalf("found %v, %v", found, err)
	}
	return found
}

func TestBeadsConforms(t *testing.T) {
	standIn(t, "bd")
	conform(t, openBeads)
}

// TestBeadsOwnWords checks how statuses and fields that only bd has are read.
func TestBeadsOwnWords(t *testing.T) {
	standIn(t, "bd")
	bd := beadsTool.at(t.TempDir())
	b := bench{t, openBeadsAt(t, bd.top)}
	one := b.make("one", 1)
	for _, c := range []struct {
		word string
		want Status
	}{
		{"blocked", StatusPaused},
		{"hooked", StatusInProgress},
		{"pinned", StatusPaused},
		{"deferred", StatusPaused},
		{"open", StatusOpen},
	} {
		if _, err := bd.run(t.Context(), "", "update", one.ID, "--json", "--status="+c.word); err != nil {
			t.Fatal(err)
		}
		if got := b.show(one.ID); got.Status != c.want {
			t.Errorf("%s is %s, want %s", c.word, got.Status, c.want)
		}
	}
	if _, err := bd.run(t.Context(), "", "create", "--json", "--title=epic", "--type=epic"); err != nil {
		t.Fatal(err)
	}
	b.wantTitles("one epic", "one")
	two := b.make("two", 1, one.ID)
	if err := b.Set(t.Context(), two.ID, StatusClosed, ""); !errors.Is(err, errTool) ||
		!strings.Contains(err.Error(), "blocked by open issues") {
		t.Errorf("bd refuses to close what waits, but: %v", err)
	}
	if got := b.show(two.ID[:len(two.ID)-1]); got.ID != two.ID {
		t.Errorf("a short id gives %+v", got)
	}
	if _, err := b.Show(t.Context(), "acme-"); !errors.Is(err, errAmbiguous) {
		t.Errorf("acme-: %v", err)
	}
}

// TestBeadsNeedsThatAreLost checks an issue whose needs bd could not write. bd then makes
// the issue and only warns, but the issue must not become ready.
func TestBeadsNeedsThatAreLost(t *testing.T) {
	standIn(t, "bd")
	b := bench{t, openBeads(t)}
	one := b.make("one", 1)
	t.Setenv("STANDIN_BD_LOSES_DEPS", "1")
	made, err := b.New(t.Context(), Draft{Title: "two", Needs: []string{one.ID}})
	if err == nil || !strings.Contains(err.Error(), "was made, but not that it needs "+one.ID) {
		t.Errorf("new: %v", err)
	}
	if got := b.show(made.ID); got.Status != StatusPaused {
		t.Errorf("it is %s", got.Status)
	}
}

// TestBeadsBeforeHooksCouldBeOff checks that an old bd may read, but not change issues.
func TestBeadsBeforeHooksCouldBeOff(t *testing.T) {
	standIn(t, "bd")
	b := bench{t, openBeads(t)}
	one := b.make("one", 1)
	for _, version := range []string{"0.62.0", "dev"} {
		t.Setenv("STANDIN_BD_VERSION", version)
		want := fmt.Sprintf("version %q runs the scripts that a project keeps", version)
		if _, err := b.New(t.Context(), Draft{Title: "two"}); !errors.Is(err, errTool) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("new: %v", err)
		}
		if err := b.Set(t.Context(), one.ID, StatusClosed, "x"); !errors.Is(err, errTool) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("set: %v", err)
		}
	}
	b.wantTitles("one", "one")
}
