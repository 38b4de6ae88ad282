package upkeep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host/claude/sessions"
	"github.com/afar-sh/afar/coordinator/internal/atomicfile"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/disk"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// A Writer writes the files of one home: the pages of sessions, which a person may edit, and the
// marks that hooks look for. It carries out the actions of core.LaneDisk.
type Writer struct {
	core *feature.Core
	dirs home.Dirs
	log  *slog.Logger
}

// NewWriter returns the writer of a home.
func NewWriter(c *feature.Core, dirs home.Dirs, log *slog.Logger) *Writer {
	return &Writer{core: c, dirs: dirs, log: log}
}

// Run works until ctx ends.
func (w *Writer) Run(ctx context.Context) { w.core.Work(ctx, core.LaneDisk, w.act) }

func (w *Writer) act(_ context.Context, a store.Action) (err error) {
	switch a.Kind {
	case core.ActNudge:
		return w.nudge(a.Data)
	case core.ActRetries:
		err = mark(w.dirs.Retries(), w.core.MayRetry())
	case core.ActHalts:
		err = mark(w.dirs.Halts(), w.core.MayHalt())
	default:
		err = w.write(a)
	}
	if err != nil {
		return err
	}
	return w.core.Repeatable(a)
}

// write writes a page of a session. If the action has no text, the name of the page tells
// what to write.
func (w *Writer) write(a store.Action) error {
	var f core.Text
	if err := json.Unmarshal([]byte(a.Data), &f); err != nil {
		return core.GiveUp(err)
	}
	v, err := w.core.Session(string(f.Session))
	if err != nil {
		return core.GiveUp(err)
	}
	if a.Kind == core.ActText {
		return writePage(w.page(v.Token, f.Name), f.Text)
	}
	if err := w.takeEdits(v, f.Name); err != nil {
		return err
	}
	return writePage(w.page(v.Token, f.Name), w.markdown(v, f.Name))
}

func (w *Writer) page(token, name string) string {
	return filepath.Join(w.dirs.Sessions(), token, name)
}

// writePage replaces a page. It makes the folder of the page.
func writePage(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return atomicfile.Write(path, text)
}

// takeEdits applies the person's changes to a page before the page is written again.
func (w *Writer) takeEdits(v session.Session, name string) error {
	if name != loopPage {
		return nil
	}
	return w.core.EditLoop(v.ID, w.LoopPage(v.Token))
}

// loopPage is the page of a loop, in the folder of its session.
const loopPage = "loop.md"

// maxPage bounds what is read of a page that a person may have edited.
const maxPage = 256 << 10

// LoopPage returns the text of a session's loop.md, "" if there is none. The guard keeps
// sessions from writing it, so any change is the person's.
func (w *Writer) LoopPage(token string) string {
	raw, err := disk.Head(w.page(token, loopPage), maxPage)
	if err != nil {
		return ""
	}
	return string(raw)
}

// mark creates or removes a file that hooks look for.
func mark(path string, exists bool) error {
	if exists {
		return atomicfile.Write(path, "")
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// nudge carries out a core.Nudge. It tries once, because without it the turn ends at the
// next step.
func (w *Writer) nudge(raw string) error {
	var n core.Nudge
	if err := json.Unmarshal([]byte(raw), &n); err != nil {
		return core.GiveUp(err)
	}
	if err := sessions.Tell(n.Inbox, n.Word); err != nil {
		w.log.Warn("interrupt a session at its socket", "err", err)
	}
	return nil
}

func (w *Writer) markdown(v session.Session, name string) string {
	if name == "anchor.md" {
		return v.Anchor
	}
	return loop.Render(w.core.Loop(v.ID))
}
