package noun

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// silences returns the projects that ask for silence, by name.
func (s *Server) silences(notes map[string]string) (all []wire.Silence) {
	for about, said := range notes {
		project, ok := strings.CutPrefix(about, core.AboutSilence)
		if !ok {
			continue
		}
		_, rest, _ := strings.Cut(said, " asks for silence (")
		why, _, _ := strings.Cut(rest, "): ")
		all = append(all, wire.Silence{Project: project, Why: why, Heard: home.Marked(s.cfg.Place.Dirs.HeardMark(project))})
	}
	slices.SortFunc(all, func(a, b wire.Silence) int { return strings.Compare(a.Project, b.Project) })
	return all
}

// decideSilence carries out what the person decides about a project that asks for silence.
func (s *Server) decideSilence(c *door.Call, in wire.PauseRequest) error {
	if !filepath.IsAbs(in.Project) {
		return door.BadRequest("a project is named by its absolute path")
	}
	project := filepath.Clean(in.Project)
	said := c.Decider() + " has Afar work there, whatever the project asks for"
	if in.On {
		said = c.Decider() + " lets the project silence Afar"
	}
	if err := s.cfg.Core.Note(event.PauseSet, "", project, text.Fold(redact.Visible(project))+": "+said); err != nil {
		return err
	}
	mark := s.cfg.Place.Dirs.HeardMark(project)
	if !in.On {
		return home.LeaveMark(mark, project)
	}
	if err := os.Remove(mark); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
