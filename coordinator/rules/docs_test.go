package rules

import (
	"io/fs"
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

// pages returns the documents: the README, docs/ and those that the forge shows.
func pages(t *testing.T) []string {
	t.Helper()
	all := []string{"../../README.md"}
	for _, pattern := range []string{"../../docs/*.md", "../../.github/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, found, err)
		}
		all = append(all, found...)
	}
	return all
}

// TestDocumentsNameFilesThatExist: every file that the map or a link of a document names
// exists.
func TestDocumentsNameFilesThatExist(t *testing.T) {
	named := 0
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		var files []string
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			files = append(files, filepath.Join(filepath.Dir(page), m[1]))
		}
		for _, m := range codeName.FindAllStringSubmatch(string(text), -1) {
			files = append(files, filepath.Join("../..", strings.TrimSuffix(m[1], "/")))
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

// The forms in which documents name tests.
var (
	testName   = regexp.MustCompile("`(Test[A-Z]\\w*)`")
	scriptName = regexp.MustCompile("`([\\w-]+\\.txtar)`")
)

// TestDocumentsNameTestsThatExist: every test that a document names exists, as a function or a script.
func TestDocumentsNameTestsThatExist(t *testing.T) {
	var code strings.Builder
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != "..":
			return fs.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		code.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range testName.FindAllStringSubmatch(string(text), -1) {
			if named++; !strings.Contains(code.String(), "func "+m[1]+"(t *testing.T)") {
				t.Errorf("%s names %s, which is no test", page, m[1])
			}
		}
		for _, m := range scriptName.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat("../../cmd/afar/testdata/" + m[1]); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
	}
	if named < 60 {
		t.Errorf("only %d tests are named: the test does not see them", named)
	}
}
