//go:build unix

package host

import (
	"crypto/rand"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"
)

// lookEvery is the time between two looks at a screen. A terminal sends no signal when its
// screen changes.
const lookEvery = 60 * time.Millisecond

// patience bounds the waits for something that a client always shows.
const patience = 90 * time.Second

// A Terminal is the client running in tmux, on a server of its own.
type Terminal struct {
	lab    *Lab
	socket string
	pid    int
}

// Terminal starts the client in a terminal and waits for its prompt. The terminal is
// closed at the end of the test. Without tmux the test is skipped.
func (l *Lab) Terminal(args ...string) *Terminal {
	l.t.Helper()
	x := l.Program(l.Env(), append([]string{l.client}, l.plugged(args)...)...)
	x.Await(`(?m)^\s*│?\s*[❯>]`, patience)
	return x
}

// Program starts a program with its arguments in a terminal in the lab's project, with the
// environment env. The terminal is closed at the end of the test. Without tmux the test is skipped.
func (l *Lab) Program(env []string, command ...string) *Terminal {
	l.t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		Skip(l.t, "no tmux here: the terminal client cannot be driven")
	}
	x := &Terminal{lab: l, socket: "lab-" + rand.Text()[:8]}
	// env -i: the program must not get the variables that tmux sets for its panes.
	command = append(append([]string{"env", "-i"}, env...), command...)
	size := []string{"-x", strconv.Itoa(or(l.opts.Columns, 140)), "-y", strconv.Itoa(or(l.opts.Rows, 45))}
	start := append([]string{"new-session", "-d", "-s", "lab", "-c", l.Project}, size...)
	l.t.Cleanup(x.Close)
	// remain-on-exit: the last output of a client stays readable.
	start = append([]string{"start-server", ";", "set-option", "-g", "remain-on-exit", "on", ";"}, start...)
	x.must(append(append(start, "--"), command...)...)
	pid, err := strconv.Atoi(strings.TrimSpace(x.must("list-panes", "-t", "lab", "-F", "#{pane_pid}")))
	if err != nil {
		l.t.Fatalf("start terminal: %v", err)
	}
	x.pid = pid
	return x
}

func or(n, standard int) int {
	if n > 0 {
		return n
	}
	return standard
}

// Pid returns the id of the client's process.
func (x *Terminal) Pid() int { return x.pid }

// Screen returns the text that the terminal shows now.
func (x *Terminal) Screen() string {
	out, _ := x.tmux("capture-pane", "-p", "-t", "lab") // a closed terminal shows nothing
	return out
}

// Keys presses keys by their tmux names: Enter, Escape, Up, C-c, Tab, y.
func (x *Terminal) Keys(names ...string) {
	x.lab.t.Helper()
	x.must(append([]string{"send-keys", "-t", "lab", "--"}, names...)...)
}

// Type types text and returns when the screen shows its end. It does not press
// Enter, and a line break in text is typed as the client's own (C-j).
func (x *Terminal) Type(text string) {
	x.lab.t.Helper()
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			x.Keys("C-j")
		}
		x.literal(line)
	}
	end := tail(text)
	if !x.until(patience, func(screen string) bool { return strings.Contains(squeeze(screen), end) }) {
		x.lab.t.Fatalf("the terminal does not show the typed %q:\n%s", text, x.Screen())
	}
}

// Submit types text and presses Enter.
func (x *Terminal) Submit(text string) {
	x.lab.t.Helper()
	x.Type(text)
	x.Keys("Enter")
}

// Await returns the screen as soon as it matches the regular expression; after
// the deadline the test fails and shows the screen.
func (x *Terminal) Await(pattern string, within time.Duration) string {
	x.lab.t.Helper()
	re := regexp.MustCompile(pattern)
	var last string
	if !x.until(within, func(screen string) bool { last = screen; return re.MatchString(screen) }) {
		x.lab.t.Fatalf("the terminal does not show %q within %s:\n%s", pattern, within, last)
	}
	return last
}

// unread is how long a dialog ignores keys, so that a person does not confirm unread
// text. For the current client 100 ms were too short, and 200 ms were always enough.
const unread = 400 * time.Millisecond

// Settle answers a dialog: it presses the keys, once, and waits until the screen no
// longer matches. If the screen is only slow, a second press would reach whatever
// follows the dialog, so Settle presses again only after a long time.
func (x *Terminal) Settle(dialog string, keys ...string) {
	x.lab.t.Helper()
	re := regexp.MustCompile(dialog)
	gone := func(screen string) bool { return !re.MatchString(screen) }
	x.Await(dialog, patience)
	time.Sleep(unread)
	for range 3 {
		x.Keys(keys...)
		if x.until(patience/3, gone) {
			return
		}
	}
	x.lab.t.Fatalf("the dialog %q does not take %q:\n%s", dialog, keys, x.Screen())
}

// Gone waits until the screen no longer matches; after the deadline the test fails.
func (x *Terminal) Gone(pattern string, within time.Duration) string {
	x.lab.t.Helper()
	re := regexp.MustCompile(pattern)
	var last string
	if !x.until(within, func(screen string) bool { last = screen; return !re.MatchString(screen) }) {
		x.lab.t.Fatalf("the terminal still shows %q after %s:\n%s", pattern, within, last)
	}
	return last
}

// Running reports whether the client runs.
func (x *Terminal) Running() bool { return x.pid > 0 && syscall.Kill(x.pid, 0) == nil }

// Close closes the terminal, so that the client gets SIGHUP, and waits until the client has
// ended. It ends only the tmux server that this Terminal started.
func (x *Terminal) Close() {
	x.tmux("kill-server")
	for end := time.Now().Add(patience); x.Running(); time.Sleep(lookEvery) {
		if time.Now().After(end) {
			x.lab.t.Errorf("the client (pid %d) outlived its terminal", x.pid)
			syscall.Kill(x.pid, syscall.SIGKILL)
			return
		}
	}
}

func (x *Terminal) until(within time.Duration, seen func(screen string) bool) bool {
	for end := time.Now().Add(within); ; time.Sleep(lookEvery) {
		if seen(x.Screen()) {
			return true
		}
		if time.Now().After(end) {
			return false
		}
	}
}

func (x *Terminal) literal(line string) {
	x.lab.t.Helper()
	if line == "" {
		return
	}
	if rest, ok := strings.CutSuffix(line, ";"); ok {
		line = rest + `\;` // a last semicolon would end tmux's own command
	}
	x.must("send-keys", "-t", "lab", "-l", "--", line)
}

func (x *Terminal) tmux(args ...string) (string, error) {
	c := exec.Command("tmux", append([]string{"-L", x.socket, "-f", "/dev/null"}, args...)...)
	c.Env = append(x.lab.Env(), "TMUX_TMPDIR="+x.lab.Temp)
	out, err := c.CombinedOutput()
	return string(out), err
}

func (x *Terminal) must(args ...string) string {
	x.lab.t.Helper()
	out, err := x.tmux(args...)
	if err != nil {
		x.lab.t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return out
}

// tail returns the end of a squeezed text, which is enough to recognize it.
func tail(text string) string {
	r := []rune(squeeze(text))
	return string(r[max(0, len(r)-12):])
}

// squeeze removes what a terminal adds to a text when it wraps and frames it.
func squeeze(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '│' || r == '❯' {
			return -1
		}
		return r
	}, text)
}
