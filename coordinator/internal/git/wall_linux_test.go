package git_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/git"
	"github.com/afar-sh/afar/coordinator/wall"
)

// bind makes a home with a key, and puts git behind the wall of this home.
func bind(t *testing.T, mode string) (user string) {
	t.Helper()
	if why := wall.Missing(); why != "" {
		t.Skip(why)
	}
	user, err := os.MkdirTemp("", "h") // short, for the sockets of gpg
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(user); git.Bound(bounds()) })
	t.Setenv("HOME", user)
	write(t, user, ".gitconfig", "[user]\n\tname = Ada\n\temail = a@x.example\n[init]\n\tdefaultBranch = main\n")
	write(t, user, ".bashrc", "mine\n")
	write(t, user, ".ssh/id", "the key\n")
	git.Bound(wall.Settings{Mode: mode}, home.Dirs{User: user, Path: os.Getenv("PATH")})
	return user
}

// program is what a repository names: it notes that it ran, writes into the home and reads a key there.
const program = `#!/bin/sh
echo ran >> "$0.ran"
cat "$HOME/.ssh/id" >> "$0.key" 2>/dev/null
echo changed >> "$HOME/.bashrc"
case "$1" in filter) exec cat;; esac
exit 1
`

// TestBound: no program that a repository names reaches the home when Afar's own git starts it. Without the wall, each does.
func TestBound(t *testing.T) {
	unraced(t)
	asks := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer asks.Close()
	remote := func(url string) step { return inRepo("config", "remote.o.url", url) }
	attribute := func(name string) step { return writeInRepo(".git/info/attributes", "* "+name+"\n") }
	for name, c := range map[string]struct {
		key, git string
		set      []step
	}{
		"a filter that cleans":  {"filter.x.clean", "add -A", []step{attribute("filter=x"), writeInRepo("new", "x")}},
		"a filter that smudges": {"filter.x.smudge", "reset -q --hard HEAD", []step{attribute("filter=x"), writeInRepo("a.txt", "x")}},
		"a filter, and a remote that is a file of the home": {"filter.x.smudge", "reset -q --hard HEAD", []step{
			attribute("filter=x"), writeInRepo("a.txt", "x"),
			func(t *testing.T, dir string) { run(t, dir, "config", "remote.o.url", os.Getenv("HOME")+"/.bashrc") },
		}},
		"a process of a filter": {"filter.x.process", "add -A", []step{attribute("filter=x"), writeInRepo("new", "x")}},
		"a filter of a rebase": {"filter.x.smudge", "rebase -q side", []step{
			attribute("filter=x"), inRepo("checkout", "-q", "-b", "side"), writeInRepo("new", "x"), inRepo("add", "new"),
			inRepo("commit", "-q", "-m", "new"), inRepo("checkout", "-q", "main"), writeInRepo("other", "x"),
			inRepo("add", "other"), inRepo("commit", "-q", "-m", "other"),
		}},
		"a driver of merges": {"merge.x.driver", "rebase -q side", []step{
			attribute("merge=x"), inRepo("checkout", "-q", "-b", "side"), writeInRepo("a.txt", "x"),
			inRepo("commit", "-qam", "side"), inRepo("checkout", "-q", "main"), writeInRepo("a.txt", "y"),
			inRepo("commit", "-qam", "main"),
		}},
		"a converter of texts": {"diff.x.textconv", "diff", []step{attribute("diff=x"), writeInRepo("a.txt", "x")}},
		"an outer diff":        {"diff.x.command", "diff", []step{attribute("diff=x"), writeInRepo("a.txt", "x")}},
		"a program that signs": {"gpg.program", "commit -q --allow-empty -m x", []step{inRepo("config", "commit.gpgSign", "true")}},
		"ssh":                  {"core.sshCommand", "fetch -q o", []step{remote("ssh://x.example/y")}},
		"a proxy":              {"core.gitProxy", "fetch -q o", []step{remote("git://x.example/y")}},
		"what a remote runs":   {"remote.o.uploadpack", "fetch -q o", []step{remote("/srv/nothing")}},
		"a helper of sign-ins": {"credential.helper", "fetch -q o", []step{remote(asks.URL)}},
	} {
		for mode, reaches := range map[string]bool{wall.On: false, wall.Strict: false, wall.Off: true} {
			t.Run(name+"/"+mode, func(t *testing.T) {
				user, dir := bind(t, mode), committed(t)
				for _, s := range c.set {
					s(t, dir)
				}
				file := filepath.Join(dir, ".git", "program")
				if err := os.WriteFile(file, []byte(program), 0o700); err != nil {
					t.Fatal(err)
				}
				value := file
				if kind, _, _ := strings.Cut(c.key, "."); kind == "filter" {
					value += " filter"
				}
				run(t, dir, "config", c.key, value)
				_, err := git.Trusted(dir).Run(t.Context(), strings.Fields(c.git)...)
				if read(t, file+".ran") == "" {
					t.Fatalf("it did not run: %v", err)
				}
				hasWritten, hasRead := read(t, filepath.Join(user, ".bashrc")) != "mine\n", read(t, file+".key") != ""
				if hasWritten != reaches || hasRead != reaches {
					t.Errorf("it writes into the home: %t, reads a key: %t (%v)", hasWritten, hasRead, err)
				}
			})
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(text)
}

// TestBoundKeys: git reads the person's keys to push and to sign, if the repository names no program itself.
func TestBoundKeys(t *testing.T) {
	unraced(t)
	user, dir := bind(t, wall.On), committed(t)
	file := filepath.Join(dir, ".git", "program")
	if err := os.WriteFile(file, []byte(program), 0o700); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "config", "remote.o.url", "ssh://x.example/y")
	write(t, user, ".gitconfig", "[core]\n\tsshCommand = "+file+"\n")
	_, _ = git.Trusted(dir).Run(t.Context(), "fetch", "-q", "o")
	if read(t, file+".key") == "" || read(t, filepath.Join(user, ".bashrc")) != "mine\n" {
		t.Errorf("the person's own program has read %q", read(t, file+".key"))
	}
	os.Remove(file + ".key")
	run(t, dir, "config", "filter.x.clean", "cat")
	_, _ = git.Trusted(dir).Run(t.Context(), "fetch", "-q", "o")
	if got := read(t, file+".key"); got != "" {
		t.Errorf("with a filter of the repository it has read %q", got)
	}
}

// TestBoundSigns: commits are signed by the real gpg, whose agent is not behind the wall.
func TestBoundSigns(t *testing.T) {
	unraced(t)
	if _, err := exec.LookPath("gpg"); err != nil {
		t.Skip("gpg is not installed")
	}
	user, dir := bind(t, wall.On), committed(t)
	if err := os.Mkdir(filepath.Join(user, ".gnupg"), 0o700); err != nil {
		t.Fatal(err)
	}
	gpg := func(name string, args ...string) {
		if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	gpg("gpg", "--batch", "--passphrase", "", "--quick-gen-key", "Ada <a@x.example>", "ed25519", "sign", "never")
	gpg("gpgconf", "--kill", "gpg-agent")
	defer gpg("gpgconf", "--kill", "gpg-agent")
	run(t, dir, "config", "commit.gpgSign", "true")
	r := git.Trusted(dir)
	if _, err := r.Run(t.Context(), "commit", "-q", "--allow-empty", "-m", "x"); err != nil {
		t.Fatal(err)
	}
	if signed, err := r.Line(t.Context(), "cat-file", "commit", "HEAD"); !strings.Contains(signed, "BEGIN PGP SIGNATURE") {
		t.Errorf("%v: %s", err, signed)
	}
}

// TestSealedFetchesNothing: a repository that lacks objects makes no git start a program that fetches them.
func TestSealedFetchesNothing(t *testing.T) {
	unraced(t)
	dir := committed(t)
	file := filepath.Join(dir, ".git", "program")
	if err := os.WriteFile(file, []byte(program), 0o700); err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{
		"core.repositoryFormatVersion": "1", "extensions.partialClone": "o", "remote.o.url": "ssh://x.example/y",
		"remote.o.promisor": "true", "core.sshCommand": file,
	} {
		run(t, dir, "config", key, value)
	}
	blob := strings.TrimSpace(run(t, dir, "rev-parse", "HEAD:a.txt"))
	if err := os.Remove(filepath.Join(dir, ".git/objects", blob[:2], blob[2:])); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "a.txt", "changed\n")
	if _, err := git.Sealed(t.Context(), dir).Run(t.Context(), "diff", "HEAD"); err == nil {
		t.Error("git has the object")
	}
	if read(t, file+".ran") != "" {
		t.Error("it started a program of the repository")
	}
}
