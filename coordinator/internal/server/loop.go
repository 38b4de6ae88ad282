package server

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/fleet"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/random"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/wire"
)

// expand handles Afar's slash commands. For a command that needs no model, the reply
// blocks the prompt and says what was done.
func (s *Server) expand(c *call, in wire.ExpandRequest) (out wire.ExpandReply, err error) {
	p, err := s.hookCall(c, in.HookCall, "")
	if err != nil {
		return out, err
	}
	command := strings.TrimPrefix(p.Command, "afar:")
	// A cancel must always work. A bundled /loop is the host's own command.
	if in.Off && command != "cancel" || p.CommandFrom == "bundled" {
		return out, nil
	}
	if s.callers.Nested(c.line, in.Client) {
		return blocked("Afar's commands are a person's: this client was started from inside a session"), nil
	}
	if why := s.callers.Unattended(c.line, p.Session); why != "" && command != "cancel" && command != "status" {
		s.refused(c.op, "/afar:"+command+" came to a background session and not from a person's terminal")
		return blocked(why), nil
	}
	switch command {
	case "loop":
		return s.loopTyped(c, p)
	case "cancel":
		return s.cancelTyped(c, p)
	case "away":
		return s.awayTyped(p)
	case "review":
		return s.reviewTyped(c, p)
	case "status":
		return blocked(s.brief()), nil
	}
	return out, nil
}

func blocked(text string) wire.ExpandReply { return wire.ExpandReply{Block: true, Reason: text} }

func (s *Server) loopTyped(c *call, p payload) (out wire.ExpandReply, err error) {
	if s.cfg.Core.Settings().Paused {
		return blocked("Afar is paused: `afar resume` in a terminal of your own first"), nil
	}
	v, err := s.cfg.Core.Session(string(p.Session))
	if err != nil {
		return out, err
	}
	opts, err := s.cfg.Place.Options(c.ctx, p.CommandArgs, v)
	if err != nil {
		return blocked(err.Error()), nil
	}
	if opts.Every != "" {
		return wire.ExpandReply{Context: scheduleText(opts)}, nil
	}
	intro, err := s.cfg.Core.StartTypedLoop(p.Session, p.PromptID, opts)
	if err != nil {
		return blocked(err.Error()), nil
	}
	if opts.Repo != "" {
		return s.firstIssue(c, p)
	}
	return wire.ExpandReply{Context: intro}, nil
}

// newLoop returns what a session is told of a loop that was started from outside, "" for
// nothing. With a typed prompt it returns "": the prompt comes first, and the session is
// told of the loop at its next stop.
func (s *Server) newLoop(id session.ID, typed bool) (intro string, err error) {
	switch l := s.cfg.Core.Loop(id); {
	case typed, !l.Active(), !l.Unheard, l.Waits():
		return "", nil
	}
	return s.cfg.Core.IntroduceLoop(id)
}

// scheduleText returns what the model is told of a loop by the clock. The host's own tools
// schedule such a loop.
func scheduleText(o loop.Options) string {
	return fmt.Sprintf("The person wants this done every %s, by the clock. "+
		"Schedule it with the CronCreate tool, or with ScheduleWakeup where that is absent. "+
		"If you have neither, say so plainly and do it once. No loop of Afar's was started.", o.Every)
}

func (s *Server) cancelTyped(c *call, p payload) (out wire.ExpandReply, err error) {
	err = s.cfg.Core.CancelLoop(p.Session, c.decider(), c.channel())
	switch {
	case errors.Is(err, loop.ErrNone):
		return blocked("No loop runs in this session."), nil
	case err != nil:
		return out, err
	}
	return blocked("The loop is cancelled. This session stops when it is done."), nil
}

// brief returns the status in a few lines, for the terminal of a session.
func (s *Server) brief() string {
	var b strings.Builder
	set := s.cfg.Core.Settings()
	fmt.Fprintf(&b, "Afar: away %s", set.Away.Mode)
	if set.Paused {
		b.WriteString(", PAUSED")
	}
	for _, v := range s.cfg.Core.Sessions() {
		if v.State == session.Ended {
			continue
		}
		fmt.Fprintf(&b, "\n  %s  %s", v.Token, v.Shown(time.Now()))
		if f, ok := s.cfg.Core.Loop(v.ID).Top(); ok {
			fmt.Fprintf(&b, ", loop %d/%d", f.N, f.Max)
		}
		if words := v.Review.Words(); words != "" {
			b.WriteString(", " + words)
		}
	}
	fmt.Fprintf(&b, "\n  open asks: %d", len(s.cfg.Core.OpenCards()))
	return b.String()
}

func (s *Server) loops(*call, wire.None) (wire.LoopsReply, error) {
	all, err := s.cfg.Core.AllLoops()
	return wire.LoopsReply{Loops: append(wire.List(all, s.wireLoop), mirrored[wire.Loop](s, fleet.OfLoop)...)}, err
}

// activeLoops returns the loops that run.
func (s *Server) activeLoops() []wire.Loop {
	idle := func(l loop.Stack) bool { return !l.Active() }
	return wire.List(slices.DeleteFunc(s.cfg.Core.Loops(), idle), s.wireLoop)
}

func (s *Server) wireLoop(l loop.Stack) wire.Loop {
	w := wire.Loop{
		ID:        s.loopID(l),
		Run:       l.RunID,
		Session:   l.Session,
		Active:    l.Active(),
		UpdatedAt: wire.Millis(l.UpdatedAt),
		Stack:     wire.List(l.Frames, wireFrame),
	}
	if e := l.Ended; e != nil {
		w.Verdict, w.Proven, w.Evidence, w.Note = string(e.Verdict), e.Proven, string(l.Evidence()), e.Note
	}
	return w
}

func wireFrame(f loop.Frame) wire.Frame {
	return wire.Frame{
		ID:        f.ID,
		Mode:      string(f.Mode),
		Goal:      f.Goal,
		N:         f.N,
		Max:       f.Max,
		StartedAt: wire.Millis(f.StartedAt),
		Deadline:  wire.Millis(f.Deadline), BudgetUSD: f.Budget, BudgetTokens: f.TokensTo,
		Check:    redact.Mask(f.Check),
		Checked:  f.Checked,
		Tokens:   f.Spent.Tokens,
		USD:      f.Spent.USD,
		IssueID:  f.IssueID,
		Worktree: f.Worktree,
		Branch:   f.Branch,
		Base:     f.Base,
		Issue:    wireIssue(f.Issue),
	}
}

// loopID names a loop: run:NAME, its session's token, or the id of a forgotten session.
func (s *Server) loopID(l loop.Stack) string {
	if r, ok := s.cfg.Core.RunOf(session.ID(l.Session)); ok {
		return wire.ToRun + r.Name
	}
	v, _ := s.cfg.Core.Session(l.Session)
	return cmp.Or(v.Token, l.Session)
}

func (s *Server) loop(_ *call, in wire.Named) (out wire.Loop, err error) {
	v, err := s.looped(in.ID)
	if err != nil {
		return out, err
	}
	l := s.cfg.Core.Loop(v.ID)
	if l.Session == "" {
		return out, fmt.Errorf("%s has no loop: %w", v.Token, core.ErrNotFound)
	}
	return s.wireLoop(l), nil
}

// loopStart starts a loop from outside the session. An idle session is woken for it if
// one of its hooks waits to wake it; an idle run gets a turn.
func (s *Server) loopStart(c *call, in wire.LoopStartRequest) (out wire.Loop, err error) {
	v, err := s.looped(in.Session)
	if err != nil {
		return out, err
	}
	opts, err := s.cfg.Place.Options(c.ctx, in.Args, v)
	if err != nil {
		return out, badRequest("%v", err)
	}
	if opts.Every != "" {
		return out, badRequest("a loop by the clock is typed in the session: /loop %s …", opts.Every)
	}
	if err := s.checkParallel(in, v, opts); err != nil {
		return out, err
	}
	opts.Outside = true
	if _, err := s.cfg.Core.StartLoop(v.ID, opts); err != nil {
		return out, err
	}
	out = s.wireLoop(s.cfg.Core.Loop(v.ID))
	out.Begins, out.Mode = s.cfg.Core.LoopBegins(v.ID), v.Mode
	out.Beside, err = s.loopsBeside(v.ID, in.Parallel, opts)
	return out, err
}

func (s *Server) loopCancel(c *call, in wire.Named) (out wire.Loop, err error) {
	v, err := s.looped(in.ID)
	if err != nil {
		return out, err
	}
	by, channel := c.decider(), c.channel()
	if s.callers.Inside(c.line) != "" {
		by, channel = "the session", ""
	}
	if err := s.cfg.Core.CancelLoop(v.ID, by, channel); err != nil {
		return out, err
	}
	return s.wireLoop(s.cfg.Core.Loop(v.ID)), nil
}

// looped returns the session that a request about a loop names. Of a run, whose session may
// not be known yet, it has the address as its token.
func (s *Server) looped(name string) (session.Session, error) {
	if !strings.HasPrefix(name, wire.ToRun) {
		return s.named(name)
	}
	r, err := s.runNamed(name)
	if err != nil {
		return session.Session{}, err
	}
	v, _ := s.cfg.Core.Session(r.Conversation)
	v.ID, v.Token, v.Mode = session.ID(r.Conversation), wire.ToRun+r.Name, r.Mode
	v.Cwd, v.Project = r.Dir, cmp.Or(v.Project, r.Dir)
	return v, nil
}

// checkParallel returns an error unless a loop can keep so many runs busy.
func (s *Server) checkParallel(in wire.LoopStartRequest, v session.Session, o loop.Options) error {
	n, most := in.Parallel, s.cfg.Runs.Max
	switch {
	case n == 0, n == 1:
		return nil
	case !strings.HasPrefix(in.Session, wire.ToRun):
		return badRequest("--parallel needs a run: afar loop start run:NAME --parallel %d", n)
	case o.Repo == "":
		return badRequest("--parallel is for a loop over issues, which has no task")
	case n < 0, n > most:
		return badRequest("--parallel %d: want a number from 1 to runs.max (%d)", n, most)
	case s.cfg.Core.Loop(v.ID).Active():
		return badRequest("%s has a loop already: afar loop cancel %s", in.Session, in.Session)
	}
	return nil
}

// loopsBeside starts the same loop in runs beside a run, so that n are busy. It returns their
// names.
func (s *Server) loopsBeside(id session.ID, n int, o loop.Options) (names []string, err error) {
	if n < 2 {
		return nil, nil
	}
	first, _ := s.cfg.Core.RunOf(id) // checkParallel has seen it
	o.Read = -1
	for i := 2; i <= n; i++ {
		r := run.Beside(first, i)
		r.ID, r.Conversation = run.IDOf(rand.Text()), random.UUID()
		if r, err = s.cfg.Core.StartLoopBeside(r, o); err != nil {
			return names, err
		}
		names = append(names, r.Name)
	}
	return names, nil
}

// named returns the session that a request names. An empty name is an error.
func (s *Server) named(name string) (session.Session, error) {
	if name == "" {
		return session.Session{}, badRequest("an id is needed")
	}
	return s.session(name)
}
