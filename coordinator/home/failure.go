package home

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/atomicfile"
	"github.com/afar-sh/afar/coordinator/text"
)

// FailureFor is how long a failure to start the coordinator is remembered. No hook
// tries again within that time.
const FailureFor = 10 * time.Second

// maxReason bounds the reason of a failure, in bytes.
const maxReason = 600

// failureNote returns the path of the file with the reason of the last failed
// start. The file exists from that failure until a coordinator serves.
func (d Dirs) failureNote() string { return filepath.Join(d.Run, "failed") }

// NoteFailure writes down why no coordinator could start. If it cannot, each later
// start tries and fails again.
func (d Dirs) NoteFailure(reason string) error {
	if err := d.MakeRun(); err != nil {
		return err
	}
	if err := atomicfile.Write(d.failureNote(), oneLine(reason)); err != nil {
		return fmt.Errorf("note a failure: %w", err)
	}
	return nil
}

// ForgetFailure removes the failure note, because a coordinator serves.
func (d Dirs) ForgetFailure() { _ = os.Remove(d.failureNote()) }

// Failure returns why the last start failed, and when. The reason is "" if no start
// has failed since a coordinator served.
func (d Dirs) Failure() (reason string, at time.Time) {
	info, err := os.Stat(d.failureNote())
	if err != nil {
		return "", at
	}
	raw, _ := os.ReadFile(d.failureNote())
	return oneLine(string(raw)), info.ModTime()
}

// oneLine returns the beginning of a reason in one line.
func oneLine(reason string) string { return text.ClipBytes(text.Fold(reason), maxReason) }

// stoppedMark returns the path of the file that exists while no coordinator serves
// because the last one was told to end.
func (d Dirs) stoppedMark() string { return filepath.Join(d.Run, "stopped") }

// NoteStopped leaves the stopped mark: the coordinator ends because it was told to.
func (d Dirs) NoteStopped() {
	_ = os.WriteFile(d.stoppedMark(), nil, 0o600) // without the mark a session's hook starts it again
}

// ForgetStopped removes the stopped mark, because a coordinator serves.
func (d Dirs) ForgetStopped() { _ = os.Remove(d.stoppedMark()) }

// Stopped reports whether the last coordinator was told to end.
func (d Dirs) Stopped() bool { return Marked(d.stoppedMark()) }

// Died reports whether a coordinator has served this home, was not stopped, and
// left its lock behind. It may also be alive.
func (d Dirs) Died() bool { return Marked(d.LifeLock()) && !d.Stopped() }
