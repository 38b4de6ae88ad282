package triggerwork

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/child"
	"github.com/afar-sh/afar/coordinator/internal/disk"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/random"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/trigger"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wall"
)

// The most characters of a notice to the person, and the most bytes of one value of a
// payload for a session and for a run. The host cuts what a session is told at 10,000
// characters.
const (
	mostTold    = 3000
	mostSession = 6000
	mostRun     = 120 << 10
)

// text returns what a rule sends for a payload.
func (w *Worker) text(r trigger.Rule, p trigger.Payload) string {
	switch r.To.Address.Kind {
	case message.ToPerson:
		return redact.Clean(r.Notice(p, mostTold))
	case message.ToSession:
		return redact.Visible(r.Text(p, random.Word(), mostSession))
	}
	return r.Text(p, random.Word(), mostRun) + escalation(r)
}

// escalation tells a run where its rule lets it send what others must deal with.
func escalation(r trigger.Rule) string {
	if r.Escalate == "" {
		return ""
	}
	return fmt.Sprintf("\n\nAfar: what %[1]s must deal with, send there: with your tool reply and to %[1]q, or with "+
		"`afar send %[1]s TEXT`.", r.Escalate)
}

// sending returns what a firing sends.
func (w *Worker) sending(t trigger.Trigger, r trigger.Rule, f trigger.Firing) (s feature.Sending, err error) {
	s = feature.Sending{Firing: f.ID, Hash: t.Hash, To: r.To.Address, Text: w.text(r, f.Payload)}
	if !r.To.New && !r.To.Keyed {
		return s, nil
	}
	s.To.Name = r.RunName(f.Payload)
	dir, err := w.dirOf(r)
	if err != nil {
		return s, err
	}
	if s.Run, err = w.cfg.NewRun(r, dir, runKey(f)); err != nil {
		return s, err
	}
	s.Run.Ephemeral = r.To.New
	s.First = w.identity() + s.Text
	if old, err := w.cfg.Core.RunNamed(s.To.Name); err == nil && w.gone(old) {
		s.Gone = old.ID
		s.First = w.identity() + w.anew(old) + s.Text
	}
	return s, nil
}

// runKey returns the key of the run that a firing starts. It is the same each time.
func runKey(f trigger.Firing) string {
	sum := sha256.Sum256([]byte(f.ID))
	return base32.StdEncoding.EncodeToString(sum[:])[:26]
}

// dirOf returns the directory of the runs of a rule. One of its own is made.
func (w *Worker) dirOf(r trigger.Rule) (string, error) {
	if below, ok := strings.CutPrefix(r.Dir, "~/"); ok {
		return filepath.Join(w.cfg.Dirs.User, below), nil
	}
	if r.Dir != "" {
		return r.Dir, nil
	}
	dir := w.cfg.Dirs.TriggerRuns(r.Name)
	return dir, os.MkdirAll(dir, 0o700)
}

// maxIdentity bounds identity.md, in bytes.
const maxIdentity = 16 << 10

// identity returns what the agent of a rule is told about who works here, "" without such a
// file.
func (w *Worker) identity() string {
	raw, err := disk.Head(w.cfg.Dirs.Identity(), maxIdentity)
	if err != nil || len(raw) == 0 {
		return ""
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(raw), "\ufffd")) + "\n\n"
}

// gone reports whether the conversation of a run is over and its agent does not know it any
// more.
func (w *Worker) gone(r run.Run) bool { return r.Settled() && r.Turns > 0 && !w.cfg.Resumes(r) }

// mostEvents is how many events of a conversation that is gone are looked at, the newest ones.
const mostEvents = 500

// anew says that a conversation begins anew, and what the last one was about.
func (w *Worker) anew(old run.Run) string {
	events, err := w.cfg.Core.RunLast(old.ID, old.Events+1, mostEvents)
	if err != nil {
		w.cfg.Log.Warn("read a conversation that is gone", "run", old.Name, "err", err)
	}
	var texts []message.Message
	for _, m := range w.cfg.Core.Messages() {
		if string(m.Session) == old.Conversation {
			m.Text = strings.TrimPrefix(m.Text, w.identity())
			texts = append(texts, m)
		}
	}
	return trigger.Anew(old, events, texts, random.Word())
}

// filterFor is how long a filter or a check may take.
const filterFor = 30 * time.Second

// filter runs the filter of a rule on a payload. why is "" if the payload passes.
func (w *Worker) filter(ctx context.Context, r trigger.Rule, p trigger.Payload) (s trigger.State, why string) {
	passed, failed := w.command(ctx, r, r.Filter, p.Text)
	switch {
	case failed != "":
		return trigger.Failed, "the filter failed: " + failed
	case !passed:
		return trigger.Dropped, "the filter dropped it"
	}
	return "", ""
}

// command runs a command of a rule on an input. It passes with exit code 0 and not with 1; failed
// says what else happened.
func (w *Worker) command(ctx context.Context, r trigger.Rule, command, in string) (passed bool, failed string) {
	dir, err := w.dirOf(r)
	if err != nil {
		return false, "it has no directory: " + err.Error()
	}
	env := w.cfg.Dirs.Env()
	bound, err := wall.New(wall.Place{Dirs: w.cfg.Dirs, Dir: dir, Getenv: wall.From(env)}, w.cfg.Wall)
	if err != nil {
		return false, err.Error()
	}
	out, err := child.Program{
		Path:  "/bin/sh",
		Args:  []string{"-c", command},
		Dir:   dir,
		Env:   env,
		Wall:  bound,
		In:    in,
		Limit: filterFor,
		Grace: time.Second,
		Most:  64 << 10,
	}.Run(ctx)
	var exit *exec.ExitError
	switch {
	case err == nil:
		return true, ""
	case errors.As(err, &exit) && exit.ExitCode() == 1:
		return false, ""
	}
	return false, strings.TrimSpace(fmt.Sprintf("%v: %s", err, text.Clip(text.Fold(redact.Clean(out.Said)), 200)))
}
