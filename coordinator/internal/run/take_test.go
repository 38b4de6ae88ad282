package run

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/session"
)

var (
	ann = Taker{By: "Ann", Process: session.Process{PID: 11, Born: "a"}}
	ben = Taker{By: "Ben", Process: session.Process{PID: 12, Born: "b"}}
)

// TestTake: whoever takes a run gets a new fence, so that nothing of an earlier turn counts, and
// the same process gets no second one.
func TestTake(t *testing.T) {
	r, err := Take(in(Idle), ann, false, noon)
	if err != nil || r.Fence != 3 || r.Taker != ann {
		t.Fatalf("taken: %+v, %v", r, err)
	}
	again, err := Take(r, ann, true, noon.Add(time.Minute))
	if err != nil || again.Fence != 3 || !again.Since.Equal(noon) {
		t.Errorf("taken again by the same process: %+v, %v", again, err)
	}
	next, err := Take(r, ben, false, noon)
	if err != nil || next.Fence != 4 || next.Taker != ben {
		t.Errorf("taken by another: %+v, %v", next, err)
	}
	for fence := range int64(5) {
		if _, _, err := Hear(next, fence, 1, []Event{{Kind: Text}}, noon); !errors.Is(err, ErrStale) {
			t.Errorf("events of turn %d: %v", fence, err)
		}
		if _, _, err := Finish(next, fence, End{Result: true}, noon); !errors.Is(err, ErrStale) {
			t.Errorf("the end of turn %d: %v", fence, err)
		}
		if _, err := Drive(next, fence, session.Process{PID: 9}, ""); !errors.Is(err, ErrStale) {
			t.Errorf("another runner of turn %d: %v", fence, err)
		}
	}
}

// TestTakeUnbegun: nobody can continue a conversation that the agent does not know, neither at
// once nor after a turn that never read its prompt.
func TestTakeUnbegun(t *testing.T) {
	for _, state := range []State{Queued, Failed, Stopped} {
		r := in(state)
		r.Turns = 0
		next, err := Take(r, ann, false, noon)
		if !errors.Is(err, ErrUnbegun) || next.State != state || next.Taker.Known() {
			t.Errorf("a run that is %s: %+v, %v", state, next, err)
		}
		r.Adopted = true
		if next, err := Take(r, ann, false, noon); err != nil || next.State != Taken {
			t.Errorf("an adopted run that is %s: %s, %v", state, next.State, err)
		}
	}
	r := in(Starting)
	r.Turns = 0
	r, err := Take(r, ann, false, noon)
	if err != nil {
		t.Fatal(err)
	}
	if r, unread, err := Finish(r, 2, End{Exit: 1}, noon); err != nil || !unread || r.State != Failed ||
		r.Taker.Known() {
		t.Errorf("after a turn that read nothing: %+v, unread %t, %v", r, unread, err)
	}
}

// TestTakeAtTheEnd: whatever the end of the turn is, who waits for it gets the conversation, and
// nothing starts by itself. Without them, the end has its usual fate.
func TestTakeAtTheEnd(t *testing.T) {
	for name, end := range map[string]End{
		"done":    {Result: true},
		"broken":  {Exit: -1, Killed: true},
		"refused": {Refused: "no hooks"},
		"open":    {Open: session.Process{PID: 5}},
	} {
		r, _ := Take(in(Working), ann, true, noon)
		if r.Turn.Stop != "Ann" {
			t.Errorf("%s: the turn is not told to end", name)
		}
		r.Turn.Heard = true
		next, unread, err := Finish(r, 2, end, noon.Add(time.Minute))
		if err != nil || unread || next.State != Taken || next.Fence != 3 || next.Why != "" || next.Taker != ann {
			t.Errorf("%s: %+v, unread %t, %v", name, next, unread, err)
		}
		if !next.Due().IsZero() || next.Resume || len(Next([]Run{next}, 0, noon.Add(time.Hour))) > 0 {
			t.Errorf("%s: it starts by itself: %+v", name, next)
		}
	}
	r, _ := Take(in(Working), ann, false, noon)
	if r.Turn.Stop != "" {
		t.Error("a turn that nobody interrupts is told to end")
	}
	r, err := Forgo(r)
	if r, _, end := Finish(r, 2, End{Result: true}, noon); err != nil || end != nil || r.State != Idle {
		t.Errorf("after the taker has left: %s, %v, %v", r.State, err, end)
	}
	r, _ = Take(in(Working), ann, false, noon)
	for range mostLaunches {
		r, _, _ = Lose(r, noon)
	}
	if r.State != Taken || r.Taker != ann {
		t.Errorf("after the last runner: %+v", r)
	}
}

// TestGive: a run that was given back waits for the next message, and continues the conversation.
func TestGive(t *testing.T) {
	r, _ := Take(in(Failed), ann, false, noon)
	r, err := Queue(r, noon)
	if err != nil || r.State != Taken {
		t.Fatalf("a message while it is taken: %s, %v", r.State, err)
	}
	r, err = Give(r, noon)
	if err != nil || r.State != Idle || r.Taker.Known() || r.Why != "" {
		t.Fatalf("given back: %+v, %v", r, err)
	}
	r, _ = Queue(r, noon)
	if r, err = Start(r, "p", noon); err != nil || !r.Turn.Resumes || r.Fence != 4 {
		t.Errorf("the next turn: %+v, %v", r, err)
	}
}

// TestAdopt: the first turn of an adopted run continues the conversation.
func TestAdopt(t *testing.T) {
	r := Adopt(Run{ID: "run_1", Name: "r"}, noon)
	if r.State != Idle || r.Turns != 0 || !r.StartedAt.Equal(noon) {
		t.Fatalf("adopted: %+v", r)
	}
	r, _ = Queue(r, noon)
	if r, err := Start(r, "p", noon); err != nil || !r.Turn.Resumes {
		t.Errorf("its first turn: %+v, %v", r.Turn, err)
	}
}

// TestOpenElsewhere: a turn whose conversation is open in another process waits until that
// process lets go of it, with its messages or its notice.
func TestOpenElsewhere(t *testing.T) {
	process := session.Process{PID: 5, Born: "c"}
	for _, prompt := range []string{"p", Notice} {
		r := in(Starting)
		r.Turn.Prompt = prompt
		r, unread, err := Finish(r, 2, End{Open: process, Exit: -1}, noon)
		if err != nil || !unread || r.State != Queued || r.OpenIn != process || r.Why == "" || len(r.Restarts) > 0 {
			t.Fatalf("open elsewhere: %+v, unread %t, %v", r, unread, err)
		}
		if r.Resume != (prompt == Notice) {
			t.Errorf("prompt %q: it resumes with a notice: %t", prompt, r.Resume)
		}
		if early, late := Next([]Run{r}, 0, noon), Next([]Run{r}, 0, r.Due()); len(early) != 0 || len(late) != 1 {
			t.Errorf("it starts at once: %t, later: %t", len(early) == 1, len(late) == 1)
		}
		free, err := Unblock(r)
		if err != nil || free.OpenIn.Known() || free.Why != "" ||
			!slices.ContainsFunc(Next([]Run{free}, 0, noon), isQueued) {
			t.Errorf("after the process has ended: %+v, %v", free, err)
		}
	}
}

func isQueued(r Run) bool { return r.State == Queued }
