package server

import (
	"context"
	"os"
	"path/filepath"

	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/redact"
)

// anchor is what a session would be told after a compaction, as things stand.
func (s *Server) anchor(ctx context.Context, id string) (string, error) {
	v, err := s.cfg.Core.Session(id)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, gitFor)
	defer cancel()
	return s.cfg.Core.Anchor(v.ID, s.allFacts(ctx, v)), nil
}

// allFacts is anchorFacts with what git knows of the directory that is worked in.
func (s *Server) allFacts(ctx context.Context, v session.Session) loop.AnchorFacts {
	facts := s.anchorFacts(v)
	facts.Commits, facts.Files = s.cfg.Git.Recent(ctx, s.cfg.Core.Loop(v.ID).WorksIn(v.Cwd))
	return facts
}

// anchorFacts is what is known of a session at once: git is not asked.
func (s *Server) anchorFacts(v session.Session) loop.AnchorFacts {
	said := ""
	if v.Transcript != "" {
		said = redact.Visible(redact.Mask(s.cfg.Said(v.Transcript)))
	}
	return loop.AnchorFacts{Said: said, Asked: v.Typed, Whole: s.wholeGoal(v)}
}

// wholeGoal is the path of the file with the whole goal of a session's loop, "" where
// there is none.
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
