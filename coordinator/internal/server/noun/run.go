package noun

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/afar-sh/afar/coordinator/host"
	"github.com/afar-sh/afar/coordinator/host/agents"
	"github.com/afar-sh/afar/coordinator/internal/fleet"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/random"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/workplace"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/wall"
	"github.com/afar-sh/afar/coordinator/wire"
)

// Runs holds the settings of runs.
type Runs struct {
	Max   int    // turns at once
	Mode  string // of a run that names none; "" where runs are not supported
	Agent func(name string) (agents.Settings, error)
	Keeps func(ctx context.Context, p run.Place) (why string) // see runwork.Keeps
	// End ends the turns that go on, starts no more, and returns how many it ended; nil where there
	// are none.
	End func() int
	// Wall are the settings of walls.
	Wall wall.Settings
	// Open returns which process has a conversation open, in words, "" for none.
	Open func(conversation string) string
	// Find returns the directory of a conversation on the disk. ok is false if there is none.
	Find func(conversation string) (dir string, ok bool)
}

// agentOf returns an agent's settings and what it can do.
func (s *Server) agentOf(name string) (set agents.Settings, can host.Abilities, err error) {
	if set, err = s.cfg.Runs.Agent(name); err != nil {
		return set, can, door.BadRequest("%v", err)
	}
	if can, err = set.Abilities(); err != nil {
		return set, can, door.BadRequest("agent %.40q: %v", name, err)
	}
	return set, can, nil
}

// maxPrompt bounds the first prompt of a run, in bytes.
const maxPrompt = 256 << 10

// checkSupported returns an error where runs are not supported.
func (s *Server) checkSupported() error {
	if s.cfg.Runs.Mode == "" {
		return door.BadRequest("runs are not supported on Windows")
	}
	return nil
}

// runStart starts a run for the person. A session proposes one.
func (s *Server) runStart(c *door.Call, in wire.RunStartRequest) (out wire.Run, err error) {
	if in.Machine != "" {
		machine := in.Machine
		if in.Dir, err = s.placeOn(machine, in.Place); err != nil {
			return out, err
		}
		in.Machine, in.Place = "", ""
		return door.OrderOn(c, machine, wire.OpRunStart, in)
	}
	if v, _ := c.Author(); in.Dir == "" {
		in.Dir = v.Cwd
	}
	r, err := s.newRun(c.Ctx, c.Decider(), in, "")
	if err != nil {
		return out, err
	}
	if c.SessionAsks() {
		return s.propose(c, in, r)
	}
	m := message.Message{Key: "run:" + in.ID, Text: in.Prompt, By: r.By, Channel: c.Channel()}
	r, err = s.cfg.Core.StartRun(r, m)
	return s.wireRun(r), err
}

// newRun returns a run as a request wants it, and an error if no run can be like that. Every run begins here.
// A conversation goes on in it, or begins with the prompt for "".
func (s *Server) newRun(ctx context.Context, by string, in wire.RunStartRequest, conversation string) (
	r run.Run, err error,
) {
	if err := s.checkSupported(); err != nil {
		return r, err
	}
	if err := s.checkRun(&in); err != nil {
		return r, err
	}
	if err := s.checkPlace(ctx, in); err != nil {
		return r, err
	}
	if conversation == "" {
		conversation, err = random.UUID(), checkPrompt(in.Prompt)
	}
	r = run.Run{
		ID:           run.IDOf(in.ID),
		Name:         in.Name,
		Agent:        in.Agent,
		Dir:          filepath.Clean(in.Dir),
		Mode:         in.Mode,
		Model:        in.Model,
		Conversation: conversation,
		By:           by,
		About:        about(in.Prompt),
		Ephemeral:    in.Wait,
		Worktree:     in.Worktree,
		BudgetUSD:    in.BudgetUSD,
	}
	if in.ForMS > 0 {
		r.Until = time.Now().Add(time.Duration(in.ForMS) * time.Millisecond)
	}
	return r, err
}

func checkPrompt(prompt string) error {
	switch {
	case strings.TrimSpace(prompt) == "", !utf8.ValidString(prompt):
		return door.BadRequest("a prompt must not be empty, and must be UTF-8")
	case len(prompt) > maxPrompt:
		return door.BadRequest("a prompt has at most %d bytes, not %d; put it into a file and name the file", maxPrompt,
			len(prompt))
	}
	return nil
}

// checkRun fills in what a request leaves out, and returns an error if no run can be like that.
func (s *Server) checkRun(in *wire.RunStartRequest) error {
	in.Agent = cmp.Or(in.Agent, agents.Default)
	_, can, err := s.agentOf(in.Agent)
	if err != nil {
		return err
	}
	if in.Mode == "" {
		in.Mode = can.ModeLike(s.cfg.Runs.Mode)
	}
	info, err := os.Stat(in.Dir)
	switch {
	case len(in.ID) != 26 || strings.Trim(in.ID, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") != "":
		return door.BadRequest("a run needs an id of 26 letters and digits of its own")
	case !slices.Contains(can.Modes, in.Mode):
		return door.BadRequest("unknown mode %.40q of %s; want one of %q", in.Mode, in.Agent, can.Modes)
	case !filepath.IsAbs(in.Dir), err != nil, !info.IsDir():
		return door.BadRequest("%q is not a directory", in.Dir)
	}
	if err := checkLimits(in); err != nil {
		return err
	}
	if in.Name != "" {
		if err := run.CheckName(in.Name); err != nil {
			return door.BadRequest("%v", err)
		}
	}
	if err := host.CheckModel(in.Model); err != nil {
		return door.BadRequest("%v", err)
	}
	return nil
}

// checkPlace returns an error if a run wants a worktree and is in no repository that can have
// one.
func (s *Server) checkPlace(ctx context.Context, in wire.RunStartRequest) error {
	if !in.Worktree {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, workplace.GitFor)
	defer cancel()
	if _, err := s.cfg.Place.Git.Top(ctx, in.Dir); err != nil {
		return door.BadRequest("a worktree needs a git repository: %v", err)
	}
	return nil
}

// The bounds of the limits of a run.
const (
	maxBudget = 1e6
	minTime   = time.Second
	maxTime   = 366 * 24 * time.Hour
)

func checkLimits(in *wire.RunStartRequest) error {
	if !(in.BudgetUSD >= 0 && in.BudgetUSD <= maxBudget) {
		return door.BadRequest("a budget is an amount in US dollars, not %v", in.BudgetUSD)
	}
	if in.ForMS != 0 && (in.ForMS < minTime.Milliseconds() || in.ForMS > maxTime.Milliseconds()) {
		return door.BadRequest("a run works for between %s and a year", minTime)
	}
	return nil
}

func (s *Server) runs(_ *door.Call, in wire.RunsRequest) (wire.RunsReply, error) {
	if in.Most < 0 {
		return wire.RunsReply{}, door.BadRequest("a list has at most %d runs; want 1 or more, or 0 for all", in.Most)
	}
	some, all := s.cfg.Core.FirstRuns(cmp.Or(in.Most, math.MaxInt))
	theirs := mirrored[wire.Run](s, fleet.OfRun)
	if in.Machine != "" && in.Machine != s.cfg.Core.Fleet().Name {
		some, all = nil, 0
	}
	theirs = slices.DeleteFunc(theirs, func(r wire.Run) bool { return !r.On(in.Machine) })
	out := wire.RunsReply{Runs: append(wire.List(some, s.wireRun), theirs...)}
	if in.Most > 0 {
		out.All = all + len(theirs)
		out.Runs = out.Runs[:min(in.Most, len(out.Runs))]
	}
	return out, nil
}

// runShow shows a run as it is now: a runner that has died is noticed first.
func (s *Server) runShow(_ *door.Call, in wire.Named) (out wire.Run, err error) {
	if err := s.cfg.Core.Look(); err != nil {
		return out, err
	}
	r, err := s.runNamed(in.ID)
	if err != nil {
		return out, err
	}
	out = s.wireRun(r)
	if _, can, err := s.agentOf(r.Agent); err == nil { // an agent may have left the settings
		shown := wire.RunAbilities(can)
		out.Can = &shown
	}
	if w, err := wall.New(s.wallPlace(r), s.wallOf(r)); err == nil {
		stands := w.Shown()
		out.Stands = &stands
	}
	return out, nil
}

// runNamed returns the run with a name or an id; run:NAME is the same.
func (s *Server) runNamed(name string) (run.Run, error) {
	return s.cfg.Core.RunNamed(strings.TrimPrefix(name, wire.ToRun))
}

func (s *Server) runLog(c *door.Call, in wire.RunLogRequest) (out wire.RunLogReply, err error) {
	r, err := s.runNamed(in.ID)
	if err != nil {
		return out, err
	}
	var events []run.Event
	if in.Last > 0 {
		events, err = s.cfg.Core.RunLast(r.ID, in.Before, in.Last)
	} else {
		ctx, cancel := c.Wait(in.WaitMS)
		defer cancel()
		events, r, err = s.cfg.Core.RunLog(ctx, r.ID, in.After)
	}
	return wire.RunLogReply{Events: wire.List(events, wireRunEvent), State: string(r.State)}, err
}

func wireRunEvent(e run.Event) wire.RunEvent {
	w := wire.RunEvent{
		N:      e.N,
		Turn:   e.Fence,
		At:     wire.Millis(e.At),
		Kind:   string(e.Kind),
		Text:   e.Text,
		Tool:   e.Tool,
		Call:   e.Call,
		Of:     e.Of,
		Failed: e.Failed,
	}
	if e.Kind == run.ToolStart {
		w.Said = callText(e.Tool, []byte(e.Text))
	}
	return w
}

func (s *Server) runWait(c *door.Call, in wire.RunWaitRequest) (out wire.RunWaitReply, err error) {
	r, err := s.runNamed(in.ID)
	if err != nil {
		return out, err
	}
	ctx, cancel := c.Wait(in.WaitMS)
	defer cancel()
	r, err = s.cfg.Core.AwaitRun(ctx, r.ID, in.Take)
	return wire.RunWaitReply{Run: s.wireRun(r), Over: r.Settled()}, err
}

func (s *Server) runStop(c *door.Call, r run.Run) (out wire.Run, err error) {
	r, err = s.cfg.Core.StopRun(r.ID, c.Decider())
	return s.wireRun(r), err
}

func (s *Server) runRemove(c *door.Call, r run.Run) (out wire.Run, err error) {
	ctx, cancel := context.WithTimeout(c.Ctx, workplace.GitFor)
	defer cancel()
	keeps := s.cfg.Runs.Keeps(ctx, r.Place)
	r, err = s.cfg.Core.RemoveRun(r.ID, c.Decider())
	out = s.wireRun(r)
	out.Keeps = keeps
	return out, err
}

// runTurn gives a runner its turn.
func (s *Server) runTurn(c *door.Call, in wire.RunTurnRequest) (out wire.RunTurnReply, err error) {
	words := wall.Words(s.cfg.Runs.Wall)
	if !in.Walls {
		words = "its runner is of an earlier version"
	}
	r, err := s.cfg.Core.DriveTurn(run.ID(in.ID), in.Turn, c.Process(), words)
	if err != nil {
		return out, err
	}
	if out, err = s.turnOf(r); err == nil && r.HadWall() {
		out.Wall = s.wallOf(r)
	}
	return out, err
}

// turnOf returns how the agent goes on with the conversation of r.
func (s *Server) turnOf(r run.Run) (out wire.RunTurnReply, err error) {
	set, _, err := s.agentOf(r.Agent)
	if err != nil {
		return out, err
	}
	times := s.cfg.Core.Rules().RunTimes
	return wire.RunTurnReply{
		Agent:        r.Agent,
		Protocol:     set.Protocol,
		Thread:       r.Thread,
		ThreadAt:     wire.Millis(r.ThreadAt),
		Command:      set.Command,
		EnvFile:      set.EnvFile,
		Dir:          r.Dir,
		Conversation: r.Conversation,
		Resumes:      r.Turn.Resumes,
		Mode:         r.Mode,
		Model:        r.Model,
		Prompt:       r.Turn.Prompt,
		Seq:          r.Turn.Seq,
		BudgetUSD:    s.cfg.Core.LeftFor(r),
		SilenceMS:    times.Silence.Milliseconds(),
		EndingMS:     times.Ending.Milliseconds(),
		LeavingMS:    times.Leaving.Milliseconds(),
		Stop:         r.Turn.Ending(),
		WebAddr:      strings.TrimPrefix(s.cfg.Page.URL(), "http://"),
		Servers:      s.cfg.Modules.Servers(),
	}, nil
}

// runEvents records what an agent did. Its texts are masked before they are stored.
func (s *Server) runEvents(_ *door.Call, in wire.RunEventsRequest) (out wire.RunEventsReply, err error) {
	var events []run.Event
	if err := json.Unmarshal(in.Events, &events); err != nil {
		return out, door.BadRequest("the events of a turn: %v", err)
	}
	for i := range events {
		events[i].Text, events[i].Tool = redact.Clean(events[i].Text), redact.Clean(events[i].Tool)
	}
	out.Seq, err = s.cfg.Core.HearTurn(run.ID(in.ID), in.Turn, in.From, events)
	return out, err
}

// runClock says whether a turn whose clock ran out waits for a person, or for its loop.
func (s *Server) runClock(_ *door.Call, in wire.RunTurnRequest) (out wire.RunClockReply, err error) {
	r, err := s.cfg.Core.RunByID(run.ID(in.ID))
	out.Waits = r.State == run.Waiting || s.cfg.Core.LoopHolds(r)
	return out, err
}

func (s *Server) runEnd(_ *door.Call, in wire.RunEndRequest) (out wire.None, err error) {
	var e run.End
	if err := json.Unmarshal(in.End, &e); err != nil {
		return out, door.BadRequest("the end of a turn: %v", err)
	}
	e.Words, e.Refused, e.Lacks = redact.Clean(e.Words), redact.Clean(e.Refused), redact.Clean(e.Lacks)
	s.lookInto(run.ID(in.ID), &e)
	return out, s.cfg.Core.EndTurn(run.ID(in.ID), in.Turn, e)
}

// lookInto says of a turn that breaks off with e whether its conversation exists, and whether that
// has what was handed over, as far as the transcript tells.
func (s *Server) lookInto(id run.ID, e *run.End) {
	e.Arrived = map[string]bool{}
	transcript, taken := s.cfg.Core.Handovers(id, *e)
	if transcript != "" && s.cfg.Discard(transcript) {
		e.Lost = true
	}
	for _, h := range taken {
		switch {
		case e.Lost:
			e.Arrived[h.Delivery] = false
		case transcript != "":
			if held, ok := s.cfg.Holds(transcript, h.Text, h.At); ok {
				e.Arrived[h.Delivery] = held
			}
		}
	}
}

func (s *Server) wireRun(r run.Run) wire.Run {
	w := wire.Run{
		ID:           string(r.ID),
		Name:         r.Name,
		Agent:        r.Agent,
		State:        string(r.State),
		Since:        wire.Millis(r.Since),
		Dir:          r.Dir,
		Mode:         r.Mode,
		Model:        r.Model,
		Conversation: r.Conversation,
		Thread:       r.Thread,
		Parent:       s.parentOf(r),
		Depth:        r.Depth,
		Turns:        r.Turns,
		StartedAt:    wire.Millis(r.StartedAt),
		CostUSD:      r.CostUSD,
		Tokens:       r.Tokens,
		About:        strings.TrimPrefix(r.Trigger+": "+r.About, ": "),
		LastText:     r.LastText,
		Result:       r.Result,
		Ask:          r.Ask,
		Why:          r.Why,
		Lacks:        r.Lacks,
		By:           r.By,
		Events:       r.Events,
		Worktree:     r.Place.Path,
		Branch:       r.Place.Branch,
		Base:         r.Place.Base,
		BudgetUSD:    r.BudgetUSD,
		Until:        wire.Millis(r.Until),
		Wall:         r.Wall,
		WallStops:    r.WallStops,
	}
	if r.State == run.Starting {
		w.Why = s.startsLater(r)
	}
	switch {
	case r.Busy():
		w.PID = r.Turn.Runner.PID
	case r.State == run.Taken:
		w.HeldBy = r.Taker.By
	}
	if now := r.Now(); now.Tool != "" {
		w.Doing, w.DoingSince = about(now.Tool+" "+callLine(now.Tool, []byte(now.Input))), wire.Millis(now.At)
	}
	if r.ID != "" {
		w.Waiting = s.cfg.Core.WaitingFor(r)
	}
	return w
}

// startsLater says why the agent of a turn that has begun does not start yet, and when it does, ""
// if it starts now.
func (s *Server) startsLater(r run.Run) string {
	set, _, err := s.agentOf(r.Agent)
	if err != nil {
		return "" // the runner says so
	}
	adapter, err := agents.Speaking(set.Protocol)
	if err != nil {
		return ""
	}
	start, err := adapter.Start(host.Turn{
		Conversation: r.Conversation,
		Thread:       r.Thread,
		ThreadAt:     r.ThreadAt,
		Resumes:      r.Turn.Resumes,
		Mode:         r.Mode,
		Model:        r.Model,
		Dir:          r.Dir,
		Program:      set.Program(),
	})
	if err != nil || !start.NotBefore.After(time.Now()) {
		return ""
	}
	return start.Waits + ", so the turn starts at " + start.NotBefore.Local().Format("15:04")
}
