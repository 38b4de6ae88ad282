package feature

import (
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/task"
	"github.com/afar-sh/afar/coordinator/internal/trigger"
)

// A Sending is what a firing sends.
type Sending struct {
	Firing trigger.FiringID
	Hash   string          // of the rule that it was made from
	To     message.Address // of a run of the rule's own: its name, "" for a new one
	Text   string
	// First is the text with which Run begins.
	First string
	// Run begins if the rule has no run with the name in To. It is zero for another address.
	Run run.Run
	// Over says why the check of the rule is run no more, and Text then says so too. It is "" for
	// a rule that fires.
	Over string
	// Gone is a run of the rule whose conversation cannot go on, "" for none. Run takes its name.
	Gone run.ID
}

// SendFiring makes the text of a firing a message, in one transaction with its line of the
// ledger. wait is not 0 for a firing beyond the limit of its trigger, which was not sent. A
// firing that was dealt with already is not sent again.
func (c *Core) SendFiring(in Sending) (wait time.Duration, err error) {
	err = c.do(func(s *draft) (err error) {
		f, ok := s.firings.Rows[in.Firing]
		if !ok || f.State != trigger.Due {
			return nil
		}
		t := s.triggers.Rows[f.Trigger]
		r, err := s.ruleOf(t)
		switch {
		case err != nil:
			return s.endFiring(f, trigger.Failed, err.Error())
		case t.Hash != in.Hash:
			return nil // the rule was approved anew meanwhile; the caller comes again
		case !f.Anyway && !t.Live():
			return s.endFiring(f, trigger.Dropped, "the trigger is off")
		case !f.Admitted:
			if t, wait, err = t.Admit(r.Limit, f.Anyway, s.Now); err != nil {
				return nil
			}
			s.triggers.Put(s.Batch, t)
		}
		s.triggers.Put(s.Batch, t.Finish(r))
		return s.sendFiring(f, in, t.Own)
	})
	return wait, err
}

// sendFiring sends the text of a firing to its address. own says that the text is a session's own.
func (s *draft) sendFiring(f trigger.Firing, in Sending, own bool) error {
	m := message.Message{
		Key:     "firing:" + string(f.ID),
		Text:    in.Text,
		By:      "trigger " + string(f.Trigger),
		Channel: message.TriggerChannel,
	}
	if own {
		m.Data, m.Text = true, message.Note(m.By, m.Text, s.Cfg.Secret())
	}
	to, why := in.To.String(), ""
	switch in.To.Kind {
	case message.ToPerson:
		why = s.tellFiring(m)
	case message.ToSession:
		v, ok := s.Find(in.To.Name)
		if m.Session = v.ID; !ok {
			why = "there is no session " + in.To.Name
			break
		}
		s.Post(m)
	case message.ToTask:
		if m.Task = in.To.Name; !s.knowsTask(m.Task) {
			why = "there is no task " + m.Task
			break
		}
		s.Post(m)
	case message.ToTriage:
		m.To = message.ToTriage
		s.Post(m)
	case message.ToRun:
		to, why = s.runFiring(f, in, m)
	default:
		why = "nothing can be sent to " + to
	}
	if why != "" {
		return s.endFiring(f, trigger.Failed, why)
	}
	next, err := f.Sent(to, string(message.IDOf(m.Key)), s.Now)
	if in.Over != "" {
		next.State, next.Why = trigger.Failed, core.Folded(in.Over)
	}
	s.firings.Put(s.Batch, next)
	return err
}

// Escalation returns the address that a session may write to, because it is a run of a trigger whose
// rule names it, and the name of the run. It is empty for all others.
func (c *Core) Escalation(id session.ID) (to, run string) {
	c.view(func(s *draft) {
		r, _ := s.Runs.ByConversation.One(string(id))
		t := s.triggers.Rows[trigger.Name(r.Trigger)]
		if rule, err := s.ruleOf(t); err == nil && t.Live() {
			to, run = rule.Escalate, r.Name
		}
	})
	return to, run
}

func (s *draft) knowsTask(slug string) bool {
	_, ok := s.Tasks.Rows[task.Slug(slug)]
	return ok
}

// tellFiring tells the person a text in every away mode. why is "" unless that is impossible.
func (s *draft) tellFiring(m message.Message) (why string) {
	if !s.Reachable() {
		return core.ErrNoChannel.Error()
	}
	m.To = message.ToPerson
	m = s.Post(m)
	s.Notify(m.By, "", channel.News{Kind: channel.TriggerSays, What: channel.Verbatim(m.Text)}, string(m.ID))
	return ""
}

// runFiring gives a run a text: the one that the address names, or one of the rule's own.
func (s *draft) runFiring(f trigger.Firing, in Sending, m message.Message) (to, why string) {
	r, known := s.Runs.ByName.One(in.To.Name)
	own := in.Run.ID != ""
	switch {
	case known && own && r.Trigger != string(f.Trigger):
		return "", "the name " + r.Name + " belongs to a run that the trigger did not start"
	case known && (r.ID != in.Gone || !r.Settled()):
		m.Session, m.Run = session.ID(r.Conversation), true
		s.Post(m)
		return runAddress(r), ""
	case !own:
		return "", "there is no run " + in.To.Name
	case known:
		s.replaceRun(r, in.Run)
	}
	next := in.Run
	next.Name, next.Trigger, next.By = in.To.Name, string(f.Trigger), m.By
	if next.Name == "" {
		next.Name = s.FreeName(next)
	}
	m.Text = in.First
	return runAddress(s.BeginRun(next, m)), ""
}

// replaceRun gives the name of a run whose conversation cannot go on to the next one, and tells the
// person.
func (s *draft) replaceRun(r, next run.Run) {
	old := run.Replace(r)
	s.Runs.Put(s.Batch, old)
	n := channel.News{Kind: channel.RunAnew, Of: r.Name, What: old.Name}
	s.Notify("anew", session.ID(next.Conversation), n)
}

func runAddress(r run.Run) string {
	return message.Address{Kind: message.ToRun, Name: r.Name}.String()
}
