package tracker

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTissueShortIDs checks that tissue is found, and that its short ids are accepted. See TestProgramConforms
// for all else.
func TestTissueShortIDs(t *testing.T) {
	standIn(t, "tissue")
	top := t.TempDir()
	if err := os.Mkdir(filepath.Join(top, ".tissue"), 0o755); err != nil {
		t.Fatal(err)
	}
	found, err := Open(top, "")
	if err != nil || found.Name() != "tissue" || InTree(found) {
		t.Fatalf("found %v, %v", found, err)
	}
	b := bench{t, found}
	one, _ := b.make("one", 2), b.make("two", 2)
	_, hash, _ := strings.Cut(one.ID, "-")
	if got := b.show(hash); got.ID != one.ID {
		t.Errorf("%s is %s", hash, got.ID)
	}
	if _, err := b.Show(t.Context(), "acme"); !errors.Is(err, errAmbiguous) {
		t.Errorf("acme: %v", err)
	}
}

func TestTissueWithoutAStore(t *testing.T) {
	standIn(t, "tissue")
	_, err := tissueAt(t.TempDir()).List(t.Context())
	if !errors.Is(err, errTool) || !strings.Contains(err.Error(), "No tissue store found. Run 'tissue init' first.") {
		t.Error(err)
	}
}

// TestTissueCircle checks that a circle of needs, which tissue accepts, is named.
func TestTissueCircle(t *testing.T) {
	standIn(t, "tissue")
	top := t.TempDir()
	if err := os.Mkdir(filepath.Join(top, ".tissue"), 0o755); err != nil {
		t.Fatal(err)
	}
	b := bench{t, tissueAt(top)}
	one := b.make("one", 2)
	two := b.make("two", 2, one.ID)
	if _, err := tissueTool.at(top).run(t.Context(), "", "dep", "add", two.ID, "blocks", one.ID); err != nil {
		t.Fatal(err)
	}
	b.wantTitles("one two", "")
	listed, err := b.List(t.Context())
	first, second := min(one.ID, two.ID), max(one.ID, two.ID)
	if want := fmt.Sprintf("issues need each other in a circle: %s → %s → %s", first, second, first); err != nil ||
		listed[0].Broken != want {
		t.Errorf("%q, %v, want %q", listed[0].Broken, err, want)
	}
}
