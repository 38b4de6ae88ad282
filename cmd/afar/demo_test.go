//go:build unix

package main

import (
	"bytes"
	"context"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/afar-sh/afar/coordinator/standin/browser"
	"github.com/afar-sh/afar/coordinator/standin/stray"
)

var update = flag.Bool("update", false, "write the golden files anew")

// demoFor is how long a demo that answers by itself may take.
const demoFor = time.Minute

// A demoRun is one `afar demo` at a terminal of its own, with nothing of the person's.
type demoRun struct {
	t          *testing.T
	cmd        *exec.Cmd
	home, temp string
	terminal   *os.File
	out        spawned       // what it shows
	done       chan struct{} // closed when all is read
}

// startDemo starts a demo. path is PATH, which says whether there is a Claude Code.
func startDemo(t *testing.T, bin, path string, args ...string) *demoRun {
	t.Helper()
	d := &demoRun{t: t, home: t.TempDir(), temp: tempDir(t), done: make(chan struct{})}
	d.out.changed = make(chan struct{})
	d.cmd = exec.Command(filepath.Join(bin, "afar"), append([]string{"demo"}, args...)...)
	d.cmd.Env = []string{"HOME=" + d.home, "TMPDIR=" + d.temp, "PATH=" + path, "TZ=UTC", "NO_COLOR=1", "USER=ann"}
	terminal, err := pty.StartWithSize(d.cmd, &pty.Winsize{Rows: 40, Cols: 100})
	if err != nil {
		t.Fatal(err)
	}
	d.terminal = terminal
	go func() {
		_, _ = io.Copy(&d.out, terminal) // it ends with an error when the demo does
		close(d.done)
	}()
	t.Cleanup(func() {
		_ = d.cmd.Process.Kill() // it has ended, mostly
		terminal.Close()
	})
	return d
}

// tempDir is a short temporary folder, so that sockets below it have short names.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "d")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// await waits until the demo has shown a text.
func (d *demoRun) await(want string) {
	d.t.Helper()
	for limit := time.After(demoFor); ; {
		text, changed := d.out.printed()
		if strings.Contains(text, want) {
			return
		}
		select {
		case <-changed:
		case <-limit:
			d.t.Fatalf("the demo does not show %q; it shows\n%s", want, text)
		}
	}
}

func (d *demoRun) shows() string {
	text, _ := d.out.printed()
	return strings.ReplaceAll(text, "\r\n", "\n")
}

func (d *demoRun) press(keys string) {
	d.t.Helper()
	if _, err := io.WriteString(d.terminal, keys); err != nil {
		d.t.Fatal(err)
	}
}

// ends waits for the end, wants this exit code, and wants that nothing is left.
func (d *demoRun) ends(code int) string {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), demoFor)
	defer cancel()
	select {
	case <-d.done:
	case <-ctx.Done():
		d.t.Fatalf("the demo did not end within %s; it shows\n%s", demoFor, d.shows())
	}
	got, err := exitOf(d.cmd.Wait())
	if err != nil || got != code {
		d.t.Errorf("exit %d, %v, want %d; it shows\n%s", got, err, code, d.shows())
	}
	d.leavesNothing()
	return d.shows()
}

func (d *demoRun) leavesNothing() {
	d.t.Helper()
	for what, dir := range map[string]string{"home": d.home, "folder for temporary files": d.temp} {
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			d.t.Errorf("the demo left %v in the %s, %v", left, what, err)
		}
	}
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		left := processesOf(d.temp)
		if len(left) == 0 {
			break
		}
		if time.Now().After(end) {
			d.t.Errorf("the demo left the processes %q", left)
			break
		}
	}
	if err := stray.Check(d.temp); err != nil {
		d.t.Error(err)
	}
}

// processesOf returns the command lines of all processes whose environment names a folder.
func processesOf(dir string) (left []string) {
	envs, _ := filepath.Glob("/proc/[0-9]*/environ") // none where there is no /proc
	for _, path := range envs {
		raw, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(raw, []byte(dir)) {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		left = append(left, strings.ReplaceAll(string(line), "\x00", " "))
	}
	return left
}

// plainPath is a PATH without Claude Code.
const plainPath = "/usr/bin:/bin"

// TestDemo has the demo answer by itself, and compares all that it shows.
func TestDemo(t *testing.T) {
	t.Parallel()
	began := time.Now()
	shown := masked(startDemo(t, os.Getenv(builtVar), plainPath, "--yes").ends(exitDone))
	if took := time.Since(began); took > demoFor {
		t.Errorf("it took %s, want less than %s", took, demoFor)
	}
	golden := filepath.Join("testdata", "demo.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(shown), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if shown != string(want) {
		t.Errorf("the demo shows\n%s\nwant\n%s", shown, want)
	}
}

// masks replace what is different in each run.
var masks = []struct {
	re   *regexp.Regexp
	text string
}{
	{regexp.MustCompile(`\S+/afar-demo-\d+`), "DIR"},
	{regexp.MustCompile(`\d\d:\d\d:\d\d`), "TIME"},
	{regexp.MustCompile(`by \S+ at the page`), "by ann at the page"},
	{regexp.MustCompile(`\d+(\.\d+)? m?s\b`), "0 s"},
	{regexp.MustCompile(`\b\d+s\b`), "0s"},
	{regexp.MustCompile(`undo_\w{8}`), "undo_ID"},
}

func masked(text string) string {
	for _, m := range masks {
		text = m.re.ReplaceAllString(text, m.text)
	}
	return text
}

// TestDemoOnThePage answers in a real browser, which the link in the terminal signs in. With
// AFAR_SHOTS it takes the pictures of the README.
func TestDemoOnThePage(t *testing.T) {
	t.Parallel()
	tab := browser.Start(t).Tab(t)
	d := startDemo(t, os.Getenv(builtVar), plainPath)
	d.await("/signin/")
	tab.View(1100, 900, false)
	link := signInLink.FindString(d.shows())
	page, _, _ := strings.Cut(link, "/signin/")
	tab.Open(link)
	for _, button := range []string{`button[value="allow"]`, `button.option`, `button[value="allow"]`} {
		tab.Wait("document.querySelector('" + button + "')")
		if d.asksToClean() {
			tab.Open(page)
			shoot(tab)
		}
		tab.Click(".lines > li:not(.closed) a") // what was answered stays chosen
		tab.Click(".card:target " + button)
		tab.Wait("!document.querySelector('" + button + "')")
	}
	d.await("You take a step back")
	tab.Open(page + "/guard")
	tab.Click(".undo button")
	d.await("Enter ends the demo")
	d.press("\n")
	shown := d.ends(exitDone)
	for _, want := range []string{"at the page: Hello", "done (proven)", "2 files restored", "3 allowed"} {
		if !strings.Contains(shown, want) {
			t.Errorf("the demo does not show %q; it shows\n%s", want, shown)
		}
	}
}

var signInLink = regexp.MustCompile(`http://\S+/signin/\S+`)

// asksToClean reports whether the session asks about the step that deletes.
func (d *demoRun) asksToClean() bool {
	return strings.Contains(d.shows(), "wants to run a command: git clean")
}

// shoot takes the pictures of the page in light and dark.
func shoot(tab *browser.Tab) {
	for name, dark := range map[string]bool{"demo-light": false, "demo-dark": true} {
		tab.View(1100, 900, dark)
		tab.Shoot(name)
	}
}

// TestDemoByHand answers as a person at the terminal does, refuses the step that deletes, and
// types what means nothing.
func TestDemoByHand(t *testing.T) {
	t.Parallel()
	d := startDemo(t, os.Getenv(builtVar), plainPath)
	d.await("wants to run a command: sh test.sh")
	d.press("perhaps\n")
	d.await("Type allow, or deny and why.")
	d.press("allow\n")
	d.await("asks you: Which greeting")
	d.press("Moin $(touch ran)\n")
	d.await("The session goes on with your answer.")
	d.await("wants to run a command: git clean")
	d.press("deny keep them\n")
	d.await("Enter ends the demo")
	d.press("\n")
	shown := d.ends(exitDone)
	for _, want := range []string{
		"at the terminal: Moin $(touch ran)", "Denied by", "done (proven)", "there is nothing to take back", "1 denied",
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("the demo does not show %q; it shows\n%s", want, shown)
		}
	}
}

// TestDemoInterrupted presses Ctrl-C at different moments, and again and again until the demo has
// ended. Nothing is left.
func TestDemoInterrupted(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"touches nothing of yours", "/signin/", "The loop is on.", "wants to run a command: sh test.sh"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			d := startDemo(t, os.Getenv(builtVar), plainPath)
			d.await(at)
			for d.press("\x03"); d.runs(10 * time.Millisecond); {
				_, _ = io.WriteString(d.terminal, "\x03") // it may have ended meanwhile
			}
			d.ends(exitInterrupted)
		})
	}
}

// runs reports whether the demo still runs after a while.
func (d *demoRun) runs(while time.Duration) bool {
	select {
	case <-d.done:
		return false
	case <-time.After(while):
		return true
	}
}

// TestDemoTerminalCloses takes the terminal away.
func TestDemoTerminalCloses(t *testing.T) {
	t.Parallel()
	d := startDemo(t, os.Getenv(builtVar), plainPath)
	d.await("wants to run a command: sh test.sh")
	if err := d.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	d.ends(exitInterrupted)
}

// TestDemoRefuses has a session start the demo, and a program that cannot answer.
func TestDemoRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env, want string
	}{
		"in a session": {"CLAUDECODE=1", "not inside a session"},
		"no terminal":  {"TERM=dumb", "with --yes it answers by itself"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			temp := t.TempDir()
			cmd := exec.Command(filepath.Join(os.Getenv(builtVar), "afar"), "demo")
			cmd.Env = []string{"HOME=" + temp, "TMPDIR=" + temp, "PATH=" + plainPath, c.env}
			out, err := cmd.CombinedOutput()
			if code, _ := exitOf(err); code != exitFailed || !strings.Contains(string(out), c.want) {
				t.Errorf("exit %d, %s; want %q", code, out, c.want)
			}
			if left, _ := os.ReadDir(temp); len(left) > 0 {
				t.Errorf("it left %v", left)
			}
		})
	}
}
