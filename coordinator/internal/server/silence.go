package server

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// heardOf tells the person once of a project that asks for silence, or that tries to move Afar. A
// project that no longer asks for silence is forgotten when a session of it starts.
func (s *Server) heardOf(h wire.HookCall, p payload, starts bool) error {
	project := h.Project
	if project == "" {
		project = p.Cwd
	}
	if project == "" {
		return nil
	}
	switch {
	case h.Silenced != "":
		if err := s.cfg.Core.TellSilence(telegram, project, h.Silenced); err != nil {
			return err
		}
	case starts:
		if err := s.cfg.Core.Untrue(core.AboutSilence + project); err != nil {
			return err
		}
	}
	if len(h.Redirected) == 0 {
		return nil
	}
	shown := text.Fold(redact.Visible(project))
	return s.cfg.Core.TellOnce(telegram, "redirected:"+project, channel.News{
		Kind: channel.Redirected, Of: shown, What: redact.Mask(text.Fold(redact.Visible(strings.Join(h.Redirected, " ")))),
	})
}

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
func (s *Server) decideSilence(c *call, in wire.PauseRequest) error {
	if !filepath.IsAbs(in.Project) {
		return badRequest("a project is named by its absolute path")
	}
	project := filepath.Clean(in.Project)
	said := c.decider() + " has Afar work there, whatever the project asks for"
	if in.On {
		said = c.decider() + " lets the project silence Afar"
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
