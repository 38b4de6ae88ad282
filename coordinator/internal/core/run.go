package core

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/table"
	"github.com/afar-sh/afar/coordinator/internal/wake"
)

// LaneRun is the prefix of the lanes of runs, one for each run. ActRun has a run's id as
// its data: start its runner, or tell the runner to end the turn.
const (
	LaneRun = "run:"
	ActRun  = "run"
)

// ErrTaken says that another process has a turn, or another run a name.
var ErrTaken = errors.New("taken")

// A runTable holds the runs.
type runTable struct {
	*table.Table[run.ID, run.Run]
	ByConversation *table.Index[run.ID, run.Run]
	ByName         *table.Index[run.ID, run.Run]
	byWork         *table.Index[run.ID, run.Run] // see active
	ByParent       *table.Index[run.ID, run.Run] // those that have not reported
	byRank         *table.Order[run.ID, run.Rank]
}

func newRunTable(s *State) runTable {
	t := Register(s, store.Runs, table.Traits[run.Run]{
		Due: s.runDue, Expire: Expiry(s, (*Draft).expireRun), Touches: runParts,
	})
	return runTable{
		Table:          t,
		ByConversation: t.IndexBy(func(r run.Run) string { return table.KeyIf(r.Live(), r.Conversation) }),
		ByName:         t.IndexBy(func(r run.Run) string { return table.KeyIf(r.Live(), r.Name) }),
		byWork:         t.IndexBy(func(r run.Run) string { return table.KeyIf(worksOrWaits(r), works) }),
		ByParent:       t.IndexBy(func(r run.Run) string { return table.KeyIf(r.Live() && !r.Reported, r.Parent) }),
		byRank:         table.OrderBy(t, func(r run.Run) (run.Rank, bool) { return run.RankOf(r), r.Live() }, run.Rank.Compare),
	}
}

const works = "works"

// worksOrWaits reports whether something happens to a run by itself, or a process waits for it.
func worksOrWaits(r run.Run) bool {
	return r.Live() && (!r.Settled() || r.OpenIn.Known() || r.Taker.Known())
}

// active returns the runs to which something happens by itself, or that a process waits for, in no
// order. All others are kept for their person, and there may be thousands.
func (t runTable) active() []run.Run { return t.byWork.All(works) }

func ofRun(id run.ID) wake.Part { return wake.Part("run " + id) }

func runParts(before, after run.Run) []wake.Part {
	if before.Busy() && !after.Busy() {
		return []wake.Part{ofRun(after.ID), Turns}
	}
	return []wake.Part{ofRun(after.ID)}
}

// runDue returns when a run changes by itself. The run of a task stays as long as the task.
func (s *State) runDue(r run.Run, _ time.Time) time.Time {
	if _, ofTask := s.Tasks.byRun.One(string(r.ID)); ofTask && r.Settled() {
		return time.Time{}
	}
	return r.Due()
}

// expireRun starts a turn whose time has come, or another runner for a turn whose runner
// never reported.
func (s *Draft) expireRun(r run.Run) {
	if r.Settled() {
		_, _ = s.removeRun(r, "Afar: nothing happened to it for 30 days") // it is settled
		return
	}
	if r.State == run.Queued {
		s.StartTurns()
		return
	}
	if next := s.limitRun(r); next.Turn.Limit != r.Turn.Limit {
		s.Runs.Put(s.Batch, next)
	}
	if r.RunnerLate(s.Now) {
		s.loseRunner(r.ID)
	}
}

// loseRunner deals with a turn whose runner has ended without a word.
func (s *Draft) loseRunner(id run.ID) {
	r, _ := s.Runs.After(s.Batch, id)
	next, relaunch, err := run.Lose(r, s.Now)
	if err != nil {
		return
	}
	if relaunch {
		s.putRun(next)
		s.ActRun(next.ID)
		return
	}
	s.failRun(next, next.Why)
	s.StartTurns()
}

// putRun records a run. The session that proposed it is told of its end.
func (s *Draft) putRun(r run.Run) {
	s.Runs.Put(s.Batch, r)
	s.beside.RunChanged(s, r.ID)
}

// putOver is putRun for a run whose turn, or wait for one, is over: its loop may give it the next one.
func (s *Draft) putOver(r run.Run) {
	s.Runs.Put(s.Batch, r)
	s.turnOver(r)
	s.beside.RunChanged(s, r.ID)
}

// ActRun adds the action that looks at a run: it starts a turn that is due, and ends one that is to end.
func (s *Draft) ActRun(id run.ID) {
	lane := LaneRun + string(id)
	s.Enqueue(lane, lane, ActRun, string(id))
}

// NoteRun adds an entry about a run to the journal.
func (s *Draft) NoteRun(kind event.Kind, r run.Run, text string) {
	s.Record(kind, session.ID(r.Conversation), r.Name, "run "+r.Name+": "+Folded(text))
}

// StartRun begins a run with its first message. A second call with the same id returns the
// run of the first.
func (c *Core) StartRun(r run.Run, first message.Message) (started run.Run, err error) {
	err = c.Do(func(s *Draft) (err error) {
		started, err = s.startRun(r, first)
		return err
	})
	return started, err
}

func (s *Draft) startRun(r run.Run, first message.Message) (run.Run, error) {
	if old, known := s.Runs.Rows[r.ID]; known {
		return old, nil
	}
	r, err := s.WithName(r)
	if err != nil {
		return r, err
	}
	return s.BeginRun(r, first), nil
}

// BeginRun begins a run whose name is free, with its first message.
func (s *Draft) BeginRun(r run.Run, first message.Message) run.Run {
	r = run.New(r, s.Now)
	s.Runs.Put(s.Batch, r)
	s.NoteRun(event.RunStarted, r, "started by "+r.By+" in "+r.Dir)
	first.Session, first.Run = session.ID(r.Conversation), true
	s.Post(first)
	s.StartTurns()
	r, _ = s.Runs.After(s.Batch, r.ID)
	return r
}

// WithName returns a run with a name of its own, which it may have already. It returns ErrTaken
// if another run has that.
func (s *State) WithName(r run.Run) (run.Run, error) {
	if r.Name == "" {
		r.Name = s.FreeName(r)
	}
	if _, taken := s.Runs.ByName.One(r.Name); taken {
		return r, fmt.Errorf("a run with the name %s: %w", r.Name, ErrTaken)
	}
	return r, nil
}

// FreeName returns a name for a run, made of its directory and its conversation.
func (s *State) FreeName(r run.Run) string {
	return session.NewToken(r.Dir, session.ID(r.Conversation), func(token string) bool {
		_, taken := s.Runs.ByName.One(token)
		return taken
	})
}

// queueRunOf gives the run of a conversation a turn, because a message waits for it. The run of
// a task that a person has stopped waits for its start.
func (s *Draft) queueRunOf(id session.ID) {
	r, _ := s.RunOf(id)
	if t, _ := s.TaskOf(r.ID); t.Stopped {
		return
	}
	next, err := run.Queue(r, s.Now)
	if err != nil || next.State == r.State { // no run has this conversation, or its turn takes the message
		return
	}
	s.Runs.Put(s.Batch, next)
	s.StartTurns()
}

// RunOf returns the run of a conversation, as the draft leaves it.
func (s *Draft) RunOf(id session.ID) (r run.Run, ok bool) {
	if r, ok = s.Runs.ByConversation.One(string(id)); ok {
		r, _ = s.Runs.After(s.Batch, r.ID)
		return r, r.Live()
	}
	for made := range store.Runs.In(s.Batch) {
		if made.Conversation == string(id) {
			r, ok = made, made.Live()
		}
	}
	return r, ok
}

// StartTurns starts the turns that may run now.
func (s *Draft) StartTurns() {
	if s.settingsAfter().Paused {
		return
	}
	all := s.Runs.byWork.After(s.Batch, works)
	s.askForPlaces(all)
	for _, r := range run.Next(all, s.Cfg.Rules.MostTurns, s.Now) {
		if s.startTurn(r).Settled() { // its place is free, and its end may have started others
			s.StartTurns()
			return
		}
	}
}

// startTurn starts the next turn of a run, and returns the run. It is settled if a limit is reached or there is
// nothing to say.
func (s *Draft) startTurn(r run.Run) run.Run {
	if next := s.limitRun(r); next.State == run.Failed {
		s.failRun(next, "no turn starts: "+next.Why)
		return next
	}
	prompt, by := s.promptOf(r)
	next, err := run.Start(r, prompt, s.Now)
	if err != nil {
		return r
	}
	next.Turn.For = by
	s.putRun(next)
	if next.Busy() {
		s.ActRun(r.ID)
	}
	return next
}

// byTurn names the hand-over of messages by a turn.
func byTurn(id run.ID, fence int64) string {
	return string(id) + "/" + strconv.FormatInt(fence, 10)
}

// textsAfter returns the messages for a run as the draft leaves them.
func (s *Draft) textsAfter(r run.Run) []message.Message {
	return s.Messages.bySession.After(s.Batch, r.Conversation)
}

// DriveTurn notes the process that drives a turn, and returns the run.
func (c *Core) DriveTurn(id run.ID, fence int64, runner session.Process, wall string) (r run.Run, err error) {
	if r, err = c.RunByID(id); err != nil {
		return r, err
	}
	if held := r.Turn.Runner; held.Known() && held != runner && c.cfg.Lives(held) {
		return r, fmt.Errorf("turn %d of run %s: process %d has it: %w", fence, r.Name, held.PID, ErrTaken)
	}
	return c.ChangeRun(id, func(s *Draft, r run.Run) (run.Run, error) {
		return run.Drive(r, fence, runner, wall)
	})
}

// ChangeRun applies a step to a run, and returns what it came to.
func (c *Core) ChangeRun(id run.ID, f func(s *Draft, r run.Run) (run.Run, error)) (next run.Run, err error) {
	err = c.Do(func(s *Draft) (err error) {
		r, err := s.run(id)
		if err == nil {
			next, err = f(s, r)
		}
		if err != nil {
			return err
		}
		if r.Busy() && !next.Busy() || r.State == run.Taken { // only then a turn may start
			s.putOver(next)
			s.StartTurns()
		} else {
			s.putRun(next)
		}
		next, _ = s.Runs.After(s.Batch, id)
		return nil
	})
	return next, err
}

// HearTurn records events of a turn, which begin with the number from. It returns the
// number of the last one that is recorded.
func (c *Core) HearTurn(id run.ID, fence, from int64, events []run.Event) (seq int64, err error) {
	_, err = c.ChangeRun(id, func(s *Draft, r run.Run) (run.Run, error) {
		next, fresh, err := run.Hear(r, fence, from, events, s.Now)
		if len(fresh) > 0 {
			s.Batch.RunEvents = append(s.Batch.RunEvents, store.RunEvents{Run: id, Events: fresh})
		}
		if next.Turn.Answered && !r.Turn.Answered { // the conversation has the prompt
			id := session.ID(r.Conversation)
			s.Messages.Put(s.Batch, message.Finish(s.Messages.of(id), id, "", s.Now)...)
		}
		next = s.charge(r, run.Asks(next, s.openAskOf(next), s.Now))
		seq = next.Turn.Seq
		return next, err
	})
	return seq, err
}

// EndTurn ends a turn whose agent has ended.
func (c *Core) EndTurn(id run.ID, fence int64, e run.End) error {
	if err := c.checkTaker(id); err != nil {
		return err
	}
	_, err := c.ChangeRun(id, func(s *Draft, r run.Run) (run.Run, error) {
		if e.Failed {
			r = s.limitRun(r)
		}
		e.Starting = s.Cfg.Rules.RunTimes.Starting
		next, unread, err := run.Finish(r, fence, e, s.Now)
		if err != nil {
			return r, err
		}
		switch {
		case unread:
			s.offerUnread(r)
			s.untellRun(r)
		case !r.BrokeOff(e):
			s.finishTexts(r)
		}
		s.tellLacks(r, next)
		s.verifyTexts(r, e)
		if e.Lost {
			s.beginAnew(r)
		}
		held := s.holdRun(next, e)
		s.NoteRun(event.RunEnded, held, turnLine(r, held))
		if !held.Parked && e.Deferred == "" {
			held = run.Told(held, s.tellEnd(next))
		}
		return held, nil
	})
	return err
}

// goOn gives an idle run a turn if messages wait for it.
func (s *Draft) goOn(r run.Run) (run.Run, error) {
	waits := len(message.Waiting(s.textsAfter(r), session.ID(r.Conversation))) > 0
	if waits && r.State == run.Idle {
		return run.Queue(r, s.Now)
	}
	return r, nil
}

// offerUnread takes back the messages of a turn that never read them.
func (s *Draft) offerUnread(r run.Run) {
	of := byTurn(r.ID, r.Fence)
	s.offerAgain(func(m message.Message) bool {
		return m.Session == session.ID(r.Conversation) && m.Delivery == of
	})
}

// finishTexts notes that the conversation has the texts that a turn began with.
func (s *Draft) finishTexts(r run.Run) {
	proofs := map[string]message.Proof{byTurn(r.ID, r.Fence): {Arrived: true, Sure: true}}
	s.Messages.Put(s.Batch, message.Verify(s.textsAfter(r), session.ID(r.Conversation), proofs, s.Now)...)
}

// beginAnew prepares the next turn of a run whose conversation does not exist. Its questions end,
// because the agent asks again. It gets the texts that wait; if none do, it gets again what was
// handed over last.
func (s *Draft) beginAnew(r run.Run) {
	s.dropAsks(r, "the conversation is gone and begins anew")
	id, texts := session.ID(r.Conversation), s.textsAfter(r)
	handed := message.Handovers(texts, id, time.Time{})
	if len(handed) == 0 || len(message.Waiting(texts, id)) > 0 {
		return
	}
	last := slices.MaxFunc(handed, func(a, b message.Handover) int { return a.At.Compare(b.At) })
	s.Messages.Put(s.Batch, message.Verify(texts, id, map[string]message.Proof{last.Delivery: {}}, s.Now)...)
	s.NoteRun(event.MessageAdded, r, "its conversation is gone, and its last text is offered again")
}

// Handovers returns what was taken of the texts for a run in a turn that breaks off with e, and
// the transcript of the conversation, "" if it is not known.
func (c *Core) Handovers(id run.ID, e run.End) (transcript string, all []message.Handover) {
	c.View(func(s *State, _ time.Time) {
		r := s.Runs.Rows[id]
		of := session.ID(r.Conversation)
		if r.BrokeOff(e) {
			transcript = s.Sessions.Rows[of].Transcript
			all = message.Handovers(s.Messages.of(of), of, r.Turn.Begun)
		}
	})
	return transcript, all
}

// verifyTexts settles what was handed over in a turn that broke off: the agent may have forgotten
// a text that it took, and may have kept one of a hook that was killed. Where the conversation
// itself does not tell, an agent that was heard later has the text.
func (s *Draft) verifyTexts(r run.Run, e run.End) {
	if !r.BrokeOff(e) {
		return
	}
	id, proofs := session.ID(r.Conversation), map[string]message.Proof{}
	for _, h := range message.Handovers(s.textsAfter(r), id, r.Turn.Begun) {
		has, sure := e.Arrived[h.Delivery]
		unread := !r.Turn.Heard && !e.Spoken && h.Delivery == byTurn(r.ID, r.Fence)
		heard := !sure && r.Turn.HeardAt.After(h.At)
		proofs[h.Delivery] = message.Proof{Arrived: has || heard, Sure: sure || unread}
	}
	for _, m := range message.Verify(s.textsAfter(r), id, proofs, s.Now) {
		s.Messages.Put(s.Batch, m)
		if m.State == message.Pending {
			text := "run " + r.Name + ": the text of " + m.By + " did not arrive, and is offered again"
			s.Record(event.MessageAdded, id, string(m.ID), text)
		}
	}
}

// turnLine says how a turn ended, for the journal. before is the run with that turn.
func turnLine(before, r run.Run) string {
	if r.Parked {
		return fmt.Sprintf("turn %d ended, and the run waits for an answer", before.Fence)
	}
	return fmt.Sprintf("turn %d ended, now %s: %s", before.Fence, r.State, Briefly(cmp.Or(r.Why, r.Result)))
}

// followRun notes on the run of a session which question is open.
func (s *Draft) followRun(id session.ID) {
	r, ok := s.RunOf(id)
	switch {
	case !ok:
		return
	case r.Parked:
		s.followParked(r)
		return
	case r.State == run.Idle && s.retriesRun(r):
		s.queueRunOf(id)
		return
	}
	if next := run.Asks(r, s.openAskOf(r), s.Now); next.Ask != r.Ask || next.State != r.State {
		s.Runs.Put(s.Batch, next)
	}
}

// holdsRun reports whether a turn of a run waits for the answer to a.
func holdsRun(a ask.Ask) bool {
	return !a.Aside() && (a.State == ask.Open || a.Deferred && a.Parked)
}

// openAskOf returns the oldest open question that holds a run, as the draft leaves it.
func (s *Draft) openAskOf(r run.Run) string {
	open := slices.DeleteFunc(s.asksAfter(r), func(a ask.Ask) bool {
		return !holdsRun(a)
	})
	first, _ := ask.Oldest(open)
	return string(first.ID)
}

// StopRun ends what a run does, for the person by.
func (c *Core) StopRun(id run.ID, by string) (run.Run, error) {
	return c.ChangeRun(id, func(s *Draft, r run.Run) (run.Run, error) {
		return s.endRun(r, by)
	})
}

// endRun ends what a run does: it tells the runner of a turn, or puts the run at rest.
func (s *Draft) endRun(r run.Run, by string) (run.Run, error) {
	next, err := run.Stop(r, by, s.Now)
	if err != nil {
		return r, err
	}
	s.putRun(next)
	s.NoteRun(event.RunStopped, r, "stopped by "+by)
	if t, ok := s.TaskOf(r.ID); ok && !t.Stopped {
		s.stopTask(t, by)
	}
	s.dropAsks(next, "the run was stopped")
	s.cancelLoop(session.ID(r.Conversation), by)
	if next.Busy() {
		s.ActRun(r.ID)
	}
	next, _ = s.Runs.After(s.Batch, r.ID)
	return next, nil
}

// RemoveRun takes a run out of the lists, and forgets its events.
func (c *Core) RemoveRun(id run.ID, by string) (run.Run, error) {
	return c.ChangeRun(id, func(s *Draft, r run.Run) (run.Run, error) {
		return s.removeRun(r, by)
	})
}

func (s *Draft) removeRun(r run.Run, by string) (run.Run, error) {
	next, err := run.Remove(r, s.Now)
	if err != nil {
		return r, err
	}
	s.Runs.Put(s.Batch, next)
	s.Batch.RunEvents = append(s.Batch.RunEvents, store.RunEvents{Run: r.ID, Forget: true})
	s.clearRun(r)
	s.dropAsks(r, "the run was removed")
	s.NoteRun(event.RunRemoved, r, "removed by "+by)
	return next, nil
}

// RunByID returns a run that is not removed.
func (c *Core) RunByID(id run.ID) (r run.Run, err error) {
	c.View(func(s *State, _ time.Time) { r, err = s.run(id) })
	return r, err
}

func (s *State) run(id run.ID) (run.Run, error) {
	r := s.Runs.Rows[id]
	if !r.Live() {
		return r, fmt.Errorf("run %q: %w", id, ErrNotFound)
	}
	return r, nil
}

// RunNamed returns the run with a name or an id.
func (c *Core) RunNamed(name string) (r run.Run, err error) {
	c.View(func(s *State, _ time.Time) {
		var ok bool
		if r, ok = s.Runs.ByName.One(name); !ok {
			r, err = s.run(run.ID(name))
		}
	})
	return r, err
}

// Runs returns the runs that are not removed, in the order of their ranks, but each after the
// one that proposed it.
func (c *Core) Runs() []run.Run {
	all, _ := c.FirstRuns(math.MaxInt)
	return all
}

// FirstRuns returns at most most of the runs that Runs returns, those of the first ranks, and how many
// there are.
func (c *Core) FirstRuns(most int) (first []run.Run, all int) {
	c.View(func(s *State, _ time.Time) {
		all = s.Runs.byRank.Len()
		for id := range s.Runs.byRank.All() {
			if len(first) == most {
				break
			}
			first = append(first, s.Runs.Rows[id])
		}
	})
	return run.Tree(first), all
}

// RunsEnded returns the runs to which nothing happens by itself since a time, or a later one.
func (c *Core) RunsEnded(since time.Time) (ended []run.Run) {
	c.View(func(s *State, _ time.Time) {
		for id, rank := range s.Runs.byRank.All() {
			if rank.EndedBefore(since) {
				return
			}
			if r := s.Runs.Rows[id]; r.Settled() && !r.Since.Before(since) {
				ended = append(ended, r)
			}
		}
	})
	slices.SortStableFunc(ended, func(a, b run.Run) int { return b.Since.Compare(a.Since) })
	return ended
}

// RunOf returns the run of a conversation.
func (c *Core) RunOf(id session.ID) (r run.Run, ok bool) {
	c.View(func(s *State, _ time.Time) { r, ok = s.Runs.ByConversation.One(string(id)) })
	return r, ok
}

// WaitingFor returns how many messages wait for a run.
func (c *Core) WaitingFor(r run.Run) (n int) {
	id := session.ID(r.Conversation)
	c.View(func(s *State, _ time.Time) { n = len(message.Waiting(s.Messages.of(id), id)) })
	return n
}

// AwaitRun waits until nothing happens to a run by itself, at most until ctx ends. With
// take, the caller is who started it, and has its result now.
func (c *Core) AwaitRun(ctx context.Context, id run.ID, take bool) (r run.Run, err error) {
	c.Until(ctx, func(s *State) bool {
		r, err = s.run(id)
		return err != nil || r.Settled()
	}, ofRun(id))
	if err != nil || !take || !r.Settled() {
		return r, err
	}
	return c.ChangeRun(id, func(s *Draft, r run.Run) (run.Run, error) {
		return run.HandOver(r, s.Now)
	})
}

// mostEvents bounds the events that one call returns.
const mostEvents = 500

// RunLog returns the events of a run after the number after. It waits for the first until
// ctx ends or the run is settled.
func (c *Core) RunLog(ctx context.Context, id run.ID, after int64) (events []run.Event, r run.Run, err error) {
	sub := c.Subscribe(ofRun(id))
	defer sub.Close()
	for {
		if r, err = c.RunByID(id); err != nil {
			return nil, r, err
		}
		events, err = c.cfg.Store.RunLog(id, after, mostEvents)
		if err != nil || len(events) > 0 || r.Settled() {
			return events, r, err
		}
		select {
		case <-sub.C:
		case <-ctx.Done():
			return nil, r, nil
		}
	}
}

// RunLast returns at most most events of a run, the newest before a number, 0 for the newest
// of all. They are in the order of their numbers.
func (c *Core) RunLast(id run.ID, before int64, most int) ([]run.Event, error) {
	return c.cfg.Store.RunLast(id, before, min(most, mostEvents))
}

func (s *State) runners() (all []session.Process) {
	for _, r := range s.Runs.active() {
		if r.Busy() && r.Turn.Runner.Known() {
			all = append(all, r.Turn.Runner)
		}
	}
	return all
}

// Runners returns the processes that drive turns.
func (c *Core) Runners() (all []session.Process) {
	c.View(func(s *State, _ time.Time) { all = s.runners() })
	return all
}

// IsRunner reports whether a process drives a turn.
func (c *Core) IsRunner(p session.Process) (is bool) {
	c.View(func(s *State, _ time.Time) { is = slices.Contains(s.runners(), p) })
	return is
}

// buryRunners deals with the turns whose runner has ended.
func (s *Draft) buryRunners(over map[session.Process]bool) {
	for _, r := range s.Runs.active() {
		if r.Busy() && over[r.Turn.Runner] {
			s.loseRunner(r.ID)
		}
	}
}

// runFate returns when a run gets a text that waits for it.
func (s *State) runFate(r run.Run) channel.Fate {
	f := channel.Fate{To: "run " + r.Name, At: channel.AtTurn}
	switch t, _ := s.At(time.Time{}).TaskOf(r.ID); {
	case t.Stopped:
		f.At, f.Why = channel.AtTaskRestart, string(t.Slug)
	case r.State == run.Taken:
		f.At = channel.AtGive
	case r.OpenIn.Known():
		f.At, f.Why = channel.AtFree, itoa(int64(r.OpenIn.PID))
	case s.Settings.Paused:
		f.At = channel.AtUnpause
	case r.Spent():
		f.At, f.Why = channel.Never, "its budget is used up"
	case r.Parked:
		f.At = channel.AtAnswer
	case r.Busy():
		f.At = channel.AtToolOrTurn
	}
	return f
}
