package rules

import (
	"io/fs"
	"os"
	"os/exec"
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

// TestFaultsAreShown: each row of docs/bugs.md names the commit that mended a fault, and its command names that
// commit and a test that is still there.
func TestFaultsAreShown(t *testing.T) {
	text, err := os.ReadFile("../../docs/bugs.md")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("git", "rev-parse", "--is-shallow-repository").Output(); err != nil || string(out) != "false\n" {
		t.Skip("needs a git checkout with its whole history")
	}
	row := regexp.MustCompile("\\| `([0-9a-f]{8})` \\| `\\.ci/bug ([0-9a-f]{8}) \\./\\S+ (Test\\w+)(?:/(\\w+))?` \\|")
	rows := 0
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|---") || strings.HasPrefix(line, "| what happened") {
			continue
		}
		rows++
		m := row.FindStringSubmatch(line)
		if m == nil || m[1] != m[2] {
			t.Errorf("no command of the same commit in %s", line)
			continue
		}
		if out, err := exec.Command("git", "grep", "-qF", "func "+m[3]+"(t *testing.T)", "--", "../..").CombinedOutput(); err != nil {
			t.Errorf("%s: %v %s", m[3], err, out)
		}
		if m[4] != "" {
			if _, err := os.Stat("../../cmd/afar/testdata/" + m[4] + ".txtar"); err != nil {
				t.Error(err)
			}
		}
		if err := exec.Command("git", "merge-base", "--is-ancestor", m[1], "HEAD").Run(); err != nil {
			t.Errorf("%s is no commit before this one: %v", m[1], err)
		}
	}
	if rows < 30 {
		t.Errorf("only %d faults are listed: the test does not see them", rows)
	}
}
