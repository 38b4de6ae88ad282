package hook

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/wire"
)

// expand handles Afar's slash commands. For a command that needs no model, the reply
// blocks the prompt and says what was done.
func (s *Server) expand(c *door.Call, p payload, in wire.ExpandRequest) (out wire.ExpandReply, err error) {
	command := strings.TrimPrefix(p.Command, "afar:")
	// A cancel must always work. A bundled /loop is the host's own command.
	if in.Off && command != "cancel" || p.CommandFrom == "bundled" {
		return out, nil
	}
	if s.cfg.Callers.Nested(c.Line, in.Client) {
		return blocked("Afar's commands are a person's: this client was started from inside a session"), nil
	}
	if why := s.cfg.Callers.Unattended(c.Line, p.Session); why != "" && command != "cancel" && command != "status" {
		c.Refused("/afar:" + command + " came to a background session and not from a person's terminal")
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

func (s *Server) loopTyped(c *door.Call, p payload) (out wire.ExpandReply, err error) {
	if s.cfg.Core.Settings().Paused {
		return blocked("Afar is paused: `afar resume` in a terminal of your own first"), nil
	}
	v, err := s.cfg.Core.Session(string(p.Session))
	if err != nil {
		return out, err
	}
	opts, err := s.cfg.Place.Options(c.Ctx, p.CommandArgs, v)
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

func (s *Server) cancelTyped(c *door.Call, p payload) (out wire.ExpandReply, err error) {
	err = s.cfg.Core.CancelLoop(p.Session, c.Decider(), c.Channel())
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
