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
	return []wake.Part{ofSession(session.ID(after.Session))}
}

func (s *draft) expireLoop(l loop.Stack) {
	s.putLoop(session.ID(l.Session), loop.Expire(l, s.now))
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
	c.view(func(s *state, _ time.Time) {
		r, runs := s.runs.byConversation.One(string(id))
		switch v := s.sessions.Rows[id]; {
		case runs:
			when = s.runBegins(r)
		case v.State == session.Ended:
			when = BeginsResumed
		case s.settings.Paused:
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
func (s *state) runBegins(r run.Run) string {
	switch {
	case s.settings.Paused:
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
	err = c.do(func(s *draft) (err error) {
		intro, err = s.beginLoop(id, frame, o)
		return err
	})
	return intro, err
}

// beginLoop begins a loop in a session and returns what the model is told.
func (s *draft) beginLoop(id session.ID, frame string, o loop.Options) (intro string, err error) {
	out, err := loop.Start(s.loops.Rows[id], string(id), frame, o, s.now)
	if err != nil {
		return "", err
	}
	intro = loop.Intro(out.Stack)
	s.keepGoal(out.Stack, o.Task)
	s.resetTools(id)
	s.putLoop(id, out)
	return intro, nil
}

// keepGoal has the whole goal of the frame at work kept as a file: the loop itself holds
// its beginning.
func (s *draft) keepGoal(l loop.Stack, goal string) {
	if f, ok := l.Top(); ok {
		s.keepFrameGoal(session.ID(l.Session), f, goal)
	}
}

func (s *draft) keepFrameGoal(id session.ID, f loop.Frame, goal string) {
	if name := f.GoalFile(); name != "" {
		s.keepText(id, name, goal)
	}
}

// Terminal is the channel of a person at a terminal.
const Terminal = "terminal"

// CancelLoop ends the loop of a session. by says who wanted it, and channel where a person did;
// it is empty for a session. A person who does it at the terminal with away off gets no notice
// on a channel.
func (c *Core) CancelLoop(id session.ID, by, channel string) error {
	return c.do(func(s *draft) (err error) {
		out, err := loop.Cancel(s.loops.Rows[id], by, s.now)
		if err != nil {
			return err
		}
		if channel == Terminal && s.mode(id, s.now) == session.Off {
			out.Notify = "" // the person is at the terminal and knows
		}
		s.putLoop(id, out)
		return nil
	})
}

// putLoop records a step of a loop: its state, the journal, the markdown and the notice.
func (s *draft) putLoop(id session.ID, out loop.Outcome) {
	s.loops.Put(s.b, out.Stack)
	token := s.label(id)
	kind, text := event.LoopStepped, token+": "+redact.Mask(folded(stepText(out)))
	switch before := s.loops.Rows[id]; {
	case !out.Stack.Active():
		kind = event.LoopEnded
	case !before.Active(), len(out.Stack.Frames) > len(before.Frames):
		kind = event.LoopStarted
	}
	s.record(kind, id, token, text)
	s.tellTopics(id, kind, out)
	s.sendErrands(id, out)
	if !out.Stack.Active() {
		s.hasten("loop", id) // older notices must come before that of the end
	}
	if out.Notify != "" {
		s.notify(loopNotice(out, s.now), id, channel.News{Kind: loopNews(out.Stack), Of: token, What: out.Notify})
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

func (s *draft) touchLoop(id session.ID) {
	if l := s.loops.Rows[id]; l.Active() {
		s.loops.Put(s.b, loop.Touch(l, s.now))
	}
}

// typedInLoop records that a person typed. The prompt interrupts a running check.
func (s *draft) typedInLoop(id session.ID) {
	l := s.loops.Rows[id]
	if !l.Active() {
		return
	}
	l = loop.Touch(l, s.now)
	if interrupted, err := loop.Interrupt(l, s.now); err == nil { // else no check runs
		l = interrupted
	}
	s.loops.Put(s.b, l)
}

func (s *draft) resetTools(id session.ID) {
	if v, ok := s.sessions.Rows[id]; ok {
		v.Tools = 0
		s.sessions.Put(s.b, v)
	}
}

// Loop returns the loop of a session, or the zero Stack.
func (c *Core) Loop(id session.ID) (l loop.Stack) {
	c.view(func(s *state, _ time.Time) { l = s.loops.Rows[id] })
	return l
}

// Loops returns the newest loop of each session, the running ones first, newest first.
func (c *Core) Loops() []loop.Stack {
	var out []loop.Stack
	c.view(func(s *state, _ time.Time) {
		for _, l := range s.loops.Rows {
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
	if err := errors.Join(err, c.report(bad)); err != nil {
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
	return c.do(func(s *draft) (err error) {
		l, until := s.loops.Rows[id], time.Time{}
		if !l.Active() {
			return nil
		}
		if v := s.sessions.Rows[id]; retry && v.Interactive() {
			until = loop.Retry(l, s.cfg.Rules.RetryAfter, s.now)
		}
		out, err := loop.Limit(l, note, until, s.now)
		if err == nil {
			s.putLoop(id, out)
		}
		return err
	})
}

// printRest is the longest time that a print session rests. Its client does not notice the
// end of a shell before our background hook has ended.
const printRest = 20 * time.Second

// EditLoop applies what a person wrote into the loop.md of a session.
func (c *Core) EditLoop(id session.ID, page string) error {
	return c.do(func(s *draft) error {
		l, changed := loop.Edit(s.loops.Rows[id], page, s.now)
		if len(changed) > 0 {
			s.loops.Put(s.b, l)
			s.edited(id, l, changed)
			s.markdown(id, "loop.md")
		}
		return nil
	})
}

// edited records which frames of a loop have a new goal.
func (s *draft) edited(id session.ID, l loop.Stack, frames []string) {
	for _, f := range l.Frames {
		if slices.Contains(frames, f.ID) {
			s.keepFrameGoal(id, f, f.Goal)
		}
	}
	token := s.token(id)
	text := fmt.Sprintf("%s: the person changed the goal in loop.md, of frame %s", token, strings.Join(frames, ", "))
	s.record(event.LoopEdited, id, token, text)
}

// SeeTree records the digest of the work tree of a session's loop.
func (c *Core) SeeTree(id session.ID, tree string) error {
	return c.do(func(s *draft) error {
		l := loop.Saw(s.loops.Rows[id], tree)
		before, _ := s.loops.Rows[id].Top()
		if after, _ := l.Top(); after.Tree != before.Tree {
			s.loops.Put(s.b, l)
		}
		return nil
	})
}

// SetAnchor records the text that a session needs after a compaction.
func (c *Core) SetAnchor(id session.ID, facts loop.AnchorFacts) error {
	return c.do(func(s *draft) error {
		v, ok := s.sessions.Rows[id]
		if !ok {
			return nil
		}
		v.Anchor, v.AnchorAt, v.AnchorOf = loop.Anchor(s.loops.Rows[id], facts, s.now), s.now, s.running(id)
		s.sessions.Put(s.b, v)
		if v.Anchor != "" {
			s.markdown(id, "anchor.md")
		}
		return nil
	})
}

// running names the loop that runs in a session, "" for none.
func (s *state) running(id session.ID) string {
	if l := s.loops.Rows[id]; l.Active() {
		return l.RunID
	}
	return ""
}

// Anchor returns the text for a session after a compaction or a resume. The last recorded
// anchor counts as long as the person has typed nothing since and the loop is the same.
// Otherwise, Anchor makes the anchor of a running loop from facts.
func (c *Core) Anchor(id session.ID, facts loop.AnchorFacts) (text string) {
	c.view(func(s *state, now time.Time) {
		v, l := s.sessions.Rows[id], s.loops.Rows[id]
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
