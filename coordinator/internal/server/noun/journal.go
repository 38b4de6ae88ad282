package noun

import (
	"cmp"
	"fmt"

	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/wire"
)

// Bounds of one journal query.
const (
	defaultEntries = 200
	maxEntries     = 5000
)

func (s *Server) log(c *door.Call, in wire.LogRequest) (out wire.LogReply, err error) {
	limit := cmp.Or(in.Limit, defaultEntries)
	if limit < 0 || limit > maxEntries {
		return out, door.BadRequest("log: the limit must be from 1 to %d", maxEntries)
	}
	id := session.ID("")
	if in.Session != "" {
		v, err := s.session(in.Session)
		if err != nil {
			return out, err
		}
		id = v.ID
	}
	switch {
	case (len(in.Kinds) > 0 || in.Before > 0) && !in.Last:
		return out, door.BadRequest("log: kinds and before need last")
	case len(in.Kinds) > 0:
		return s.newest(in.Kinds, in.Before, limit)
	case in.Before > 0:
		events, err := s.cfg.Core.JournalBefore(in.Before, limit, id)
		return wire.LogReply{Entries: wire.List(events, s.wireEntry)}, err
	}
	ctx, cancel := c.Wait(in.WaitMS)
	defer cancel()
	events, err := s.cfg.Core.Journal(ctx, in.After, limit, id, in.Last)
	return wire.LogReply{Entries: wire.List(events, s.wireEntry)}, err
}

// newest returns the last entries of some kinds, oldest first.
func (s *Server) newest(kinds []string, before int64, limit int) (out wire.LogReply, err error) {
	of := wire.List(kinds, func(k string) event.Kind { return event.Kind(k) })
	events, err := s.cfg.Core.Newest(of, before, limit)
	return wire.LogReply{Entries: wire.List(events, s.wireEntry)}, err
}

func (s *Server) wireEntry(e event.Event) wire.Entry {
	v, _ := s.cfg.Core.Session(string(e.Session)) // an entry of a forgotten session has no token
	return wire.Entry{
		Seq: e.Seq, ID: fmt.Sprint(e.Seq), At: e.At.UnixMilli(), Kind: string(e.Kind),
		Session: string(e.Session), Token: v.Token, Subject: e.Subject, Text: e.Text, Hash: e.Hash,
	}
}

func (s *Server) verify(*door.Call, wire.None) (wire.VerifyReply, error) {
	entries, broken, head, err := s.cfg.Core.Verify()
	if err != nil {
		return wire.VerifyReply{}, err
	}
	unproven, err := s.cfg.Core.Unproven()
	ok := broken == 0 && len(unproven) == 0
	return wire.VerifyReply{Entries: entries, OK: ok, Broken: broken, Head: head, Unproven: unproven}, err
}
