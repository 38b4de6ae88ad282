package core

import (
	"context"
	"fmt"

	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// TakeRun gives the conversation of a run to a person at a terminal: now, or at the end of the
// turn that runs. With interrupt, that turn is told to end. It returns ErrTaken if another
// living process has the conversation or waits for it.
func (c *Core) TakeRun(id run.ID, by run.Taker, interrupt bool) (run.Run, error) {
	r, err := c.RunByID(id)
	if err != nil {
		return r, err
	}
	if held := r.Taker.Process; held.Known() && held != by.Process && c.cfg.Lives(held) {
		return r, fmt.Errorf("run %s is %w: %s has it in process %d", r.Name, ErrTaken, r.Taker.By, held.PID)
	}
	return c.ChangeRun(id, func(s *Draft, r run.Run) (run.Run, error) {
		next, err := run.Take(r, by, interrupt, s.Now)
		if err != nil {
			return r, err
		}
		if next.Fence != r.Fence {
			s.Runs.Put(s.Batch, next) // it does not wait for its questions any more
			s.dropAsks(r, takenNote)
			s.NoteRun(event.RunTaken, next, "taken by "+by.By)
		}
		if next.Turn.Stop != r.Turn.Stop {
			s.ActRun(id) // it tells the runner
		}
		return next, nil
	})
}

// takenNote is the note of the questions of a run that was taken: they are for the terminal now.
const takenNote = "a person continues this conversation in a terminal"

// AwaitTurn waits until no turn of a run runs, at most until ctx ends.
func (c *Core) AwaitTurn(ctx context.Context, id run.ID) (r run.Run, err error) {
	c.Until(ctx, func(s *State) bool {
		r, err = s.run(id)
		return err != nil || !r.Busy()
	}, ofRun(id))
	return r, err
}

// Lives reports whether a process still runs.
func (c *Core) Lives(p session.Process) bool { return c.cfg.Lives(p) }

// checkTaker looks whether the process that waits for the end of a run's turn still runs.
func (c *Core) checkTaker(id run.ID) error {
	if r, err := c.RunByID(id); err != nil || !r.Taker.Known() {
		return nil
	}
	return c.Look()
}

// GiveRun hands a run back that a person has taken. The caller makes sure that no process has
// the conversation open. Messages that waited start a turn.
func (c *Core) GiveRun(id run.ID, by string) (run.Run, error) {
	return c.ChangeRun(id, func(s *Draft, r run.Run) (run.Run, error) {
		next, err := run.Give(r, s.Now)
		if err != nil {
			return r, err
		}
		s.NoteRun(event.RunGiven, next, "given back by "+by)
		return s.goOn(next)
	})
}

// AdoptRun begins a run of a conversation that the agent knows already. A second call with
// the same id returns the run of the first.
func (c *Core) AdoptRun(r run.Run) (adopted run.Run, err error) {
	err = c.Do(func(s *Draft) (err error) {
		if old, known := s.Runs.Rows[r.ID]; known {
			adopted = old
			return nil
		}
		if old, is := s.Runs.ByConversation.One(r.Conversation); is {
			return fmt.Errorf("the conversation is %w: it is run %s", ErrTaken, old.Name)
		}
		if r, err = s.WithName(r); err != nil {
			return err
		}
		adopted, err = s.goOn(run.Adopt(r, s.Now))
		s.Runs.Put(s.Batch, adopted)
		s.NoteRun(event.RunAdopted, adopted, "adopted by "+r.By+", in "+r.Dir)
		s.StartTurns()
		adopted, _ = s.Runs.After(s.Batch, r.ID)
		return err
	})
	return adopted, err
}

// openers returns the processes outside Afar that runs wait for, and those that wait for the
// end of a turn.
func (s *State) openers() (all []session.Process) {
	for _, r := range s.Runs.active() {
		for _, p := range []session.Process{r.OpenIn, r.Taker.Process} {
			if p.Known() {
				all = append(all, p)
			}
		}
	}
	return all
}

// buryOpeners frees the runs that waited for a process which has ended, and forgets who waited
// for a turn and has ended.
func (s *Draft) buryOpeners(over map[session.Process]bool) {
	for _, r := range s.Runs.active() {
		r, _ := s.Runs.After(s.Batch, r.ID)
		step := run.Unblock
		switch {
		case r.Busy() && over[r.Taker.Process]:
			step = run.Forgo
		case !over[r.OpenIn]:
			continue
		}
		if next, err := step(r); err == nil {
			s.Runs.Put(s.Batch, next)
		}
	}
}

// freeRunOf lets the turn of a conversation start that was open elsewhere: its session has ended.
func (s *Draft) freeRunOf(id session.ID) {
	r, ok := s.RunOf(id)
	if !ok || !r.OpenIn.Known() {
		return
	}
	if next, err := run.Unblock(r); err == nil {
		s.Runs.Put(s.Batch, next)
		s.StartTurns()
	}
}

// here returns the texts that a session's hooks may take. Those for its run wait while a
// person has taken the run.
func (s *State) here(id session.ID) []message.Message {
	all := s.Messages.of(id)
	if r, ok := s.Runs.ByConversation.One(string(id)); !ok || r.State != run.Taken {
		return all
	}
	return message.ForSession(all)
}
