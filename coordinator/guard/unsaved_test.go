package guard

import (
	"os"
	"strings"
	"testing"
)

// unsavedContext returns the project that testdata/uncommitted.txt describes.
func unsavedContext() Context {
	ctx := testContext()
	var files []string
	for _, f := range strings.Fields("src/c.go docs/plan.md main.go config/app.yaml notes.md drafts/ scripts/new.sh " +
		"data/input.csv run.log package-lock.json dist/app.js src/mine.go made.txt made/ draft.md") {
		files = append(files, testProject+"/"+f)
	}
	ctx.Unsaved = func(string) []string { return files }
	ctx.Exists = func(path string) bool { // the other project has a file of the same name
		return path == "/home/dev/other/src/c.go" || strings.HasPrefix(path, testProject+"/")
	}
	ctx.Older = func(path string) bool {
		path = strings.TrimPrefix(path, testProject+"/")
		switch strings.TrimSuffix(path, "/") {
		case "src/mine.go", "made.txt", "made":
			return false
		case "drafts/deep", "src", "docs": // a directory is no file
			return strings.HasSuffix(path, "/")
		case "src/new.go", "new.txt", "notes.bak", "docs/notes2.md", "scripts/other.sh", "drafts/deep/x.go", "src/b.go", "src/b", "src/d.go", "docs/notes.md", "docs/drafts":
			return false // nothing is there
		}
		return true
	}
	return ctx
}

// TestUncommittedWork judges each case of testdata/uncommitted.txt.
func TestUncommittedWork(t *testing.T) {
	raw, err := os.ReadFile("testdata/uncommitted.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, line := range strings.Split(string(raw), "\n") {
		word, cmd, _ := strings.Cut(line, " ")
		want, ok := map[string]Verdict{"ask": Ask, "deny": Deny, "pass": None}[word]
		if !ok {
			continue
		}
		n++
		cmd = strings.ReplaceAll(cmd, "⏎", "\n")
		if d := Judge(bash(cmd), unsavedContext()); d.Verdict != want {
			t.Errorf("%q: %q by %s, want %s\n\t%+v", cmd, d.Verdict, d.Rule, word, d.Effects)
		}
	}
	if n < 100 {
		t.Errorf("only %d cases", n)
	}
}
