package core

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/wake"
	"github.com/afar-sh/afar/coordinator/redact"
)

// loopDue returns when time changes a loop.
func loopDue(l loop.Stack, _ time.Time) time.Time { return l.Next() }

func loopParts(_, after loop.Stack) []wake.Part {
	return []wake.Part{OfSession(session.ID(after.Session))}
}

func (s *Draft) expireLoop(l loop.Stack) {
	s.PutLoop(session.ID(l.Session), loop.Expire(l, s.Now))
}

// StartLoop begins a loop in a session and returns what the model is told.
func (c *Core) StartLoop(id session.ID, o loop.Options) (intro string, err error) {
	return c.startLoop(id, c.cfg.Secret()[:8], o)
}

// The answers of LoopBegins.
const (
	BeginsNow      = "now"      // it is idle, and woken
	BeginsStop     = "stop"     // when it next stops
	BeginsPrompted = "prompt"   // it is idle and nothing waits to wake it now: with its next prompt
	BeginsResumed  = "resumed"  // it has ended
	BeginsUnpaused = "unpaused" // Afar is paused
)

// LoopBegins says when the session begins with a loop that was started from outside.
func (c *Core) LoopBegins(id session.ID) (when string) {
	if err := c.Look(); err != nil {
		c.cfg.Log.Error("look who waits to wake a session", "err", err)
	}
	c.View(func(s *State, _ time.Time) {
		r, runs := s.Runs.ByConversation.One(string(id))
		switch v := s.Sessions.Rows[id]; {
		case runs:
			when = s.runBegins(r)
		case v.State == session.Ended:
			when = BeginsResumed
		case s.Settings.Paused:
			when = BeginsUnpaused
		case s.wakeable(v):
			when = BeginsNow
		case v.State == session.Idle:
			when = BeginsPrompted
		default:
			when = BeginsStop
		}
	})
	return when
}

// runBegins says when a run begins with a loop that was started from outside.
func (s *State) runBegins(r run.Run) string {
	switch {
	case s.Settings.Paused:
		return BeginsUnpaused
	case r.State == run.Taken:
		return BeginsPrompted
	case r.Busy() && r.State != run.Starting: // a turn that starts is told of it
		return BeginsStop
	}
	return BeginsNow
}

// StartTypedLoop is StartLoop for a prompt of the host's. The same prompt again
// finds the loop that it started: its hook asks twice when we die before it has
// our reply. A host that does not name its prompts gets StartLoop.
func (c *Core) StartTypedLoop(id session.ID, prompt string, o loop.Options) (intro string, err error) {
	if prompt == "" {
		return c.StartLoop(id, o)
	}
	sum := sha256.Sum256([]byte(prompt))
	intro, err = c.startLoop(id, hex.EncodeToString(sum[:4]), o)
	if errors.Is(err, loop.ErrID) {
		return loop.Intro(c.Loop(id)), nil
	}
	return intro, err
}

func (c *Core) startLoop(id session.ID, frame string, o loop.Options) (intro string, err error) {
	err = c.Do(func(s *Draft) (err error) {
		intro, err = s.beginLoop(id, frame, o)
		return err
	})
	return intro, err
}

// beginLoop begins a loop in a session and returns what the model is told.
func (s *Draft) beginLoop(id session.ID, frame string, o loop.Options) (intro string, err error) {
	out, err := loop.Start(s.Loops.Rows[id], string(id), frame, o, s.Now)
	if err != nil {
		return "", err
	}
	intro = loop.Intro(out.Stack)
	s.keepGoal(out.Stack, o.Task)
	s.resetTools(id)
	s.PutLoop(id, out)
	return intro, nil
}

// keepGoal has the whole goal of the frame at work kept as a file: the loop itself holds
// its beginning.
func (s *Draft) keepGoal(l loop.Stack, goal string) {
	if f, ok := l.Top(); ok {
		s.keepFrameGoal(session.ID(l.Session), f, goal)
	}
}

func (s *Draft) keepFrameGoal(id session.ID, f loop.Frame, goal string) {
	if name := f.GoalFile(); name != "" {
		s.KeepText(id, name, goal)
	}
}

// Terminal is the channel of a person at a terminal.
const Terminal = "terminal"

// CancelLoop ends the loop of a session. by says who wanted it, and channel where a person did;
// it is empty for a session. A person who does it at the terminal with away off gets no notice
// on a channel.
func (c *Core) CancelLoop(id session.ID, by, channel string) error {
	return c.Do(func(s *Draft) (err error) {
		out, err := loop.Cancel(s.Loops.Rows[id], by, s.Now)
		if err != nil {
			return err
		}
		if channel == Terminal && s.Mode(id, s.Now) == session.Off {
			out.Notify = "" // the person is at the terminal and knows
		}
		s.PutLoop(id, out)
		return nil
	})
}

// PutLoop records a step of a loop: its state, the journal, the markdown and the notice.
func (s *Draft) PutLoop(id session.ID, out loop.Outcome) {
	s.Loops.Put(s.Batch, out.Stack)
	token := s.Label(id)
	kind, text := event.LoopStepped, token+": "+redact.Mask(Folded(stepText(out)))
	switch before := s.Loops.Rows[id]; {
	case !out.Stack.Active():
		kind = event.LoopEnded
	case !before.Active(), len(out.Stack.Frames) > len(before.Frames):
		kind = event.LoopStarted
	}
	s.Record(kind, id, token, text)
	s.tellTopics(id, kind, out)
	s.SendErrands(id, out)
	if !out.Stack.Active() {
		s.hasten("loop", id) // older notices must come before that of the end
	}
	if out.Notify != "" {
		s.Notify(loopNotice(out, s.Now), id, channel.News{Kind: loopNews(out.Stack), Of: token, What: out.Notify})
	}
	s.markdown(id, "loop.md")
	s.wakeRun(id, loop.Wake)
}

// loopNews returns the kind of news for a loop as it is: one that has ended says how in its sign.
func loopNews(l loop.Stack) channel.NewsKind {
	switch {
	case l.Ended == nil:
		return channel.LoopSays
	case l.Ended.Verdict == loop.Done:
		return channel.LoopDone
	case l.Ended.Verdict == loop.Cancelled:
		return channel.LoopEnded
	}
	return channel.LoopFailed
}

// loopNotice returns the kind of a loop's notice. Each end of a loop is a kind of its own,
// so that it is never grouped with other notices.
func loopNotice(out loop.Outcome, now time.Time) string {
	if !out.Stack.Active() {
		return fmt.Sprintf("loop-ended-%d", now.UnixNano())
	}
	return "loop"
}

func stepText(out loop.Outcome) string {
	switch {
	case !out.Stack.Active() && out.Verdict != "":
		return "loop ended: " + out.Stack.Ending()
	case out.Verdict == loop.Limited:
		return "loop paused: " + string(out.Verdict)
	case out.Verdict != "":
		return "inner loop ended: " + string(out.Verdict)
	}
	return "loop " + loop.Step(out.Stack)
}

func (s *Draft) touchLoop(id session.ID) {
	if l := s.Loops.Rows[id]; l.Active() {
		s.Loops.Put(s.Batch, loop.Touch(l, s.Now))
	}
}

// typedInLoop records that a person typed. The prompt interrupts a running check.
func (s *Draft) typedInLoop(id session.ID) {
	l := s.Loops.Rows[id]
	if !l.Active() {
		return
	}
	l = loop.Touch(l, s.Now)
	if interrupted, err := loop.Interrupt(l, s.Now); err == nil { // else no check runs
		l = interrupted
	}
	s.Loops.Put(s.Batch, l)
}

func (s *Draft) resetTools(id session.ID) {
	if v, ok := s.Sessions.Rows[id]; ok {
		v.Tools = 0
		s.Sessions.Put(s.Batch, v)
	}
}

// Loop returns the loop of a session, or the zero Stack.
func (c *Core) Loop(id session.ID) (l loop.Stack) {
	c.View(func(s *State, _ time.Time) { l = s.Loops.Rows[id] })
	return l
}

// Loops returns the newest loop of each session, the running ones first, newest first.
func (c *Core) Loops() []loop.Stack {
	var out []loop.Stack
	c.View(func(s *State, _ time.Time) {
		for _, l := range s.Loops.Rows {
			out = append(out, l)
		}
	})
	sortLoops(out)
	return out
}

// sortLoops puts the running ones first, and then the newest.
func sortLoops(loops []loop.Stack) {
	sort.SliceStable(loops, func(i, j int) bool {
		if a, b := loops[i].Active(), loops[j].Active(); a != b {
			return a
		}
		return loops[i].UpdatedAt.After(loops[j].UpdatedAt)
	})
}

// mostPastLoops bounds the ended loops of a list.
const mostPastLoops = 100

// AllLoops returns Loops and the ones that ended before the newest of their session, the
// running ones first, newest first.
func (c *Core) AllLoops() ([]loop.Stack, error) {
	past, bad, err := c.cfg.Store.PastLoops(mostPastLoops)
	if err := errors.Join(err, c.ReportBad(bad)); err != nil {
		return nil, err
	}
	out := c.Loops()
	for _, p := range past {
		same := func(l loop.Stack) bool { return l.Session == p.Session && l.RunID == p.RunID }
		if !slices.ContainsFunc(out, same) {
			out = append(out, p)
		}
	}
	sortLoops(out)
	return out, nil
}

// LimitLoop records that the provider refused. The loop pauses and tells the person. With
// retry it is tried again by itself, which needs a session with a hook that can wake it.
func (c *Core) LimitLoop(id session.ID, note string, retry bool) error {
	return c.Do(func(s *Draft) (err error) {
		l, until := s.Loops.Rows[id], time.Time{}
		if !l.Active() {
			return nil
		}
		if v := s.Sessions.Rows[id]; retry && v.Interactive() {
			until = loop.Retry(l, s.Cfg.Rules.RetryAfter, s.Now)
		}
		out, err := loop.Limit(l, note, until, s.Now)
		if err == nil {
			s.PutLoop(id, out)
		}
		return err
	})
}

// printRest is the longest time that a print session rests. Its client does not notice the
// end of a shell before our background hook has ended.
const printRest = 20 * time.Second

// EditLoop applies what a person wrote into the loop.md of a session.
func (c *Core) EditLoop(id session.ID, page string) error {
	return c.Do(func(s *Draft) error {
		l, changed := loop.Edit(s.Loops.Rows[id], page, s.Now)
		if len(changed) > 0 {
			s.Loops.Put(s.Batch, l)
			s.edited(id, l, changed)
			s.markdown(id, "loop.md")
		}
		return nil
	})
}

// edited records which frames of a loop have a new goal.
func (s *Draft) edited(id session.ID, l loop.Stack, frames []string) {
	for _, f := range l.Frames {
		if slices.Contains(frames, f.ID) {
			s.keepFrameGoal(id, f, f.Goal)
		}
	}
	token := s.Token(id)
	text := fmt.Sprintf("%s: the person changed the goal in loop.md, of frame %s", token, strings.Join(frames, ", "))
	s.Record(event.LoopEdited, id, token, text)
}

// SeeTree records the digest of the work tree of a session's loop.
func (c *Core) SeeTree(id session.ID, tree string) error {
	return c.Do(func(s *Draft) error {
		l := loop.Saw(s.Loops.Rows[id], tree)
		before, _ := s.Loops.Rows[id].Top()
		if after, _ := l.Top(); after.Tree != before.Tree {
			s.Loops.Put(s.Batch, l)
		}
		return nil
	})
}

// SetAnchor records the text that a session needs after a compaction.
func (c *Core) SetAnchor(id session.ID, facts loop.AnchorFacts) error {
	return c.Do(func(s *Draft) error {
		v, ok := s.Sessions.Rows[id]
		if !ok {
			return nil
		}
		v.Anchor, v.AnchorAt, v.AnchorOf = loop.Anchor(s.Loops.Rows[id], facts, s.Now), s.Now, s.running(id)
		s.Sessions.Put(s.Batch, v)
		if v.Anchor != "" {
			s.markdown(id, "anchor.md")
		}
		return nil
	})
}

// running names the loop that runs in a session, "" for none.
func (s *State) running(id session.ID) string {
	if l := s.Loops.Rows[id]; l.Active() {
		return l.RunID
	}
	return ""
}

// Anchor returns the text for a session after a compaction or a resume. The last recorded
// anchor counts as long as the person has typed nothing since and the loop is the same.
// Otherwise, Anchor makes the anchor of a running loop from facts.
func (c *Core) Anchor(id session.ID, facts loop.AnchorFacts) (text string) {
	c.View(func(s *State, now time.Time) {
		v, l := s.Sessions.Rows[id], s.Loops.Rows[id]
		moved := v.TypedAt.After(v.AnchorAt) || l.Active() && l.UpdatedAt.After(v.AnchorAt)
		switch {
		case v.Anchor != "" && !moved && v.AnchorOf == s.running(id):
			text = v.Anchor
		case l.Active():
			text = loop.Anchor(l, facts, now)
		}
	})
	return text
}
