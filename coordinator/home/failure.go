package home

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/atomicfile"
	"github.com/afar-sh/afar/coordinator/text"
)

// FailureFor is how long a failure to start the coordinator is remembered: until
// then no hook tries again.
const FailureFor = 10 * time.Second

// maxReason bounds the reason of a failure, in bytes.
const maxReason = 600

// failureNote is where the reason of the last failed start lies. It is there from
// that failure until a coordinator serves.
func (d Dirs) failureNote() string { return filepath.Join(d.Run, "failed") }

// NoteFailure remembers why no coordinator could start. Where that is not
// possible, each start fails anew.
func (d Dirs) NoteFailure(reason string) error {
	if err := d.MakeRun(); err != nil {
		return err
	}
	if err := atomicfile.Write(d.failureNote(), oneLine(reason)); err != nil {
		return fmt.Errorf("note a failure: %w", err)
	}
	return nil
}

// ForgetFailure says that a coordinator serves.
func (d Dirs) ForgetFailure() { _ = os.Remove(d.failureNote()) }

// Failure returns why the last start failed, and when; "" where none has failed
// since a coordinator served.
func (d Dirs) Failure() (reason string, at time.Time) {
	info, err := os.Stat(d.failureNote())
	if err != nil {
		return "", at
	}
	raw, err := os.ReadFile(d.failureNote())
	if err != nil || len(raw) == 0 {
		return "", at
	}
	return oneLine(string(raw)), info.ModTime()
}

// oneLine returns the beginning of a reason in one line.
func oneLine(reason string) string { return text.ClipBytes(text.Fold(reason), maxReason) }

// stoppedMark is there while no coordinator serves because somebody wanted that.
func (d Dirs) stoppedMark() string { return filepath.Join(d.Run, "stopped") }

// NoteStopped says that the coordinator ends because it was told to.
func (d Dirs) NoteStopped() {
	_ = os.WriteFile(d.stoppedMark(), nil, 0o600) // else a session's hook starts it again
}

// ForgetStopped says that a coordinator serves.
func (d Dirs) ForgetStopped() { _ = os.Remove(d.stoppedMark()) }

// Stopped reports whether the last coordinator was told to end.
func (d Dirs) Stopped() bool { return Marked(d.stoppedMark()) }

// Died reports whether a coordinator has served this home, was not stopped, and
// left its lock behind. It may also be alive.
func (d Dirs) Died() bool { return Marked(d.LifeLock()) && !d.Stopped() }
