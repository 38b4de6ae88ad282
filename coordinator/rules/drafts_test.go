package rules

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// inside are the names of core by which state is changed or read under its lock.
var inside = regexp.MustCompile(`\bcore\.(Draft|State|Register|Expiry)\b`)

// TestDrafts: only core, and package feature beside it, change state. All others call what these two export.
func TestDrafts(t *testing.T) {
	tree := os.DirFS(moduleRoot(t))
	seen := 0
	err := fs.WalkDir(tree, "coordinator", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") {
			return err
		}
		text, err := fs.ReadFile(tree, name)
		found := inside.Find(text)
		switch {
		case found == nil || path.Dir(name) == "coordinator/rules":
		case path.Dir(name) == in+"feature":
			seen++
		default:
			t.Errorf("%s uses %s: only package feature may", name, found)
		}
		return err
	})
	if err != nil || seen == 0 {
		t.Fatal(seen, err)
	}
}
