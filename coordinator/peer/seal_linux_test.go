package peer_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/afar-sh/afar/coordinator/peer"
)

const roleSealed = "sealed"

// init plays a program that seals itself, and then one of the same user that reads its environment.
func init() {
	roles[roleSealed] = func() {
		if os.Getenv("AFAR_TEST_SEAL") != "" {
			must(peer.Seal())
		}
		reader := exec.Command("cat", fmt.Sprintf("/proc/%d/environ", os.Getpid()))
		out, _ := reader.CombinedOutput() // that cat fails is what the test looks for
		fmt.Printf("%s\n%s", out, os.Args[0])
	}
}

// TestSeal: a process that has sealed itself is closed to others of its user, and is still found by
// its command.
func TestSeal(t *testing.T) {
	exe := filepath.Join(os.TempDir(), fmt.Sprintf("afar-seal-%d", os.Getpid()))
	defer os.Remove(exe)
	copyProgram(t, exe)
	for seal, want := range map[string]string{"": "AFAR_TEST_ROLE=" + roleSealed, "1": "Permission denied"} {
		cmd := exec.Command(exe)
		cmd.Dir, cmd.Env = "/", []string{"AFAR_TEST_ROLE=" + roleSealed, "AFAR_TEST_SEAL=" + seal, "PATH=/usr/bin:/bin"}
		if os.Getuid() == 0 { // root reads everything
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) || !strings.HasSuffix(string(out), exe) {
			t.Errorf("sealed %q: %q (%v), want %q", seal, out, err, want)
		}
	}
}

// copyProgram copies this program to a place where every user may run it.
func copyProgram(t *testing.T, to string) {
	t.Helper()
	from, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	f, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755)
	if err == nil {
		_, err = io.Copy(f, from)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}
