package birthmark_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/birthmark"
)

// limit prints the hard limit of file locks.
const limit = "ulimit -H -x"

func needsMarks(t *testing.T) {
	t.Helper()
	if !birthmark.Supported {
		t.Skip("this system has no birthmark")
	}
	if level, err := birthmark.Of(os.Getpid()); err != nil || level != birthmark.None {
		t.Skip("these tests run with a birthmark:", level, err)
	}
}

// TestMark: a program that is started with the mark has it, and all that it starts, without any
// variables, in another session. It keeps its name, directory, environment and exit code.
func TestMark(t *testing.T) {
	needsMarks(t)
	script := `echo "$0|$1|$PWD|$VAR|$(setsid env -i bash -c 'ulimit -H -x; ulimit -S -x')"; exit 3`
	cmd := exec.Command("bash", "-c", script, "a name", "an argument")
	cmd.Dir, cmd.Env = "/", []string{"VAR=value", "PATH=" + os.Getenv("PATH")}
	birthmark.Mark(cmd, birthmark.Shell)
	out, _ := cmd.Output() // the exit code is checked below
	if want := "a name|an argument|/|value|7357357\n7357357\n"; string(out) != want {
		t.Errorf("the program printed %q, want %q", out, want)
	}
	if code := cmd.ProcessState.ExitCode(); code != 3 {
		t.Errorf("exit code %d, want 3", code)
	}
}

// TestMarkLowers: of two marks the lower one stays.
func TestMarkLowers(t *testing.T) {
	needsMarks(t)
	for outer, want := range map[birthmark.Level]string{
		birthmark.Client: "7357357\n", birthmark.Consulted: "7357356\n",
	} {
		cmd := exec.Command("bash", "-c", limit)
		birthmark.Mark(cmd, birthmark.Shell)
		birthmark.Mark(cmd, outer) // its starter starts the other one
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != want {
			t.Errorf("below %d: %q (%v), want %q", outer, out, err, want)
		}
	}
}

// TestMarkMissing: a program that does not exist ends as in a shell, with a reason.
func TestMarkMissing(t *testing.T) {
	needsMarks(t)
	cmd := &exec.Cmd{Path: "/does/not/exist", Args: []string{"x"}}
	birthmark.Mark(cmd, birthmark.Shell)
	out, _ := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != 127 || !strings.Contains(string(out), "/does/not/exist") {
		t.Errorf("code %d, said %q", code, out)
	}
	cmd = exec.Command("no-such-program-at-all")
	if birthmark.Mark(cmd, birthmark.Shell); cmd.Start() == nil {
		t.Error("a program that is not in PATH was started")
	}
}

// TestLower: another process gets a level, keeps it, and hands it on; a higher one changes
// nothing.
func TestLower(t *testing.T) {
	needsMarks(t)
	cmd := exec.Command("bash", "-c", "read -r _; "+limit)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ set, want birthmark.Level }{
		{birthmark.Client, birthmark.Client},
		{birthmark.Shell, birthmark.Shell},
		{birthmark.Client, birthmark.Shell},
	} {
		if err := birthmark.Lower(cmd.Process.Pid, step.set); err != nil {
			t.Error(err)
		}
		if got, err := birthmark.Of(cmd.Process.Pid); got != step.want || err != nil {
			t.Errorf("after %d: %d (%v), want %d", step.set, got, err, step.want)
		}
	}
	in.Close()
	if err := cmd.Wait(); err != nil || out.String() != "7357357\n" {
		t.Errorf("it printed %q (%v)", out.String(), err)
	}
	if err := birthmark.Lower(1<<22+1, birthmark.Client); err == nil {
		t.Error("a process that does not exist got a level")
	}
}

// TestLine: no function from the environment and no alias keeps a shell from its mark, and the
// shell is as before after it.
func TestLine(t *testing.T) {
	needsMarks(t)
	for _, env := range [][]string{
		nil,
		{"BASH_FUNC_ulimit%%=() { :; }"},
		{"BASH_FUNC_ulimit%%=() { :; }", "BASH_FUNC_unset%%=() { :; }", "BASH_FUNC_command%%=() { :; }"},
		{"BASH_FUNC_ulimit%%=() { :; }", "BASH_FUNC_builtin%%=() { :; }", "POSIXLY_CORRECT=1"},
	} {
		cmd := exec.Command("bash", "-c", "shopt -s expand_aliases; alias ulimit=: unset=:\n"+birthmark.Line+
			"\\ulimit -H -x; \\ulimit -S -x; shopt -o posix")
		cmd.Env = append(env, "PATH="+os.Getenv("PATH"))
		out, _ := cmd.CombinedOutput() // shopt fails if the option is off
		if got := strings.Fields(string(out)); strings.Join(got, " ") != "7357357 7357357 posix off" {
			t.Errorf("with %q: %q", env, out)
		}
	}
}
