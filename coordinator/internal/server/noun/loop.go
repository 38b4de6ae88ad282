package noun

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/fleet"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/random"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/wire"
)

func (s *Server) loops(*door.Call, wire.None) (wire.LoopsReply, error) {
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

func (s *Server) loop(_ *door.Call, v session.Session) (out wire.Loop, err error) {
	l := s.cfg.Core.Loop(v.ID)
	if l.Session == "" {
		return out, fmt.Errorf("%s has no loop: %w", v.Token, core.ErrNotFound)
	}
	return s.wireLoop(l), nil
}

// loopStart starts a loop from outside the session. An idle session is woken for it if
// one of its hooks waits to wake it; an idle run gets a turn.
func (s *Server) loopStart(c *door.Call, in wire.LoopStartRequest) (out wire.Loop, err error) {
	v, err := s.looped(in.Session)
	if err != nil {
		return out, err
	}
	opts, err := s.cfg.Place.Options(c.Ctx, in.Args, v)
	if err != nil {
		return out, door.BadRequest("%v", err)
	}
	if opts.Every != "" {
		return out, door.BadRequest("a loop by the clock is typed in the session: /loop %s …", opts.Every)
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

func (s *Server) loopCancel(c *door.Call, in wire.Named) (out wire.Loop, err error) {
	v, err := s.looped(in.ID)
	if err == nil {
		err = c.AllowOwner(v)
	}
	if err != nil {
		return out, err
	}
	by, channel := c.Decider(), c.Channel()
	if c.Inside() != "" {
		by, channel = "the session", ""
	}
	err = s.cfg.Core.CancelLoop(v.ID, by, channel)
	return s.wireLoop(s.cfg.Core.Loop(v.ID)), err
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
		return door.BadRequest("--parallel needs a run: afar loop start run:NAME --parallel %d", n)
	case o.Repo == "":
		return door.BadRequest("--parallel is for a loop over issues, which has no task")
	case n < 0, n > most:
		return door.BadRequest("--parallel %d: want a number from 1 to runs.max (%d)", n, most)
	case s.cfg.Core.Loop(v.ID).Active():
		return door.BadRequest("%s has a loop already: afar loop cancel %s", in.Session, in.Session)
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
		return session.Session{}, door.BadRequest("an id is needed")
	}
	return s.session(name)
}
