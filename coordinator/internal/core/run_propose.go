package core

import (
	"fmt"
	"path/filepath"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/fleet"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

func init() {
	decided[ask.Proposal], declined[ask.Proposal] = (*draft).startProposed, (*draft).proposalDeclined
}

// Propose asks the person whether a session may have a run started. A second call with the
// same id returns the ask of the first.
func (c *Core) Propose(a ask.Ask) (ask.Ask, error) {
	err := c.do(func(s *draft) (err error) {
		if old, ok := s.asks.Rows[a.ID]; ok {
			if a.Session != old.Session {
				return fmt.Errorf("ask %q: %w", a.ID, ErrBound)
			}
			a = old
			return nil
		}
		p := *a.Proposed
		if p.Machine == "" {
			p.Run, err = s.below(p.Run, a.Session)
		}
		if err != nil {
			return err
		}
		p.Run.Seal = c.cfg.Secret()
		a.Proposed = &p
		text := fmt.Sprintf("%s proposes run %s (sha256 %s)", s.label(a.Session), p.Run.Name, short(a.Hash))
		a = s.openAside(ask.Start(a, s.mode(a.Session, s.now), s.now), text)
		return nil
	})
	return a, err
}

// openAside opens an ask for which no hook waits, and which has just started. text is for the
// journal.
func (s *draft) openAside(a ask.Ask, text string) ask.Ask {
	a.Nonce, a.Times = s.cfg.Secret(), s.cfg.Rules.Times
	a.Attended = s.sessions.Rows[a.Session].Attended
	a = ask.Tick(a, s.now)
	s.record(event.AskOpened, a.Session, string(a.ID), text)
	s.putAsk(a)
	return a
}

// below returns a run as it is when the session by starts it.
func (s *state) below(r run.Run, by session.ID) (run.Run, error) {
	r.Parent, r.Ephemeral, r.Depth = string(by), true, 1
	if parent, ok := s.runs.byConversation.One(string(by)); ok {
		r.Depth = parent.Depth + 1
	}
	r, err := s.withName(r)
	if err != nil {
		return r, err
	}
	return r, run.CheckDepth(r.Depth, s.cfg.Rules.RunDepth)
}

// startProposed starts the run of a proposal that was just decided, if it was allowed.
func (s *draft) startProposed(a ask.Ask) {
	switch {
	case !a.Starts():
		return
	case a.Proposed.Machine != "":
		s.startElsewhere(a)
		return
	}
	r := a.Proposed.Run
	if _, taken := s.runs.byName.One(r.Name); taken {
		r.Name = s.freeName(r)
	}
	if !r.Until.IsZero() { // its time begins now, and not with the question
		r.Until = r.Until.Add(s.now.Sub(a.OpenedAt))
	}
	r.By = a.Decision.By
	r = run.New(r, s.now)
	s.runs.Put(s.b, r)
	s.noteRun(event.RunStarted, r, "proposed by "+s.label(a.Session)+", allowed by "+r.By+", in "+r.Dir)
	s.post(message.Message{
		Key:     "run:" + string(r.ID),
		Session: session.ID(r.Conversation),
		Text:    a.Proposed.Prompt,
		By:      s.label(a.Session),
	})
	s.startTurns()
}

// startElsewhere has another machine start the run of a proposal that was allowed. What comes of it goes to the session
// that proposed it, too.
func (s *draft) startElsewhere(a ask.Ask) {
	o := fleet.Order{
		Machine: fleet.MachineID(a.Proposed.Machine), Op: orderRun, In: a.Proposed.In, By: a.Decision.By, For: a.Session,
	}
	if _, err := s.order(o); err != nil {
		s.handBack(a.Session, string(a.ID), a.Proposed.Run.Name, "It was not started: "+err.Error()+".")
	}
}

// orderRun is the operation that starts a run.
const orderRun = "run.start"

// handBack gives a session what came of a run that it proposed and that is on another machine.
func (s *draft) handBack(to session.ID, key, name, text string) {
	by := "run:" + name
	s.post(message.Message{
		Key: "result:" + key, Session: to, By: by, Data: true,
		Text: message.Fence(by+", which you proposed", text, s.cfg.Secret()),
	})
}

// handUp gives the result of a delegated run to the conversation that proposed it, once. A
// long result is a file in the folder of that session.
func (s *draft) handUp(id run.ID) {
	r, _ := s.runs.After(s.b, id)
	next, report, ok := run.HandUp(r, s.now)
	if !ok || s.hasBelow(r) {
		return
	}
	s.runs.Put(s.b, next)
	to := session.ID(r.Parent)
	if report.File != "" {
		name := "run-" + r.Name + ".md"
		s.keepText(to, name, report.File)
		report.Text += "\n\nThe whole result: " + filepath.Join(s.cfg.Pages, s.token(to), name)
	}
	by := "run:" + r.Name
	s.post(message.Message{
		Key:     "result:" + string(r.ID),
		Session: to,
		Text:    message.Fence(by+", which you proposed", report.Text, r.Seal),
		By:      by,
		Data:    true,
	})
}

// hasBelow reports whether a run waits for runs that it proposed: one is open as a question, or
// has not reported. Its own result comes after theirs.
func (s *draft) hasBelow(r run.Run) bool {
	if len(s.runs.byParent.After(s.b, r.Conversation)) > 0 {
		return true
	}
	for _, a := range s.asks.of(session.ID(r.Conversation)) {
		if a, _ = s.asks.After(s.b, a.ID); a.Kind == ask.Proposal && a.State == ask.Open {
			return true
		}
	}
	return false
}

// proposalDeclined hands up the result of the run whose proposal has ended without a run.
func (s *draft) proposalDeclined(a ask.Ask) {
	if r, ok := s.runOf(a.Session); ok {
		s.handUp(r.ID)
	}
}
