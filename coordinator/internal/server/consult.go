package server

import (
	"crypto/rand"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/review"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/peer"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// Consult holds the settings of second opinions.
type Consult struct {
	Programs []string
	Timeout  time.Duration // for each program
}

// maxConsults is how many consultations may run at once, in all sessions together.
const maxConsults = 8

// A consultation is a second opinion that is being asked for now. It is held in memory
// only. When this process ends, the consultation is lost and not counted, and its
// reviewer has to begin another one.
type consultation struct {
	pid     int // of the `afar consult` that runs it
	session session.ID
	agent   string
	who     string
}

// consults notes that a reviewer's call is about to consult.
func (s *Server) consults(c *call, in wire.ConsultsRequest) (out wire.None, err error) {
	p, active, err := s.activeCall(c, in.HookCall, session.Working)
	if !active || !wire.ReadsOnly(p.AgentType) {
		return out, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	maps.DeleteFunc(s.reviewers, func(_ session.ID, calls []review.Call) bool {
		return !slices.ContainsFunc(calls, func(k review.Call) bool { return !k.Over(now) })
	})
	s.reviewers[p.Session] = append(s.reviewers[p.Session], review.Call{Agent: p.Agent, ID: p.ToolUse, At: now})
	return out, nil
}

// returned notes that a reviewer's call has ended.
func (s *Server) returned(p payload) {
	if !wire.ReadsOnly(p.AgentType) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, k := range s.reviewers[p.Session] {
		if k.ID == p.ToolUse && k.Returned.IsZero() {
			s.reviewers[p.Session][i].Returned = time.Now()
		}
	}
}

// allowOwn returns an error unless the caller is the afar program of this installation.
func (s *Server) allowOwn(c *call) error {
	if !peer.Supported || s.callers.IsProgram(c.exe(), "afar") {
		return nil
	}
	s.refusedProgram(c, "which is not the afar of this installation")
	return fmt.Errorf("%w: only %s may consult", errDenied, filepath.Join(s.cfg.Bin, "afar"))
}

// consultBegin lets a consultation begin, unless a consulted model asks for it.
func (s *Server) consultBegin(c *call, _ wire.None) (out wire.ConsultBeginReply, err error) {
	v, who := s.callers.Author(c.line)
	one := consultation{session: v.ID, who: who}
	if len(c.line) > 0 {
		one.pid = c.line[0].PID
	}
	id := "con_" + rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.running, func(_ string, r consultation) bool { return r.pid != 0 && !peer.Alive(r.pid) })
	switch {
	case s.consulted(c.line):
		return out, fmt.Errorf("%w: a consulted model cannot consult; answer from what you know", errDenied)
	case len(s.running) >= maxConsults:
		return out, fmt.Errorf("%w: %d consultations run already; wait for one to end", errDenied, maxConsults)
	}
	one.agent = s.reviewer(v.ID)
	s.running[id] = one
	return wire.ConsultBeginReply{
		ID:        id,
		Programs:  s.cfg.Consult.Programs,
		TimeoutMS: s.cfg.Consult.Timeout.Milliseconds(),
		Wall:      s.cfg.Runs.Wall,
	}, nil
}

// consulted reports whether a process descends from a running consultation, or from the
// coordinator itself, which starts the reviews of commits. s.mu is held.
func (s *Server) consulted(line []peer.Process) bool {
	self := s.cfg.Self.PID
	for i, p := range line {
		if i > 0 && p.PID == self {
			return true
		}
		for _, r := range s.running {
			if r.pid == p.PID {
				return true
			}
		}
	}
	return false
}

// asksNow reports whether an agent of a session is consulting now.
func (s *Server) asksNow(id session.ID, agent string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.running {
		if r.session == id && r.agent == agent && peer.Alive(r.pid) {
			return true
		}
	}
	return false
}

// Consulting reports whether a process belongs to a running consultation, or to a review
// that the coordinator started.
func (s *Server) Consulting(pid int) bool {
	line := peer.Line(pid)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.consulted(line)
}

// reviewer returns the agent that a beginning consultation of a session is for, "" for
// the session itself. It marks that agent's call as used. s.mu is held.
func (s *Server) reviewer(id session.ID) string {
	open := s.reviewers[id]
	i := review.Whose(open, time.Now())
	if id == "" || i < 0 {
		return ""
	}
	open[i].Taken++
	return open[i].Agent
}

// consultEnd journals the result of a consultation. Only the process that began the
// consultation may report it.
func (s *Server) consultEnd(c *call, in wire.ConsultEndRequest) (out wire.None, err error) {
	s.mu.Lock()
	one, ok := s.running[in.ID]
	ok = ok && (len(c.line) == 0 || c.line[0].PID == one.pid)
	if ok {
		delete(s.running, in.ID)
	}
	s.mu.Unlock()
	switch {
	case !ok:
		return out, badRequest("consult.end: no consultation of yours runs under this id")
	case in.Ended:
		return out, nil
	case in.By == "":
		text := one.who + ": no other model could be asked: " + missed(in.Missed)
		return out, s.cfg.Core.Note(event.ConsultFailed, one.session, one.agent, text)
	case len(in.Digest) != 64, in.Bytes <= 0:
		return out, badRequest("consult.end: an answer needs a digest")
	}
	return out, s.cfg.Core.Note(event.ConsultAnswered, one.session, one.agent, one.who+": "+answered(in))
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
