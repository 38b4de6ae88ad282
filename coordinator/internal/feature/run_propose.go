package feature

import (
	"fmt"
	"path/filepath"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/fleet"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// Propose asks the person whether a session may have a run started. A second call with the
// same id returns the ask of the first.
func (c *Core) Propose(a ask.Ask) (ask.Ask, error) {
	err := c.do(func(s *draft) (err error) {
		if old, ok := s.Asks.Rows[a.ID]; ok {
			if a.Session != old.Session {
				return fmt.Errorf("ask %q: %w", a.ID, core.ErrBound)
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
		text := fmt.Sprintf("%s proposes run %s (sha256 %s)", s.Label(a.Session), p.Run.Name, core.Short(a.Hash))
		a = s.openAside(ask.Start(a, s.Mode(a.Session, s.Now), s.Now), text)
		return nil
	})
	return a, err
}

// openAside opens an ask for which no hook waits, and which has just started. text is for the
// journal.
func (s *draft) openAside(a ask.Ask, text string) ask.Ask {
	a.Nonce, a.Times = s.Cfg.Secret(), s.Cfg.Rules.Times
	a.Attended = s.Sessions.Rows[a.Session].Attended
	a = ask.Tick(a, s.Now)
	s.Record(event.AskOpened, a.Session, string(a.ID), text)
	s.PutAsk(a)
	return a
}

// below returns a run as it is when the session by starts it.
func (s *draft) below(r run.Run, by session.ID) (run.Run, error) {
	r.Parent, r.Ephemeral, r.Depth = string(by), true, 1
	if parent, ok := s.Runs.ByConversation.One(string(by)); ok {
		r.Depth = parent.Depth + 1
	}
	r, err := s.WithName(r)
	if err != nil {
		return r, err
	}
	return r, run.CheckDepth(r.Depth, s.Cfg.Rules.RunDepth)
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
	if _, taken := s.Runs.ByName.One(r.Name); taken {
		r.Name = s.FreeName(r)
	}
	if !r.Until.IsZero() { // its time begins now, and not with the question
		r.Until = r.Until.Add(s.Now.Sub(a.OpenedAt))
	}
	r.By = a.Decision.By
	r = run.New(r, s.Now)
	s.Runs.Put(s.Batch, r)
	s.NoteRun(event.RunStarted, r, "proposed by "+s.Label(a.Session)+", allowed by "+r.By+", in "+r.Dir)
	s.Post(message.Message{
		Key:     "run:" + string(r.ID),
		Session: session.ID(r.Conversation),
		Text:    a.Proposed.Prompt,
		By:      s.Label(a.Session),
	})
	s.StartTurns()
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
	s.Post(message.Message{
		Key: "result:" + key, Session: to, By: by, Data: true,
		Text: message.Fence(by+", which you proposed", text, s.Cfg.Secret()),
	})
}

// handUp gives the result of a delegated run to the conversation that proposed it, once. A
// long result is a file in the folder of that session.
func (s *draft) handUp(id run.ID) {
	r, _ := s.Runs.After(s.Batch, id)
	next, report, ok := run.HandUp(r, s.Now)
	if !ok || s.hasBelow(r) {
		return
	}
	s.Runs.Put(s.Batch, next)
	to := session.ID(r.Parent)
	if report.File != "" {
		name := "run-" + r.Name + ".md"
		s.KeepText(to, name, report.File)
		report.Text += "\n\nThe whole result: " + filepath.Join(s.Cfg.Pages, s.Token(to), name)
	}
	by := "run:" + r.Name
	s.Post(message.Message{
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
	if len(s.Runs.ByParent.After(s.Batch, r.Conversation)) > 0 {
		return true
	}
	for _, a := range s.Asks.Of(session.ID(r.Conversation)) {
		if a, _ = s.Asks.After(s.Batch, a.ID); a.Kind == ask.Proposal && a.State == ask.Open {
			return true
		}
	}
	return false
}

// proposalDeclined hands up the result of the run whose proposal has ended without a run.
func (s *draft) proposalDeclined(a ask.Ask) {
	if r, ok := s.RunOf(a.Session); ok {
		s.handUp(r.ID)
	}
}
