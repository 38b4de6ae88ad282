//go:build unix

package sessions

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/disk"
)

// A fixture is a host's configuration directory, and what was reported about it.
type fixture struct {
	t       *testing.T
	dir     string
	s       *sessions
	reports []string
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	d := &fixture{t: t, dir: filepath.Join(t.TempDir(), "sessions")}
	w, err := disk.NewWatcher()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	d.s = &sessions{dir: d.dir, watcher: w, log: quiet(), lives: alive, report: d.report, seen: map[string]File{}}
	return d
}

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

func (d *fixture) report(f File, gone bool) {
	d.reports = append(d.reports, fmt.Sprintf("%s %s gone=%t", f.Session, f.Status, gone))
}

func (d *fixture) write(name, text string) {
	d.t.Helper()
	if err := os.MkdirAll(d.dir, 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// scan checks what a scan reports.
func (d *fixture) scan(want ...string) {
	d.t.Helper()
	d.s.scan()
	slices.Sort(d.reports)
	if !slices.Equal(d.reports, want) {
		d.t.Errorf("have %q, want %q", d.reports, want)
	}
	d.reports = nil
}

func file(pid int, session, status string) string {
	return fmt.Sprintf(
		`{"pid":%d,"sessionId":%q,"cwd":"/p","status":%q,"kind":"interactive","later":[1]}`,
		pid, session, status,
	)
}

// ownFile is the name of the session file of this process, which is alive.
var ownFile = strconv.Itoa(os.Getpid()) + ".json"

// dead returns the id of a process that has ended.
func dead(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}

func TestScan(t *testing.T) {
	d := newFixture(t)
	d.scan() // there is no directory yet
	d.write(ownFile, file(os.Getpid(), "s", "busy"))
	d.scan("s busy gone=false")
	d.scan()
	d.write(ownFile, file(os.Getpid(), "s", "idle"))
	d.scan("s idle gone=false")
	d.write(ownFile, `{"pid":1,"sess`) // half written
	d.scan()
	d.write(ownFile, file(os.Getpid(), "s", "waiting"))
	d.scan("s waiting gone=false")
	if err := os.Remove(filepath.Join(d.dir, ownFile)); err != nil {
		t.Fatal(err)
	}
	d.scan("s waiting gone=true")
	d.scan()
	d.write(ownFile, file(os.Getpid(), "s", "busy"))
	d.scan("s busy gone=false")
	if err := os.RemoveAll(d.dir); err != nil {
		t.Fatal(err)
	}
	d.scan("s busy gone=true")
}

func TestScanDead(t *testing.T) {
	d := newFixture(t)
	pid := dead(t)
	d.write(strconv.Itoa(pid)+".json", file(pid, "never seen", "busy"))
	d.scan()
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	one, two := strconv.Itoa(cmd.Process.Pid)+".json", "4000000001.json"
	d.write(one, file(cmd.Process.Pid, "one", "busy"))
	d.write(two, file(cmd.Process.Pid, "two", ""))
	d.scan("one busy gone=false", "two  gone=false")
	d.write(two, `{"half`)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	d.scan("one busy gone=true", "two  gone=true")
}

func TestScanWithoutPID(t *testing.T) {
	d := newFixture(t)
	d.write(ownFile, `{"sessionId":"s","status":"idle"}`)
	d.scan("s idle gone=false")
}

// TestScanIgnores checks that files with other names are not read, although they hold a session.
func TestScanIgnores(t *testing.T) {
	d := newFixture(t)
	d.write("x.json", file(os.Getpid(), "a name", "busy"))
	for _, name := range []string{
		"", "key", ".key", ".json.tmp", "-1.json", "+1.json", "1.json.bak", " 1.json", "0x1.json", "99999999999.json",
	} {
		if name == "" {
			name = strconv.Itoa(os.Getpid())
		}
		d.write(name, file(os.Getpid(), "a name", "busy"))
	}
	d.scan()
}

// TestScanHostile checks that broken files with the name of a session file are ignored.
func TestScanHostile(t *testing.T) {
	d := newFixture(t)
	d.write("1.json", `null`)
	d.write("2.json", `[]`)
	d.write("3.json", `{"sessionId":"","pid":1}`)
	d.write("4.json", "")
	d.write("5.json", file(-1, "all processes", "busy"))
	d.write("6.json", `{"pid":"x","sessionId":"s"}`)
	d.write("7.json", file(1, "large", "busy"))
	if err := os.Truncate(filepath.Join(d.dir, "7.json"), maxSessionFile+1); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(d.dir, "8.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(d.dir, "9.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"10.json": "/dev/zero", "11.json": "11.json", "12.json": "/no/such/file"} {
		if err := os.Symlink(to, filepath.Join(d.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	d.scan()
}

// alive reports whether a process that these tests run is alive.
func alive(f File) bool { return f.PID > 0 && syscall.Kill(f.PID, 0) == nil }

// TestWatch waits for the kernel's events: a directory appears; a file is written,
// changed and removed.
func TestWatch(t *testing.T) {
	root := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	reports, ended := make(chan string), make(chan error)
	go func() {
		ended <- Watch(ctx, filepath.Join(root, "host"), quiet(), alive, func(f File, gone bool) {
			select {
			case reports <- fmt.Sprintf("%s %s gone=%t", f.Session, f.Status, gone):
			case <-ctx.Done():
			}
		})
	}()
	d := &fixture{t: t, dir: filepath.Join(root, "host", "sessions")}
	for _, step := range []struct {
		do   func()
		want string
	}{
		{func() { d.write(ownFile, file(os.Getpid(), "s", "busy")) }, "s busy gone=false"},
		{func() { d.write(ownFile, file(os.Getpid(), "s", "idle")) }, "s idle gone=false"},
		{func() { os.Remove(filepath.Join(d.dir, ownFile)) }, "s idle gone=true"},
		{
			func() {
				os.RemoveAll(filepath.Join(root, "host"))
				d.write(ownFile, file(os.Getpid(), "s", "busy"))
			},
			"s busy gone=false",
		},
	} {
		step.do()
		select {
		case got := <-reports:
			if got != step.want {
				t.Fatalf("have %q, want %q", got, step.want)
			}
		case <-time.After(4 * rescanEvery):
			t.Fatalf("no report: want %s", step.want)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestWatchesLittle checks that the directory alone is watched as soon as it exists.
func TestWatchesLittle(t *testing.T) {
	d := newFixture(t)
	d.scan()
	if got := d.s.watcher.WatchList(); len(got) != 1 || got[0] == d.dir {
		t.Errorf("have %v", got)
	}
	d.write(ownFile, file(os.Getpid(), "s", "busy"))
	d.scan("s busy gone=false")
	if got := d.s.watcher.WatchList(); !slices.Equal(got, []string{d.dir}) {
		t.Errorf("have %v", got)
	}
}
