package guard

import (
	"os"
	"strings"
	"testing"
)

// unsavedContext returns the project that testdata/uncommitted.txt describes.
func unsavedContext() Context {
	ctx := testContext()
	var files []Unsaved
	for _, f := range strings.Fields("src/c.go docs/plan.md main.go config/app.yaml notes.md drafts/ scripts/new.sh " +
		"data/input.csv run.log package-lock.json dist/app.js src/mine.go made.txt made/ draft.md") {
		files = append(files, Unsaved{Path: testProject + "/" + f, Untracked: f == "notes.md"})
	}
	files = append(files, Unsaved{Path: testProject + "/pkg/staged.go", Staged: true})
	ctx.Unsaved = func(string) []Unsaved { return files }
	ctx.Members = func(path string) (string, bool) {
		text, ok := map[string]string{
			"old.tgz":     "README.md\nsrc/c.go\n",
			"old.zip":     "src/c.go\nweb/notes.md\n",
			"new.tgz":     "x.md\nsrc/mine.go\n",
			"wrapped.tgz": "p-1.0/notes.md\n",
			"folder.tar":  "./drafts/a.md\n",
			"hostile.tgz": "../../../etc/passwd\n/etc/passwd\n/home/dev/proj/notes.md\n",
		}[path[strings.LastIndexByte(path, '/')+1:]]
		return text, ok
	}
	ctx.Exists = func(path string) bool { // the other project has a file of the same name
		return path == "/home/dev/other/src/c.go" || strings.HasPrefix(path, testProject+"/")
	}
	ctx.Older = func(path string) bool {
		path = strings.TrimPrefix(path, testProject+"/")
		switch strings.TrimSuffix(path, "/") {
		case "src/mine.go", "made.txt", "made":
			return false
		case "drafts/deep", "src", "docs": // directories
			return strings.HasSuffix(path, "/")
		case "src/new.go", "new.txt", "notes.bak", "docs/notes2.md", "scripts/other.sh", "drafts/deep/x.go", "src/b.go",
			"src/b", "src/d.go", "docs/notes.md", "docs/drafts", "/tmp/new":
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

// TestRestoreOfClean restores files of a repository in which others are changed.
func TestRestoreOfClean(t *testing.T) {
	ctx := unsavedContext()
	ctx.Git = func(string) GitFacts { return GitFacts{Known: true, Dirty: true, Branch: "topic"} }
	for command, want := range map[string]Verdict{
		"git restore README.md":                            None,
		"git checkout -- README.md web":                    None,
		"git checkout README.md":                           None,
		"git restore src/c.go":                             Ask,
		"git restore README.md src/c.go":                   Ask,
		"git restore src":                                  Ask, // src/c.go is changed
		"git restore 'src/*.go'":                           Ask,
		"git restore ':(top)src/c.go'":                     Ask,
		"git restore -s HEAD~3 README.md":                  None,
		"git restore -SW README.md":                        None,
		"git checkout HEAD -- README.md web":               None,
		"git checkout HEAD README.md":                      None,
		"git checkout HEAD -- src":                         Ask,
		"git restore -s HEAD notes.md":                     Ask, // in place of an untracked file
		"git restore notes.md":                             None,
		"git restore pkg":                                  None, // as it is staged
		"git restore -s HEAD pkg":                          Ask,  // from a commit: what is staged is lost, too
		"git restore \"$FILE\"":                            Ask,
		"ssh h 'cd x && git restore README'":               Ask,
		"git restore .":                                    Deny,
		"git commit -am x && git checkout HEAD~1 src/c.go": None,
		"git stash && git restore src":                     None,
		"git stash && git restore .":                       Deny,
	} {
		if d := Judge(bash(command), ctx); d.Verdict != want {
			t.Errorf("%s: %q by %s, want %q", command, d.Verdict, d.Rule, want)
		}
	}
	ctx.Unsaved = func(string) []Unsaved { return nil } // git did not answer
	if d := Judge(bash("git restore README.md"), ctx); d.Verdict != Ask {
		t.Errorf("without an answer of git: %q, want ask", d.Verdict)
	}
}

// TestStagedSecrets adds trees to the repository that hold credentials.
func TestStagedSecrets(t *testing.T) {
	ctx := testContext()
	var files []Unsaved
	for _, f := range []string{
		"config/client_secret_1.json", "made/id_rsa", "deploy/", "tests/key.pem", "web/.env.test", "src/a.go",
	} {
		files = append(files, Unsaved{Path: testProject + "/" + f, Untracked: true})
	}
	ctx.Unsaved = func(string) []Unsaved { return files }
	ctx.Older = func(path string) bool { return !strings.Contains(path, "/made/") }
	names := map[string]string{"/deploy/": "keys/\nrun.sh\n", "/deploy/keys/": "server.key\n"}
	ctx.FileText = func(path string) (string, bool) {
		return names[path[len(testProject):]], true
	}
	for cmd, want := range map[string]Verdict{
		"git add config": Ask, "git add config/*.json": Ask, "git add -A": Ask, "git add .": Ask, "git add deploy": Ask,
		"git add made": None, "git add tests web src": None, "git add -u": None, "git add src/a.go": None,
		"git add -n .": None,
	} {
		if d := Judge(bash(cmd), ctx); d.Verdict != want {
			t.Errorf("%q: %q by %s, want %s", cmd, d.Verdict, d.Rule, want)
		}
	}
}
