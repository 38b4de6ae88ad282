package taskwork

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/disk"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/task"
)

const checkpointFile = "checkpoint.md"

func (f Folders) checkpointOf(slug task.Slug) string {
	return filepath.Join(f.Dir(slug), checkpointFile)
}

// checkpoint reads the checkpoint.md of a task. found is false if there is none, and for
// anything but a plain file.
func (f Folders) checkpoint(slug task.Slug) (text string, found bool, err error) {
	info, err := os.Lstat(f.checkpointOf(slug))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", false, nil
	case err != nil, !info.Mode().IsRegular():
		return "", false, err
	}
	raw, err := disk.Head(f.checkpointOf(slug), task.MaxState)
	return string(raw), err == nil, err
}

// checkpoint puts the checkpoint.md of a task to the person, or removes it once it was used. It
// is done again if it breaks off.
func (w *Worker) checkpoint(t task.Task) error {
	file, found, err := w.folders.checkpoint(t.Slug)
	if err != nil {
		return err
	}
	var a ask.Ask
	if found {
		if a, err = w.newCheckpoint(t, file); err != nil {
			return err
		}
	}
	if t.Asked.Used && a.Hash == t.Asked.Hash {
		if err := os.Remove(w.folders.checkpointOf(t.Slug)); err != nil {
			return err
		}
		a = ask.Ask{}
	}
	if s, err := w.folders.State(t.Slug); err == nil && s.Status.Over() {
		a = ask.Ask{} // nothing is left to ask
	}
	return w.core.ShowCheckpoint(t.Slug, a)
}

// newCheckpoint returns the ask for a checkpoint.md. One that is not complete is shown as it is.
func (w *Worker) newCheckpoint(t task.Task, file string) (ask.Ask, error) {
	r, _ := w.core.TaskRun(t)
	c := task.ParseCheckpoint(file)
	q, told := ask.Question{Text: c.Need, Header: c.Title}, sections(c)
	if !c.Complete() {
		q.Text = "Its checkpoint.md does not say what it needs. Here is the whole file. What shall the task do?"
		told = cmp.Or(strings.TrimSpace(file), "(checkpoint.md is empty)")
	}
	for _, o := range c.Options {
		q.Options = append(q.Options, ask.Option{Label: o.Label, Description: o.Effect})
	}
	return ask.NewCheckpoint(string(t.Slug), session.ID(r.Conversation), w.folders.Dir(t.Slug), file, told, q)
}

// sections returns what the person must know before they answer a checkpoint.
func sections(c task.Checkpoint) string {
	var all []string
	for _, s := range []struct{ heading, text string }{
		{"", c.Title}, {"What I did: ", c.Did}, {"Details: ", c.Details},
	} {
		if s.text != "" {
			all = append(all, s.heading+s.text)
		}
	}
	return strings.Join(all, "\n\n")
}
