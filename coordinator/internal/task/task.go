package task

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/run"
)

// A Slug names a task and its folder in the workspace.
type Slug string

// A Task is what Afar keeps of a task beside its folder. The folder says what the task is
// and how far it is.
type Task struct {
	Slug  Slug   `json:"slug"`
	Key   string `json:"key,omitempty"` // of the request that created it
	Agent string `json:"agent,omitempty"`
	Mode  string `json:"mode,omitempty"`
	Model string `json:"model,omitempty"`
	By    string `json:"by"` // the person who created it
	// Confirm has the person asked about each act of its run that reaches others.
	Confirm   bool      `json:"confirm,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	// Run is the run that works on the task, "" before the first start.
	Run run.ID `json:"run,omitempty"`
	// Stopped says that a person stopped the task: nothing but a person starts it.
	Stopped bool `json:"stopped,omitempty"`
	// Seen is the number of the run's newest turn after which state.md was looked at.
	Seen int64 `json:"seen,omitempty"`
	// Extracted says up to where facts were extracted from the run.
	Extracted Extracted `json:"extracted,omitzero"`
	// Asked is the checkpoint that the person was asked about, zero for none.
	Asked Asked `json:"asked,omitzero"`
	// Fault is what the person was told is wrong with state.md, "" once it can be read.
	Fault string `json:"fault,omitempty"`
	// DormantSince is the end of work after which the person was told that t is dormant.
	DormantSince time.Time `json:"dormant_since,omitzero"`
	// Advised is what came of the last question of the sweep about t, zero for none.
	Advised Advised `json:"advised,omitzero"`
}

// An Extracted says up to where facts were extracted from the run of a task.
type Extracted struct {
	Turn  int64 `json:"turn"`  // the newest turn at which the extraction has looked
	Event int64 `json:"event"` // the newest event of the run from which a model has extracted
}

// CheckSlug returns an error if no task can have this name. A name is safe as that of a folder.
func CheckSlug(name string) error {
	if !run.IsName(name) {
		return fmt.Errorf("unknown form of task %.60q; want 1 to 40 letters a-z, digits and dashes", name)
	}
	return nil
}

// maxSlug leaves room for the number of a second task with the same title.
const maxSlug = 36

// NewSlug makes a name of a title, another one as long as taken says so.
func NewSlug(title string, taken func(Slug) bool) Slug {
	base := plain(title)
	name := Slug(base)
	for n := 2; taken(name); n++ {
		name = Slug(base + "-" + strconv.Itoa(n))
	}
	return name
}

// plain returns the letters a-z and digits of a title, with dashes between its words.
func plain(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789", r)
	})
	name := strings.Join(words, "-")
	if len(name) > maxSlug {
		name = strings.TrimRight(name[:maxSlug], "-")
	}
	if name == "" {
		return "task"
	}
	return name
}

// Launch returns t with a run that works on it from now on. The advice that a model gave before
// is over.
func (t Task) Launch(id run.ID) Task {
	if t.Run != id {
		t.Run, t.Seen, t.Extracted = id, 0, Extracted{}
	}
	t.Stopped = false
	t.Advised = Advised{}
	return t
}

// Stop returns t stopped by a person.
func (t Task) Stop() Task {
	t.Stopped = true
	return t
}

// Look returns t after its state.md was looked at behind a turn, and whether that was due.
func (t Task) Look(turn int64) (Task, bool) {
	if turn <= t.Seen {
		return t, false
	}
	t.Seen = turn
	return t, true
}
