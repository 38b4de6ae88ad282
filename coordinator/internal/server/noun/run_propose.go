package noun

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/fleet"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/wire"
)

// propose asks the person whether a session may have a run started, and waits for the answer
// as long as the request says. The reply to a proposal that is still open has the state
// wire.Proposed.
func (s *Server) propose(c *door.Call, in wire.RunStartRequest, r run.Run) (wire.Run, error) {
	return s.proposal(c, in, ask.Proposed{Run: r, Prompt: in.Prompt}, proposes(in, r, ""))
}

// proposal asks the person about a run that a session proposes.
func (s *Server) proposal(
	c *door.Call, in wire.RunStartRequest, p ask.Proposed, does string,
) (out wire.Run, err error) {
	by, _ := c.Author()
	switch {
	case s.cfg.Core.Settings().Paused:
		return out, door.BadRequest("Afar is paused, so nobody is asked whether a run may start")
	case in.Wait:
		return out, door.BadRequest("a session cannot wait for a run with --wait: the result comes to it as a message")
	}
	id := ask.ID("ask_" + strings.ToLower(in.ID))
	a, err := s.cfg.Core.Propose(ask.NewProposal(id, by.ID, p, does))
	if errors.Is(err, run.ErrDepth) {
		return out, door.BadRequest("%v", err)
	}
	if err != nil {
		return out, err
	}
	ctx, cancel := c.Wait(in.WaitMS)
	defer cancel()
	if a, err = s.cfg.Core.AwaitAsk(ctx, a.ID); err != nil {
		return out, err
	}
	return s.proposed(a)
}

// proposeOn asks the person whether a session may have a run started on another machine.
func (s *Server) proposeOn(c *door.Call, m fleet.Machine, asked []byte) (out wire.Raw, err error) {
	var in wire.RunStartRequest
	if err := json.Unmarshal(asked, &in); err != nil {
		return nil, door.BadRequest("%s: %v", wire.OpRunStart, err)
	}
	if in.Dir == "" {
		return nil, door.BadRequest("a run on another machine needs its directory there: --dir")
	}
	if err := checkLimits(&in); err != nil {
		return nil, err
	}
	r := run.Run{
		Name: in.Name, Dir: in.Dir, Agent: in.Agent, Mode: in.Mode, Model: in.Model, BudgetUSD: in.BudgetUSD,
		Worktree: in.Worktree,
	}
	there := in
	there.WaitMS = 0
	raw, err := json.Marshal(there)
	if err != nil {
		return nil, err
	}
	p := ask.Proposed{Run: r, Prompt: in.Prompt, Machine: string(m.ID), In: raw}
	w, err := s.proposal(c, in, p, proposes(in, r, m.Name))
	if err != nil {
		return nil, err
	}
	w.From(door.Origin(s.cfg.Core, m))
	return json.Marshal(w)
}

// proposes says what an allow would start, on another machine or, for "", on this one. What the request leaves out
// another machine fills in.
func proposes(in wire.RunStartRequest, r run.Run, machine string) string {
	if machine != "" {
		machine = " on " + machine + ","
	}
	text := fmt.Sprintf("start %s%s in %s", cmp.Or(r.Agent, "an agent"), machine, redact.Clean(r.Dir))
	if r.Mode != "" {
		text += ", mode " + r.Mode
	}
	if r.Model != "" {
		text += ", model " + r.Model
	}
	if r.BudgetUSD > 0 {
		text += fmt.Sprintf(", budget $%.2f", r.BudgetUSD)
	}
	if in.ForMS > 0 {
		text += ", for " + (time.Duration(in.ForMS) * time.Millisecond).String()
	}
	if r.Worktree {
		text += ", in a git worktree of its own"
	}
	return text
}

// proposed returns the run of a proposal, or why there is none.
func (s *Server) proposed(a ask.Ask) (out wire.Run, err error) {
	switch {
	case a.State == ask.Open:
		out = s.wireRun(a.Proposed.Run)
		out.State, out.Ask, out.Waiting = wire.Proposed, string(a.ID), 0
		return out, nil
	case a.Starts() && a.Proposed.Machine != "":
		out = s.wireRun(a.Proposed.Run)
		out.State = string(run.Queued)
		return out, nil
	case a.Starts():
		r, err := s.cfg.Core.RunByID(a.Proposed.Run.ID)
		return s.wireRun(r), err
	case a.Decision != nil:
		words := strings.TrimRightFunc(a.Decision.Message, unicode.IsSpace)
		return out, fmt.Errorf("%w: %s did not allow this run: %s", door.ErrDenied, a.Decision.By, words)
	}
	return out, fmt.Errorf("%w: the proposal ended without an answer: %s", door.ErrDenied, cmp.Or(a.Note, string(a.State)))
}

// parentOf returns the address of what proposed a run, "" for a run that a person started.
func (s *Server) parentOf(r run.Run) string {
	if r.Parent == "" {
		return ""
	}
	if parent, ok := s.cfg.Core.RunOf(session.ID(r.Parent)); ok {
		return message.Address{Kind: message.ToRun, Name: parent.Name}.String()
	}
	v, _ := s.cfg.Core.Session(r.Parent) // a session that is forgotten keeps its id
	return message.Address{Kind: message.ToSession, Name: cmp.Or(v.Token, r.Parent)}.String()
}

// placeOn returns the directory of the session, run or project with a name on another machine, as that machine shows
// it; "" is where it worked last.
func (s *Server) placeOn(machine, name string) (dir string, err error) {
	m, err := s.cfg.Core.Machine(machine)
	if err != nil {
		return "", err
	}
	var newest int64
	for _, kind := range []string{fleet.OfSession, fleet.OfRun} {
		for _, one := range s.cfg.Core.MirrorsOn(m.ID, kind) {
			var at struct {
				Token, Name, Project, Dir string
				Since                     int64
			}
			if json.Unmarshal(one.Body, &at) != nil {
				continue
			}
			here := cmp.Or(at.Project, at.Dir)
			called := slices.Contains([]string{at.Token, at.Name, filepath.Base(here), here}, name)
			if here != "" && (name == "" || called) && at.Since >= newest {
				dir, newest = here, at.Since
			}
		}
	}
	if dir == "" {
		return "", door.BadRequest("%s shows no session, run or project named %.60q", m.Name, name)
	}
	return dir, nil
}
