package noun

import (
	"fmt"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/wall"
	"github.com/afar-sh/afar/coordinator/wire"
)

// Bounds of what a run may ask for.
const (
	mostWidened = 20 // paths that are open for it
	mostWidens  = 3  // questions that wait
	maxPath     = 4096
)

// runWiden asks the person whether the run that calls may write one more path from its next turn on.
func (s *Server) runWiden(c *door.Call, in wire.RunWidenRequest) (out wire.Run, err error) {
	v, _ := c.Author()
	r, ok := s.cfg.Core.RunOf(v.ID)
	switch {
	case !ok || !r.Walled():
		return out, door.BadRequest(
			"only a run behind a wall asks for a path; wall.write in config.toml opens one for all runs")
	case s.cfg.Core.Settings().Paused:
		return out, door.BadRequest("Afar is paused, so nobody is asked")
	case len(r.Widened) >= mostWidened || s.cfg.Core.CountOpen(v.ID, ask.Widen) >= mostWidens:
		return out, door.BadRequest("%d paths are open for this run already, or %d questions wait", mostWidened, mostWidens)
	}
	path, err := s.checkWider(r, in.Path)
	if err != nil {
		return out, err
	}
	a, err := s.cfg.Core.AskAside(ask.NewWiden(r, path), "to write "+in.Path)
	if err != nil {
		return out, err
	}
	if a.Declined() {
		return out, fmt.Errorf("%w: your person did not open %s: %s", door.ErrDenied, path, a.Ending())
	}
	out = s.wireRun(r)
	out.Ask = string(a.ID)
	return out, nil
}

// runOpen lets a run write one more path from its next turn on, because the person says so.
func (s *Server) runOpen(c *door.Call, in wire.RunWidenRequest) (out wire.Run, err error) {
	r, err := s.runNamed(in.Run)
	switch {
	case err != nil:
		return out, err
	case wall.Here(s.wallOf(r)).Mode == wall.Off:
		return out, door.BadRequest("runs work without a wall here")
	case len(r.Widened) >= mostWidened:
		return out, door.BadRequest("%d paths are open for this run already", mostWidened)
	}
	path, err := s.checkWider(r, in.Path)
	if err != nil {
		return out, err
	}
	r, err = s.cfg.Core.OpenForRun(r.ID, path, c.Decider())
	return s.wireRun(r), err
}

// checkWider returns a path without links that a person may open for a run, and an error for any other one. What the
// run can write already could be a link by the next turn; what it may never write is Afar's own and the settings of
// agents.
func (s *Server) checkWider(r run.Run, path string) (string, error) {
	if !filepath.IsAbs(path) || len(path) > maxPath || !utf8.ValidString(path) {
		return "", door.BadRequest("want an absolute path of at most %d bytes in UTF-8", maxPath)
	}
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", door.BadRequest("want a file or a directory that is there: %v", err)
	}
	place := s.wallPlace(r)
	w, err := wall.New(place, s.wallOf(r))
	switch {
	case err != nil:
		return "", err
	case w.Writes(resolved):
		return "", door.BadRequest("%s can be written already", resolved)
	case !place.Widens(resolved):
		return "", door.BadRequest(
			"%s is not opened for a run: Afar's own, settings of agents and the home stay closed", resolved)
	}
	return resolved, nil
}

// wallOf returns the settings of the wall of a run, with what its person has opened for it. A path that has become a
// link since is not what they have seen.
func (s *Server) wallOf(r run.Run) wall.Settings {
	set := s.cfg.Runs.Wall
	set.Write = slices.Clone(set.Write)
	for _, path := range r.Widened {
		if resolved, err := filepath.EvalSymlinks(path); err == nil && resolved == path {
			set.Write = append(set.Write, path)
		}
	}
	return set
}
