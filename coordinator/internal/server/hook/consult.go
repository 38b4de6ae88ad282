package hook

import (
	"fmt"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/opinions"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// Consult holds the settings of second opinions.
type Consult struct {
	Programs []string
	Timeout  time.Duration // for each program
}

// consults notes that a reviewer's call is about to consult.
func (s *Server) consults(_ *door.Call, p payload, _ wire.ConsultsRequest) (out wire.None, err error) {
	if !wire.ReadsOnly(p.AgentType) {
		return out, nil
	}
	s.opinions.Expect(p.Session, p.Agent, p.ToolUse)
	return out, nil
}

// consultBegin lets a consultation begin, unless a consulted model asks for it.
func (s *Server) consultBegin(c *door.Call, _ wire.None) (out wire.ConsultBeginReply, err error) {
	v, who := s.cfg.Callers.Author(c.Line)
	id, err := s.opinions.Begin(c.Line, opinions.Consultation{Session: v.ID, Who: who})
	if err != nil {
		return out, fmt.Errorf("%w: %w", door.ErrDenied, err)
	}
	return wire.ConsultBeginReply{
		ID:        id,
		Programs:  s.cfg.Consult.Programs,
		TimeoutMS: s.cfg.Consult.Timeout.Milliseconds(),
		Wall:      s.cfg.Wall,
	}, nil
}

// Consulting reports whether a process belongs to a running consultation, or to a review
// that the coordinator started.
func (s *Server) Consulting(pid int) bool { return s.opinions.IsPart(pid) }

// consultEnd journals the result of a consultation. Only the process that began the
// consultation may report it.
func (s *Server) consultEnd(c *door.Call, in wire.ConsultEndRequest) (out wire.None, err error) {
	one, ok := s.opinions.End(in.ID, c.Line)
	switch {
	case !ok:
		return out, door.BadRequest("consult.end: no consultation of yours runs under this id")
	case in.Ended:
		return out, nil
	case in.By == "":
		text := one.Who + ": no other model could be asked: " + missed(in.Missed)
		return out, s.cfg.Core.Note(event.ConsultFailed, one.Session, one.Agent, text)
	case len(in.Digest) != 64, in.Bytes <= 0:
		return out, door.BadRequest("consult.end: an answer needs a digest")
	}
	return out, s.cfg.Core.Note(event.ConsultAnswered, one.Session, one.Agent, one.Who+": "+answered(in))
}

// answered returns the journal's text for a consultation that was answered. The parts
// that come from the consulted programs are masked.
func answered(in wire.ConsultEndRequest) string {
	took := time.Duration(in.TookMS) * time.Millisecond
	text := fmt.Sprintf("%s (%s) was asked and answered %d bytes in %s, sha256 %.64s",
		quiet(in.By), quiet(in.Path), in.Bytes, took, quiet(in.Digest))
	if len(in.Missed) > 0 {
		text += "; " + missed(in.Missed)
	}
	return text
}

// missed returns one line with the programs that gave no answer, and why.
func missed(all []wire.Missed) string {
	var out []string
	for _, m := range all {
		out = append(out, quiet(m.By)+": "+quiet(m.Why))
	}
	return strings.Join(out, "; ")
}

// quiet returns a text from outside, masked and shortened, for a line of the journal.
func quiet(s string) string {
	const most = 400
	return text.Fold(ask.Elide(redact.Clean(s), most))
}
