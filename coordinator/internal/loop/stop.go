package loop

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/usage"
)

// Stopping holds the facts about a session that wants to stop.
type Stopping struct {
	// ID names this stop. A repeated stop gets the same answer. If ID is empty, every
	// call is a new stop.
	ID string
	// FirstOfTurn is true if no Stop hook has blocked in this turn. The block before was then
	// lost, or the person interrupted what followed it.
	FirstOfTurn bool

	Message    string       // the host's last_assistant_message
	Tools      int          // tool calls since the last stop
	Tree       string       // digest of the work tree; empty if unknown; not needed if there was a tool call
	Spent      usage.Sum    // since the last stop
	Read       int64        // how much of the transcript was read for Spent
	DayOver    string       // says that the day's budget for all loops is spent; empty if it is not
	Background []string     // the running background shells, which the reason lists
	Check      *CheckResult // the result of the Check of the last Outcome
}

// An ending says why a frame ends. A zero verdict means that the frame goes on.
type ending struct {
	verdict Verdict
	proven  bool
	by      string
	note    string
}

// Stop is called when the session wants to stop. What the session says comes first (done,
// stuck), then the limits of time, money, iterations and progress. When a frame ends, its
// outer frame goes on.
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
		o.Stack.Last = nil // the hook repeats this stop and then needs another answer
	}
	return o, nil
}

// stop is Stop for a stack that it owns.
func stop(s Stack, in Stopping, now time.Time) Outcome {
	stale, late := s.stale(now), s.staleEnding()
	f := s.top()
	answered := in.Check != nil && s.Checking(in.Check.Frame)
	if !answered {
		if o, done := s.stopIssue(in, now); done {
			return o
		}
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
		return o.followedBy(endAll(s, late, now))
	default:
		return o.goOn(s, in, answered, now)
	}
	return o.unwind(s, end, in, answered, now)
}

// goOn lets the session go on, unless a limit is reached: that of the day, of the top frame
// or of an issue frame.
func (o Outcome) goOn(s Stack, in Stopping, answered bool, now time.Time) Outcome {
	if in.DayOver != "" {
		return o.followedBy(endAll(s, ending{verdict: OverBudget, note: in.DayOver}, now))
	}
	end := s.top().limits(now)
	if at, over := s.overLimit(now); at >= 0 {
		o.releaseFrom(s, at+1, over, now)
		s.Frames, end = s.Frames[:at+1], over
	}
	return o.unwind(s, end, in, answered, now)
}

// account records what happened since the last stop. It is not called for a stop that
// only brings the result of a check: that stop belongs to the iteration before.
func (s *Stack) account(in Stopping) {
	f := s.top()
	if f.N > 0 { // the turn before the first block does not count as an iteration
		f.Idle++
	}
	if known := in.Tree != "" && f.Tree != ""; known && in.Tree != f.Tree {
		f.Idle = 0
	}
	if in.Tools > 0 {
		s.Quiet, f.Idle = 0, 0
	}
	s.spend(in.Spent)
	s.Read = in.Read
	s.saw(in.Tree)
}

// Saw records the digest of the work tree, for comparison at the next stop. It ignores an
// empty digest.
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

// said returns the ending that the session, or the result of the check, asks for. It sets
// Checking if the check must run first.
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

// limits returns the ending for a frame that has reached one of its limits.
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
		return ending{} // the other limits apply to each issue
	case f.N >= f.Max:
		return ending{verdict: Capped, note: "all iterations are used up"}
	case f.Idle >= stuckAfter:
		return ending{verdict: Stuck, note: "3 iterations without a tool call or a change of the tree"}
	case f.Red >= stuckAfter:
		return ending{verdict: Stuck, note: "the check gave the same output 3 times"}
	}
	return ending{}
}

// unwind removes ended frames from the stack until one may go on, and blocks for it.
func (o Outcome) unwind(s Stack, end ending, in Stopping, answered bool, now time.Time) Outcome {
	inner := ""
	for end.verdict != "" {
		if at := s.owner(); at >= 0 && at < len(s.Frames)-1 {
			return o.handIn(s, at, end, now)
		}
		if len(s.Frames) == 1 {
			return o.followedBy(endAll(s, end, now))
		}
		inner = o.pop(&s, end, now)
		end = s.top().limits(now)
	}
	if s.Quiet >= hostPatience {
		note := "the host ends a turn after 8 blocks without a tool call"
		return o.followedBy(endAll(s, ending{verdict: Capped, note: note}, now))
	}
	f := s.top()
	news := joinLines(inner, f.unproven(in), f.Tell)
	if s.Waits() { // for an errand that was started below an inner loop
		f.Tell, f.Told, o.Stack, o.Wait = news, "", s, s.waiting()
		return o
	}
	f.Tell, f.Told = "", joinLines(f.unproven(in), f.Tell)
	var red *CheckResult
	if answered && inner == "" {
		red, news = in.Check, joinLines(news, s.checkedAgain())
	}
	s.Quiet++
	f.N++
	o.Stack, o.Block = s, reason(*f, news, in.Background, red)
	return o
}

// unproven returns the news of the last block if the session may not have received it: the
// host drops the block if the person presses Esc before the hook has ended.
func (f *Frame) unproven(in Stopping) string {
	if in.FirstOfTurn {
		return f.Told
	}
	return ""
}

// joinLines joins the texts that are not empty.
func joinLines(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "\n")
}

// pop removes the top frame because of end. It returns a line about it for the outer
// frame, for which the inner work counts as progress.
func (o *Outcome) pop(s *Stack, end ending, now time.Time) string {
	f := *s.top()
	o.releaseFrom(*s, len(s.Frames)-1, end, now)
	s.Frames = s.Frames[:len(s.Frames)-1]
	s.top().Idle = 0
	o.Verdict = end.verdict
	o.tell("Inner loop " + verdictLine(f, end, now))
	return innerNews(f, end)
}

// followedBy returns o with the effects of the step that came after it.
func (o Outcome) followedBy(last Outcome) Outcome {
	o.Stack, o.Verdict = last.Stack, last.Verdict
	o.Errands, o.IssueLines = append(o.Errands, last.Errands...), append(o.IssueLines, last.IssueLines...)
	o.tell(last.Notify)
	return o
}

func (o *Outcome) tell(text string) { o.Notify = joinLines(o.Notify, text) }

// endAll ends the whole loop. Every end of a loop goes through it. It owns s.
func endAll(s Stack, end ending, now time.Time) Outcome {
	o := Outcome{Verdict: end.verdict}
	o.releaseFrom(s, 0, end, now)
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
