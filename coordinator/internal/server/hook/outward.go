package hook

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/ledger"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// The words of the log of outward acts.
const (
	actAllowed  = "allowed"
	actDenied   = "denied"
	actNotAsked = "not asked"

	actOK     = "ok"
	actFailed = "failed"
	actNotRun = "not run"

	byGuard    = "guard"
	byTerminal = "terminal"
	byEntered  = "terminal, with a program of a session attached"
)

// outward returns the programs and the tool through which a call reaches other machines or
// people, nil for a call that does not or that cannot be understood.
func (s *Server) outward(project string, p payload) (programs []string) {
	defer func() {
		if r := recover(); r != nil {
			s.cfg.Log.Error("look whether a call reaches others", "tool", p.Tool, "panic", r)
			programs = nil
		}
	}()
	call, err := guard.ReadCall(p.Tool, string(p.Input))
	if err != nil {
		return nil
	}
	return guard.Outward(call, s.place(project, p))
}

// ranOutward logs a call that has run, if it reaches others. The core must not have heard of its
// outcome yet: it then knows which question was about the call.
func (s *Server) ranOutward(in wire.OutcomeRequest, p payload, o ask.Outcome) {
	act, ok := s.outwardAct(in.Project, p)
	if !ok {
		return
	}
	act.Decision, act.By = s.decisionOn(in.Kept, o)
	act.Outcome, act.TookMS = actFailed, p.DurationMS
	if in.OK {
		act.Outcome = actOK
	}
	s.logOutward(act)
}

// decisionOn returns what was decided about a call that has run, and who did so.
func (s *Server) decisionOn(kept string, o ask.Outcome) (decision, by string) {
	if kept == string(ledger.Denied) {
		return actDenied, byGuard
	}
	a, asked := s.cfg.Core.AskOf(o)
	switch {
	case !asked:
		return actNotAsked, ""
	case a.Decision == nil && a.Entered != "":
		return actAllowed, byEntered
	case a.Decision == nil:
		return actAllowed, byTerminal
	}
	return actAllowed, a.Decision.By
}

// deniedOutward logs a call that the guard denied, if it would have reached others.
func (s *Server) deniedOutward(in wire.GuardedRequest, p payload) {
	act, ok := s.outwardAct(in.Project, p)
	if !ok {
		return
	}
	act.Decision, act.By, act.Rule, act.Outcome = actDenied, byGuard, in.Rule, actNotRun
	s.logOutward(act)
}

// refusedOutward logs a call whose hook takes a refusal, if it would have reached others.
func (s *Server) refusedOutward(a ask.Ask) {
	if a.Outward == "" || a.State != ask.Delivered || a.Decision == nil || a.Decision.Allow {
		return
	}
	act := s.outwardBy(a.Session)
	act.Agent, act.Dir, act.Tool = a.AgentType, a.Cwd, a.Tool
	act.Programs, act.Command = strings.Fields(a.Outward), commandOf(a.Tool, a.Text)
	act.Decision, act.By, act.Outcome = actDenied, a.Decision.By, actNotRun
	s.logOutward(act)
}

// outwardAct returns what the log says of a call. ok is false if the call does not reach others.
func (s *Server) outwardAct(project string, p payload) (act wire.OutwardAct, ok bool) {
	programs := s.outward(project, p)
	if len(programs) == 0 {
		return act, false
	}
	call, err := toolInput(p)
	if err != nil {
		return act, false
	}
	act = s.outwardBy(p.Session)
	act.Agent, act.Dir, act.Tool = p.AgentType, p.Cwd, p.Tool
	act.Programs, act.Command = programs, commandOf(p.Tool, call.Text(""))
	return act, true
}

// outwardBy returns who acts in a session.
func (s *Server) outwardBy(id session.ID) (act wire.OutwardAct) {
	act.Session = string(id)
	v, _ := s.cfg.Core.Session(act.Session) // an unknown session has no name
	act.Token = v.Token
	if r, ok := s.cfg.Core.RunOf(id); ok {
		slug, _ := s.cfg.Core.TaskOfRun(r.ID)
		act.Run, act.Task = r.Name, string(slug)
	}
	return act
}

// commandOf returns a call on one line without the name of its tool. input has no secrets.
func commandOf(tool, input string) string {
	return strings.TrimSpace(strings.TrimPrefix(ask.Line(tool, input), tool))
}

// logOutward writes one line. An act that has happened is not undone by a log that cannot be
// written.
func (s *Server) logOutward(act wire.OutwardAct) {
	if s.cfg.Actions == nil {
		return
	}
	act.Time = time.Now().UTC().Format(time.RFC3339)
	act.Tool, act.Dir = text.Fold(redact.Clean(act.Tool)), redact.Clean(act.Dir)
	lines := json.NewEncoder(s.cfg.Actions) // one Write for each line
	lines.SetEscapeHTML(false)
	if err := lines.Encode(act); err != nil {
		s.cfg.Log.Error("write the log of outward acts", "err", err)
	}
}
