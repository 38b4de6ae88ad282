//go:build linux

package sessions

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestOpen: a conversation is open while the client that wrote its file runs. The file of a
// client that was killed does not count, nor that of another process with the same id.
func TestOpen(t *testing.T) {
	d := newFixture(t)
	dir := filepath.Dir(d.dir)
	if f, ok := Open(dir, "s"); ok {
		t.Errorf("without files: %+v", f)
	}
	d.write("x.json", file(os.Getpid(), "s", "busy"))
	d.write("1.json", `{"sessionId":"s","pid":`)
	d.write(strconv.Itoa(dead(t))+".json", file(dead(t), "s", "busy"))
	d.write("4000000001.json", started(os.Getpid(), "1"))
	if f, ok := Open(dir, "s"); ok {
		t.Errorf("with broken and stale files: %+v", f)
	}
	d.write(ownFile, started(os.Getpid(), startOf(t, os.Getpid())))
	if f, ok := Open(dir, "s"); !ok || f.PID != os.Getpid() {
		t.Errorf("while it runs: %+v, %t", f, ok)
	}
	if f, ok := Open(dir, "other"); ok {
		t.Errorf("another conversation: %+v", f)
	}
}

// started is the file of a client that began at a time, in the system's ticks.
func started(pid int, ticks string) string {
	return fmt.Sprintf(`{"pid":%d,"sessionId":"s","procStart":%q,"entrypoint":"cli"}`, pid, ticks)
}

func startOf(t *testing.T, pid int) string {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(raw), ") ")
	return strings.Fields(rest)[19]
}

func TestWhere(t *testing.T) {
	for want, f := range map[string]File{
		"a terminal (process 7)":               {PID: 7, Kind: "interactive", Entrypoint: "cli"},
		"a session of claude --bg (process 7)": {PID: 7, Kind: "bg", Entrypoint: "cli"},
		"claude -p (process 7)":                {PID: 7, Kind: "interactive", Entrypoint: "sdk-cli"},
	} {
		if got := f.Where(); got != want {
			t.Errorf("%+v: %q, want %q", f, got, want)
		}
	}
}
