package coordinator_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The forms in which documents name files of the tree.
var (
	link     = regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
	codeName = regexp.MustCompile("`((?:cmd|coordinator|docs|hooks|plugin|skills)/[\\w./-]+)`")
)

// TestDocumentsNameFilesThatExist: every file that the map or a link of a document names
// exists.
func TestDocumentsNameFilesThatExist(t *testing.T) {
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	named := 0
	for _, page := range append(pages, "../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		var files []string
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			files = append(files, filepath.Join(filepath.Dir(page), m[1]))
		}
		for _, m := range codeName.FindAllStringSubmatch(string(text), -1) {
			files = append(files, filepath.Join("..", strings.TrimSuffix(m[1], "/")))
		}
		for _, file := range files {
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
		named += len(files)
	}
	if named < 60 {
		t.Errorf("only %d files are named: the test does not see them", named)
	}
}
