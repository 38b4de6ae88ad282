package server

import (
	"context"
	"os"
	"path/filepath"

	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/redact"
)

// anchor returns what a session would be told if it were compacted now.
func (s *Server) anchor(ctx context.Context, id string) (string, error) {
	v, err := s.cfg.Core.Session(id)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, gitFor)
	defer cancel()
	return s.cfg.Core.Anchor(v.ID, s.allFacts(ctx, v)), nil
}

// allFacts returns anchorFacts together with what git says of the directory that the
// session works in.
func (s *Server) allFacts(ctx context.Context, v session.Session) loop.AnchorFacts {
	facts := s.anchorFacts(v)
	facts.Commits, facts.Files = s.cfg.Git.Recent(ctx, s.cfg.Core.Loop(v.ID).WorksIn(v.Cwd))
	return facts
}

// anchorFacts returns what is known of a session without asking git.
func (s *Server) anchorFacts(v session.Session) loop.AnchorFacts {
	said := ""
	if v.Transcript != "" {
		said = redact.Clean(s.cfg.LastText(v.Transcript))
	}
	return loop.AnchorFacts{Said: said, Asked: v.Typed, Whole: s.wholeGoal(v)}
}

// wholeGoal returns the path of the file that holds the whole goal of a session's loop,
// "" if there is no such file.
func (s *Server) wholeGoal(v session.Session) string {
	f, ok := s.cfg.Core.Loop(v.ID).Top()
	if !ok || f.GoalFile() == "" {
		return ""
	}
	path := filepath.Join(s.cfg.Dirs.Sessions(), v.Token, f.GoalFile())
	if _, err := os.Lstat(path); err != nil {
		return ""
	}
	return path
}
