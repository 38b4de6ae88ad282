package core

import (
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/turn"
)

// A Stopping is what the Stop hook of a session reports, and the facts looked up for it.
type Stopping struct {
	Session  session.ID
	Off      bool          // for the session or its project
	Agents   bool          // subagents run on
	Shells   []string      // ids of the background shells that run
	Delivery string        // names the hook where it takes texts and news
	Terminal bool          // its client is one of a terminal
	Hold     time.Duration // how long a check-in holds the session
	Loop     loop.Stopping // Spent, Read and Tree are looked up

	// What turn.Need asks for. A check-in needs its ID to be asked for.
	Page    string
	Work    string
	CheckIn ask.Ask
	Holder  session.Process // the hook that the check-in holds; none where it is not known
}

// maxLate bounds the news at a stop, in bytes: the host cuts long texts.
const maxLate = 4000

// receiptFor is how long a stop waits for the report of an earlier hook that has just ended.
// The report of a hook arrives with the end of its connection, or before it.
const receiptFor = time.Second

// StopNeeds returns what has to be looked up before Stop. If a hook took a text of the
// session and has not yet reported that it printed it, StopNeeds waits for the report, and
// checks whether that hook has ended. If it has, the text waits again.
func (c *Core) StopNeeds(in Stopping) (n turn.Need, err error) {
	owed := true
	ctx, cancel := context.WithTimeout(context.Background(), receiptFor)
	defer cancel()
	c.Until(ctx, func(s *State) bool {
		owed = slices.ContainsFunc(s.Messages.of(in.Session), message.Message.Owed)
		return !owed
	}, OfSession(in.Session))
	if owed {
		err = c.Look()
	}
	c.View(func(s *State, now time.Time) { n = turn.Needs(s.stopFacts(in, now), now) })
	return n, err
}

// Stop decides whether a session may stop, and records all that follows in one commit.
// The caller calls Publish when the hook has its answer.
func (c *Core) Stop(in Stopping) (out turn.Outcome, err error) {
	err = c.quietly(func(s *Draft) error {
		s.settledLocally(in.Session, s.Now)
		f := s.stopFacts(in, s.Now)
		_, f.Stopping.DayOver = s.dayAfter(in.Loop.Spent, s.Now)
		answers := ask.TellLate(s.unchanged(s.answeredLate(in.Session, in.Delivery)), in.Delivery, maxLate, s.Now)
		f.Answers, f.Room = answers.Text, answers.Room

		out = turn.Decide(f, s.Now)
		s.stopped(in, out)
		if out.Told {
			s.Asks.Put(s.Batch, answers.Told...)
		}
		if out.Step != nil {
			s.book(in.Loop.Spent)
		}
		if out.CheckIn {
			s.openCheckIn(in.CheckIn)
		}
		return nil
	})
	return out, err
}

// stopFacts returns the facts of the state for a stop, without the news.
func (s *State) stopFacts(in Stopping, now time.Time) turn.Facts {
	v := s.Sessions.Rows[in.Session]
	rest := s.Cfg.Rules.ShellsFor
	if !v.Interactive() {
		rest = min(rest, printRest)
	}
	return turn.Facts{
		Session:  v,
		Off:      in.Off || s.Settings.Paused,
		Agents:   in.Agents,
		Shells:   in.Shells,
		RestFor:  rest,
		Loop:     s.Loops.Rows[in.Session],
		Page:     in.Page,
		Stopping: in.Loop,
		Texts:    len(message.Waiting(s.here(in.Session), in.Session)),
		Submits:  s.submits(in.Session, now),
		Work:     in.Work,
		Delivery: in.Delivery,
		Parked:   max(0, s.lateUntil(in.Session).Sub(now)),
		Terminal: in.Terminal,
		Away:     in.CheckIn.ID != "" && s.checksIn(in.CheckIn.ID, in.Session, now),
		Hold:     in.Hold,
	}
}

// unchanged returns those of asks that the draft leaves as they are.
func (s *Draft) unchanged(asks []ask.Ask) []ask.Ask {
	return slices.DeleteFunc(asks, func(a ask.Ask) bool { return s.Asks.Changes(s.Batch, a.ID) })
}

// stopped records what follows from a stop for the session, its loop and its review.
func (s *Draft) stopped(in Stopping, out turn.Outcome) {
	id := in.Session
	v, known := s.Sessions.Rows[id]
	if out.CheckIn && !s.checkedIn(in.CheckIn.ID) {
		out.Session.Holder = in.Holder
	}
	if known && !reflect.DeepEqual(v, out.Session) {
		s.Sessions.Put(s.Batch, out.Session)
	}
	if out.Halted {
		s.haltEnded(out.Session)
	}
	if out.Rule != turn.KillSwitch {
		s.Messages.Put(s.Batch, message.Finish(s.Messages.of(id), id, in.Delivery, s.Now)...)
	}
	if out.Rests != nil {
		s.Loops.Put(s.Batch, *out.Rests)
		s.markdown(id, "loop.md")
	}
	if out.Step != nil {
		s.stepLoop(in, out)
	}
	if out.Reviewed {
		s.reviewed(v, out)
	}
}

// stepLoop records the step that a loop made at a stop.
func (s *Draft) stepLoop(in Stopping, out turn.Outcome) {
	if len(out.Edited) > 0 {
		s.edited(in.Session, out.Step.Stack, out.Edited)
	}
	if out.Step.Checked != "" {
		s.checked(in.Session, out.Step.Checked, in.Loop.Check.Tail)
	}
	s.PutLoop(in.Session, *out.Step)
}

// reviewed records the decision of the review gate about a session's stop.
func (s *Draft) reviewed(v session.Session, out turn.Outcome) {
	say := func(kind event.Kind, text string) {
		s.Record(kind, v.ID, v.Token, v.Token+": "+text)
	}
	switch {
	case out.Rule == turn.Review:
		say(event.ReviewHeld, "sent back for a review")
	case out.Unreviewed:
		say(event.ReviewMissing, "stopped without a review")
		s.Notify("review", v.ID, channel.News{Kind: channel.Unreviewed, Of: v.Token})
	}
}
