package ask

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/session"
)

// Checkpoint is the kind of ask in which a task asks the person something. The answer is the
// next text for the task.
const Checkpoint Kind = "checkpoint"

// CheckpointFor is how long a checkpoint accepts an answer. Its task then asks again.
const CheckpointFor = 7 * 24 * time.Hour

// NewCheckpoint returns the ask of a task for a checkpoint.md with the text file. by is the
// conversation of its run; q is what it asks, and told what the person must know for it.
func NewCheckpoint(task string, by session.ID, dir, file, told string, q Question) (Ask, error) {
	form, err := NewForm([]Question{q})
	sum := sha256.Sum256([]byte(file))
	return Ask{
		Kind:    Checkpoint,
		Session: by,
		Tool:    string(Checkpoint),
		Text:    keep(told),
		Form:    form,
		Hash:    hex.EncodeToString(sum[:]),
		Cwd:     dir,
		Task:    task,
	}, err
}

// Need returns what a checkpoint asks, "" for another kind of ask.
func (a Ask) Need() string {
	if a.Kind != Checkpoint || a.Form == nil {
		return ""
	}
	return a.Form.Questions[0].Text
}

// Reply returns the answer to a checkpoint as its task gets it, "" while there is none.
func (a Ask) Reply() string {
	if a.Kind != Checkpoint || a.Decision == nil || a.Form == nil {
		return ""
	}
	q := a.Form.Questions[0]
	if q.Said != "" || len(q.Picked) == 0 {
		return q.Said
	}
	o := q.Options[q.Picked[0]]
	if o.Description == "" {
		return o.Label
	}
	return o.Label + " → " + o.Description
}

// Aside reports whether a is about something else than the turn in which it was opened, so that
// the turn neither waits for it nor ends it.
func (a Ask) Aside() bool {
	return slices.Contains([]Kind{Proposal, Widen, Checkpoint, Suggestion, WakeUp, Missed}, a.Kind)
}
