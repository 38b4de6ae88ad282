package sandbox_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/host/claude/sandbox"
)

// TestMain makes a room and waits, if it is asked to: then it is killed.
func TestMain(m *testing.M) {
	if os.Getenv("AFAR_TEST_ROOM") != "" {
		room, err := sandbox.NewRoom(spec)
		if err != nil {
			os.Exit(1)
		}
		fmt.Println(room.Dir())
		_, _ = io.Copy(io.Discard, os.Stdin)
	}
	os.Exit(m.Run())
}

var spec = sandbox.Spec{Name: "room-", Project: "shop"}

// TestSweep: a new room removes the one of a maker that was killed, and leaves the rooms of
// makers that live, those that were just made, and whatever is no folder.
func TestSweep(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TEMP", temp)
	killed, kill := maker(t)
	living, _ := maker(t)
	kill()
	fresh, file, link := filepath.Join(temp, "room-0"), filepath.Join(temp, "room-1"), filepath.Join(temp, "room-2")
	target := t.TempDir()
	if err := os.Mkdir(fresh, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		link = file // not everybody may make one
	}
	long := time.Now().Add(-time.Hour)
	for _, path := range []string{killed, living, file, target} {
		if err := os.Chtimes(path, long, long); err != nil {
			t.Fatal(err)
		}
	}
	room, err := sandbox.NewRoom(spec)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(killed); err == nil {
		t.Error("the room of a maker that was killed is still there")
	}
	for _, path := range []string{living, fresh, file, link, target, room.Dir()} {
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
	if room.Remove(); room.Has("") {
		t.Error("the room is still there")
	}
}

// maker starts a program that makes a room and holds it until it is killed.
func maker(t *testing.T) (dir string, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "AFAR_TEST_ROOM=1")
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	kill = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	t.Cleanup(kill)
	if _, err := fmt.Fscanln(out, &dir); err != nil {
		t.Fatal(err)
	}
	return dir, kill
}
