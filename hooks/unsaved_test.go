package hooks_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/standin/calls"
)

// TestUncommittedWorkInTheHook: the hook asks before a command overwrites a file that no
// commit has and that is older than the session. It has no opinion on a file that the session
// wrote.
func TestUncommittedWorkInTheHook(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	bin, err := home.Bin()
	if err != nil {
		t.Fatal(err)
	}
	p := newJudgedPlace(t, bin)
	p.env["PATH"] = filepath.Dir(git)
	if p.dirs, err = home.FromEnv(p.getenv); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(git, "init", "-q", p.project).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v %s", err, out)
	}
	notes, transcript := filepath.Join(p.project, "notes.md"), filepath.Join(t.TempDir(), "t.jsonl")
	for _, file := range []string{notes, transcript} {
		if err := os.WriteFile(file, []byte("text\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	verdict := func(tool, input string) guard.Verdict {
		c := calls.Case{Tool: tool, Input: input}
		event := strings.Replace(p.input(c), "{", `{"transcript_path":`+quoted(transcript)+",", 1)
		code, stdout, stderr := p.run(event)
		if code != 0 {
			t.Fatalf("exit %d: %s", code, stderr)
		}
		return printed(t, c, []byte(stdout))
	}
	changed := func(at time.Time) {
		if err := os.Chtimes(notes, at, at); err != nil {
			t.Fatal(err)
		}
	}
	const overwrite = `{"command":"echo new > notes.md"}`
	changed(time.Now().Add(-time.Hour))
	if verdict("Bash", overwrite) != guard.Ask {
		t.Error("a file of the person is overwritten without a question")
	}
	if v := verdict("Bash", `{"command":"echo more >> notes.md"}`); v != guard.None {
		t.Errorf("adding to the file: %q", v)
	}
	if v := verdict("Write", `{"file_path":`+quoted(notes)+`,"content":"x"}`); v != guard.None {
		t.Errorf("the Write tool: %q", v)
	}
	changed(time.Now().Add(time.Hour))
	if v := verdict("Bash", overwrite); v != guard.None {
		t.Errorf("a file that the session wrote: %q", v)
	}
}
