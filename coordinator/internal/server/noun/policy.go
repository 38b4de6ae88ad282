package noun

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/policy"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// policyTrust accepts a project's policy file with the content that the person saw, or
// takes that back. Accepting a file loosens the guard, so it needs a controlling door.Terminal,
// as an allow does. Taking it back does not.
func (s *Server) policyTrust(c *door.Call, in wire.PolicyTrustRequest) (out wire.PolicyTrustReply, err error) {
	if !filepath.IsAbs(in.Path) {
		return out, door.BadRequest("a policy file is named by its absolute path")
	}
	if in.Forget {
		return s.policyForget(in.Path)
	}
	if err := c.AllowTerminal(); err != nil {
		return out, err
	}
	if err := c.AllowStanding(); err != nil {
		return out, err
	}
	f, err := s.trust(in.Path, in.Hash)
	if errors.Is(err, policy.ErrTrust) {
		return out, door.BadRequest("%v", err)
	}
	if err != nil {
		return out, err
	}
	out = wire.PolicyTrustReply{Path: in.Path, Hash: in.Hash, Trusted: true}
	for _, change := range f.Quiets() {
		out.Off = append(out.Off, change.Rule)
	}
	text := fmt.Sprintf("%s was trusted with sha256 %s; no longer asks: %s",
		text.Fold(in.Path), in.Hash[:16], strings.Join(out.Off, ", "))
	if err := s.cfg.Core.Note(event.PolicyTrusted, "", in.Path, text); err != nil {
		_, undo := policy.Forget(s.cfg.Place.Dirs, in.Path) // nothing is loosened without a record
		return out, errors.Join(err, undo)
	}
	return out, nil
}

// trust accepts the file if its content still has the SHA-256, in hex, that the
// person saw.
func (s *Server) trust(path, hash string) (policy.File, error) {
	f, err := policy.Project(path)
	if err != nil {
		return f, err
	}
	if sum := sha256.Sum256(f.Text); hex.EncodeToString(sum[:]) != hash {
		return f, fmt.Errorf("%s %w: its content has changed meanwhile", path, policy.ErrTrust)
	}
	return f, policy.Trust(s.cfg.Place.Dirs, f)
}

func (s *Server) policyForget(path string) (out wire.PolicyTrustReply, err error) {
	forgot, err := policy.Forget(s.cfg.Place.Dirs, path)
	if err != nil {
		return out, err
	}
	if !forgot {
		return out, fmt.Errorf("%s was not trusted: %w", path, core.ErrNotFound)
	}
	err = s.cfg.Core.Note(event.PolicyForgotten, "", path, text.Fold(path)+" is no longer trusted")
	return wire.PolicyTrustReply{Path: path}, err
}
