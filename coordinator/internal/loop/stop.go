package loop

import (
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/usage"
)

// Stopping is what is known when a session wants to stop.
type Stopping struct {
	// ID names this stop; the same one again is answered as before. Empty: every
	// call is a stop of its own.
	ID         string
	Message    string       // the host's last_assistant_message
	Tools      int          // tool calls since the last stop
	Tree       string       // digest of the work tree; empty: unknown, and not needed beside a tool call
	Spent      usage.Sum    // since the last stop
	Read       int64        // how far the transcript was read for Spent
	DayOver    string       // says that the day's budget for all loops is spent; empty: it is not
	Background []string     // running background shells, to be named to the model
	Check      *CheckResult // answer to the Check of the last Outcome
}

// An ending says why a frame ends. A zero verdict means that the frame goes on.
type ending struct {
	verdict Verdict
	proven  bool
	by      string
	note    string
}

// Stop is called when the session wants to stop. The session's own word comes
// first (done, stuck), then time, money, the iterations left and standstill.
// A frame that ends hands over to the one around it.
func Stop(s Stack, in Stopping, now time.Time) (Outcome, error) {
	if !s.Active() {
		return Outcome{}, fmt.Errorf("stop: %w", ErrNone)
	}
	if in.ID != "" && s.Last != nil && s.Last.Stop == in.ID {
		return Outcome{Stack: s, Block: s.Last.Block, Check: s.top().asked()}, nil
	}
	o := stop(s.clone(), in, stored(now))
	o.Stack.Last = &Last{Stop: in.ID, Block: o.Block}
	if o.Block != "" {
		o.Stack.Unheard = false
	}
	if o.Wait != "" {
		o.Stack.Last = nil // the same stop is asked again, and then has another answer
	}
	return o, nil
}

// stop owns s.
func stop(s Stack, in Stopping, now time.Time) Outcome {
	if o, answered := s.stopIssue(in, now); answered {
		return o
	}
	stale, late := s.stale(now), s.staleEnding()
	f := s.top()
	answered := in.Check != nil && f.Checking && in.Check.Frame == f.ID
	if !answered {
		s.account(in)
	}
	f.Checking, f.LastStopAt = false, now
	s.UpdatedAt, s.Paused, s.Rested, s.Left = now, nil, false, false

	end := f.said(in, answered)
	o := Outcome{}
	if answered {
		o.Checked = f.Checked
	}
	switch {
	case end.verdict != "":
	case f.Checking:
		o.Stack, o.Check = s, f.asked()
		return o
	case stale:
		return o.and(endAll(s, late, now))
	default:
		return o.goOn(s, in, answered, now)
	}
	return o.unwind(s, end, in, answered, now)
}

// goOn has the session go on if nothing is used up: what it may take in all, what
// its top frame may, what an issue frame below may.
func (o Outcome) goOn(s Stack, in Stopping, answered bool, now time.Time) Outcome {
	if in.DayOver != "" {
		return o.and(endAll(s, ending{verdict: OverBudget, note: in.DayOver}, now))
	}
	end := s.top().limits(now)
	if at, over := s.overdrawn(now); at >= 0 {
		o.letGo(s, at+1, over, now)
		s.Frames, end = s.Frames[:at+1], over
	}
	return o.unwind(s, end, in, answered, now)
}

// account books what happened since the last stop; a stop that only brings the
// result of a check belongs to the iteration that asked for it.
func (s *Stack) account(in Stopping) {
	f := s.top()
	moved := in.Tools > 0 || in.Tree != "" && f.Tree != "" && in.Tree != f.Tree
	if f.N > 0 { // the turn before the first block is no iteration yet
		f.Idle++
	}
	if moved {
		f.Idle = 0
	}
	if in.Tools > 0 {
		s.Quiet = 0
	}
	s.spend(in.Spent)
	s.Read = in.Read
	s.saw(in.Tree)
}

// Saw notes how the work tree stands, for the next stop to compare with. An empty
// digest says nothing.
func Saw(s Stack, tree string) Stack {
	if !s.Active() || tree == "" || s.top().Tree == tree {
		return s
	}
	s = s.clone()
	s.saw(tree)
	return s
}

func (s *Stack) saw(tree string) {
	if tree == "" {
		return
	}
	for i := range s.Frames {
		s.Frames[i].Tree = tree
	}
}

// said returns what the session, or the check instead of it, says about the work. It sets
// Checking if the check has to run first.
func (f *Frame) said(in Stopping, answered bool) ending {
	if answered {
		return f.checked(*in.Check)
	}
	switch marker(in.Message) {
	case complete:
		f.Checking = f.Check != ""
		if f.Checking {
			return ending{}
		}
		return ending{verdict: Done, note: "the session says so; nothing has checked it"}
	case gaveUp:
		return ending{verdict: Stuck, note: "the session says so"}
	case usedUp:
		return ending{verdict: Capped, note: "the session says so"}
	}
	return ending{}
}

// limits returns why a frame may not go on even if its work is not done.
func (f *Frame) limits(now time.Time) ending {
	switch {
	case passed(f.Deadline, now):
		return ending{verdict: Timeout, note: "its time is over"}
	case f.Budget > 0 && f.Spent.USD >= f.Budget:
		return ending{
			verdict: OverBudget,
			note:    fmt.Sprintf("$%.2f of $%.2f spent, at list prices", f.Spent.USD, f.Budget),
		}
	case f.TokensTo > 0 && f.Spent.Tokens >= f.TokensTo:
		return ending{verdict: OverBudget, note: fmt.Sprintf("%d of %d tokens used", f.Spent.Tokens, f.TokensTo)}
	case f.Issue != nil:
		return ending{} // the rest counts for each issue
	case f.N >= f.Max:
		return ending{verdict: Capped, note: "all iterations are used up"}
	case f.Idle >= stuckAfter:
		return ending{verdict: Stuck, note: "3 iterations without a tool call or a change of the tree"}
	case f.Red >= stuckAfter:
		return ending{verdict: Stuck, note: "the check gave the same output 3 times"}
	}
	return ending{}
}

// unwind takes ended frames off the stack until one may go on, and blocks for it.
func (o Outcome) unwind(s Stack, end ending, in Stopping, answered bool, now time.Time) Outcome {
	inner := ""
	for end.verdict != "" {
		if at := s.owner(); at >= 0 && at < len(s.Frames)-1 {
			return o.handIn(s, at, end, now)
		}
		if len(s.Frames) == 1 {
			return o.over(s, end, now)
		}
		inner = o.pop(&s, end, now)
		end = s.top().limits(now)
	}
	if s.Quiet >= hostPatience {
		note := "the host ends a turn after 8 blocks without a tool call"
		return o.and(endAll(s, ending{verdict: Capped, note: note}, now))
	}
	f := s.top()
	news := both(inner, f.Tell)
	f.Tell = ""
	if s.Waits() { // for an errand that a frame on top of it did not see
		f.Tell, o.Stack, o.Wait = news, s, s.waiting()
		return o
	}
	var red *CheckResult
	if answered && inner == "" {
		red, news = in.Check, both(news, s.checkedAgain())
	}
	s.Quiet++
	f.N++
	o.Stack, o.Block = s, reason(*f, news, in.Background, red)
	return o
}

func both(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}

// pop takes the top frame off because of end and returns a line about it for the
// frame below, to whose credit the inner work goes.
func (o *Outcome) pop(s *Stack, end ending, now time.Time) string {
	f := *s.top()
	o.letGo(*s, len(s.Frames)-1, end, now)
	s.Frames = s.Frames[:len(s.Frames)-1]
	s.top().Idle = 0
	o.Verdict = end.verdict
	o.tell("Inner loop " + verdictLine(f, end, now))
	return innerNews(f, end)
}

// over ends the loop with its last frame.
func (o Outcome) over(s Stack, end ending, now time.Time) Outcome {
	return o.and(endAll(s, end, now))
}

func (o Outcome) and(last Outcome) Outcome {
	o.Stack, o.Verdict = last.Stack, last.Verdict
	o.Errands, o.Said = append(o.Errands, last.Errands...), append(o.Said, last.Said...)
	o.tell(last.Notify)
	return o
}

func (o *Outcome) tell(text string) {
	if o.Notify != "" {
		o.Notify += "\n"
	}
	o.Notify += text
}

// endAll is the one way out of an active stack. It owns s.
func endAll(s Stack, end ending, now time.Time) Outcome {
	o := Outcome{Verdict: end.verdict}
	o.letGo(s, 0, end, now)
	s.UpdatedAt, s.Paused = now, nil
	s.Ended = &Ended{Verdict: end.verdict, Proven: end.proven, At: now, By: end.by, Note: end.note}
	text := "Loop " + verdictLine(s.Frames[0], end, now)
	if inner := s.nested(); inner > 0 {
		text += fmt.Sprintf(" Loops inside it that ended too: %d.", inner)
	}
	o.tell(text)
	o.Stack = s
	return o
}
