package loop

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/text"
)

// A Check is a command that decides whether the work is done. It runs in Dir and in the
// session's environment. It is green if it exits with code 0 within Timeout.
type Check struct {
	Frame   string // the id of its frame
	Command string
	Dir     string // empty for the session's directory
	Timeout time.Duration
}

// A CheckResult is the result of a check.
type CheckResult struct {
	Frame    string // of the Check
	ExitCode int
	TimedOut bool
	Broken   string // why it could not be run; empty if it ran
	Took     time.Duration
	Tail     string // the end of its output; at most 4,096 bytes reach the model
	Digest   string // of its whole output without times of day and durations; if empty, Tail counts
}

// asked returns the check whose result the loop waits for, or nil.
func (f *Frame) asked() *Check {
	if !f.Checking {
		return nil
	}
	return &Check{Frame: f.ID, Command: f.Check, Dir: f.Dir, Timeout: f.CheckTimeout}
}

// checked records a result. If more green results in a row are needed, it sets Checking,
// and the check runs again.
func (f *Frame) checked(r CheckResult) ending {
	if !r.green() {
		f.Green, f.Checked = 0, "the check is red: "+r.outcome(f.CheckTimeout)
		f.redden(r.digest())
		return ending{}
	}
	f.Green++
	f.Checked = "the check is green, " + tenths(r.Took)
	if f.Greens > 1 {
		f.Checked += fmt.Sprintf(", %d of %d in a row", f.Green, f.Greens)
	}
	if f.Green < f.Greens {
		f.Checking = true
		return ending{}
	}
	f.Proven = true
	return ending{verdict: Done, proven: true, note: "the check passed"}
}

func (f *Frame) redden(digest string) {
	if digest != f.RedDigest {
		f.Red, f.RedDigest = 0, digest
	}
	f.Red++
}

func (r CheckResult) green() bool { return r.ExitCode == 0 && !r.TimedOut && r.Broken == "" }

func (r CheckResult) outcome(timeout time.Duration) string {
	switch {
	case r.Broken != "":
		return "it could not be run: " + line(r.Broken, goalRunes)
	case r.TimedOut:
		return "it did not end within " + text.Length(timeout)
	}
	return fmt.Sprintf("exit code %d after %s", r.ExitCode, tenths(r.Took))
}

func (r CheckResult) digest() string {
	output := r.Digest
	if output == "" {
		sum := sha256.Sum256([]byte(r.Tail))
		output = hex.EncodeToString(sum[:])
	}
	return fmt.Sprintf("%d %t %s %s", r.ExitCode, r.TimedOut, r.Broken, output)
}

// tenths returns a duration as it is shown next to a result.
func tenths(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return text.Length(d)
}

// Notice returns what the person at the terminal sees of a step: the result of its check,
// "" if none ran.
func (o Outcome) Notice() string {
	if o.Checked == "" {
		return ""
	}
	f, ok := o.Stack.Top()
	if !ok {
		return "loop: " + o.Checked
	}
	return fmt.Sprintf("loop %d/%d: %s", f.N, f.Max, o.Checked)
}

// Interrupt records that the running check ended without a result: by Esc, by a person who
// typed, or by the kill switch. The loop goes on with the next stop.
func Interrupt(s Stack, now time.Time) (Stack, error) {
	if !s.checking() {
		return s, errNoCheck
	}
	s = s.clone()
	s.interrupt(now)
	return s, nil
}

// interrupt ends the running check, if any. It owns s.
func (s *Stack) interrupt(now time.Time) {
	if !s.checking() {
		return
	}
	s.top().Checking, s.top().Checked = false, "the check was interrupted"
	s.UpdatedAt = stored(now)
}

// checking reports whether the loop waits for the result of its check.
func (s Stack) checking() bool {
	f, _ := s.Top()
	return f.Checking
}

// Checking reports whether the loop waits for the result of this frame's check.
func (s Stack) Checking(frame string) bool { return s.checking() && s.top().ID == frame }
