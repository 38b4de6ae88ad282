package hook

import (
	"errors"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/host/claude/hookinput"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

func (s *Server) sessionStart(
	_ *door.Call, p payload, in wire.SessionStartRequest,
) (out wire.SessionStartReply, err error) {
	if in.Broken != "" {
		_, err = s.policyBroken(p, in.Broken) // the hook itself tells the terminal
	}
	if err != nil || s.silent(in.HookCall) {
		return out, err
	}
	known, err := s.opening(in.HookCall, p)
	if err != nil || !slices.Contains([]string{"compact", "resume"}, p.Source) {
		return wire.SessionStartReply{Context: known}, err
	}
	v, err := s.cfg.Core.Session(string(p.Session))
	if err != nil {
		return out, err
	}
	out.Context = s.cfg.Core.Anchor(p.Session, s.cfg.Place.FactsAtOnce(v, s.cfg.Core.Loop(v.ID)))
	if len(out.Context)+len(known) < maxContext-maxBeside {
		out.Context = paragraphs(out.Context, known)
	}
	if in.Delivery == "" {
		return out, nil
	}
	if in.Printed == wire.NotPrinted {
		return wire.SessionStartReply{}, s.cfg.Core.UntellLate(p.Session, in.Delivery)
	}
	late, err := s.cfg.Core.TellLate(p.Session, in.Delivery, maxContext-len(out.Context)-2)
	out.Context = paragraphs(late, out.Context)
	return out, err
}

// paragraphs joins two texts as paragraphs. Either may be empty.
func paragraphs(a, b string) string { return strings.Trim(a+"\n\n"+b, "\n") }

// The most bytes of what a hook tells a session: maxContext in all, and maxBeside for late
// answers when texts of a person come with them. The host cuts a context at 10,000
// characters.
const (
	maxContext = 8000
	maxBeside  = 800
)

func (s *Server) sessionEnd(_ *door.Call, p payload, _ wire.SessionEndRequest) (out wire.None, err error) {
	return out, s.cfg.Core.EndSession(p.Session, p.Reason)
}

// prompt records a typed prompt.
func (s *Server) prompt(c *door.Call, p payload, in wire.PromptRequest) (out wire.PromptReply, err error) {
	if by, err := s.cfg.Core.HaltWord(p.Session, p.Prompt); err != nil || by != "" {
		return wire.PromptReply{Block: by != "", Reason: "Afar: stopped by " + by + "."}, err
	}
	own := p.Origin == hookinput.OurMod
	shown, err := s.cfg.Core.PromptShown(p.Session, p.Prompt, in.Delivery, own)
	if err != nil {
		return out, err
	}
	if own && !shown {
		_, err := s.cfg.Core.See(session.Sighting{ID: p.Session, State: session.Idle})
		return wire.PromptReply{Block: true, Reason: "Afar: the session has this text already."}, err
	}
	v, err := s.cfg.Core.Session(string(p.Session))
	typed := !shown && p.Typable() && s.typed(c, in, v, p.Prompt)
	if err == nil && typed {
		err = errors.Join(s.cfg.Core.Typed(p.Session, firstLine(p.Prompt)), s.reviewPrompt(v, p.Prompt))
	}
	if err != nil || s.silent(in.HookCall) {
		return out, err
	}
	texts, err := s.cfg.Core.ComesBack(p.Session, in.Delivery)
	if err != nil {
		return out, err
	}
	ours, room := "", maxContext
	if texts > 0 {
		room = maxBeside
	} else if ours, err = s.newLoop(p.Session, typed); err != nil {
		return out, err
	}
	late, err := s.cfg.Core.TellLate(p.Session, in.Delivery, room-len(ours)-2)
	out = wire.PromptReply{Texts: texts, Context: paragraphs(ours, late)}
	if err != nil || texts > 0 { // with texts the hook prints no notice
		return out, err
	}
	out.Notice, err = s.withNotices(p.Session, "")
	return out, err
}

// typed reports whether a person typed a prompt. A task notification, a scheduled prompt of the
// host and a prompt of a client that a session started do not come from one.
func (s *Server) typed(c *door.Call, in wire.PromptRequest, v session.Session, prompt string) bool {
	return in.Attended && !strings.HasPrefix(prompt, "<task-notification>") &&
		!v.Scheduled(prompt) && !s.cfg.Callers.Nested(c.Line, in.Client)
}

func (s *Server) preCompact(c *door.Call, p payload, _ wire.PreCompactRequest) (out wire.None, err error) {
	v, err := s.cfg.Core.Session(string(p.Session))
	if err != nil {
		return out, err
	}
	return out, s.cfg.Core.SetAnchor(p.Session, s.cfg.Place.Facts(c.Ctx, v, s.cfg.Core.Loop(v.ID)))
}

func (s *Server) notification(_ *door.Call, p payload, in wire.NotificationRequest) (out wire.None, err error) {
	switch {
	case p.Kind == "idle_prompt":
		_, err = s.cfg.Core.See(session.Sighting{ID: p.Session, State: session.Idle})
	case p.Kind == needsInput && s.waits(p.Session): // its dialog has a card
	case slices.Contains(forwarded, p.Kind) && !s.silent(in.HookCall):
		err = s.cfg.Core.PassOn(p.Session, p.Kind, text.Fold(redact.Clean(p.Notice)))
	}
	return out, err
}

// forwarded lists the kinds of the host's notices that go to a person who is away. No card
// of Afar's already says what they say.
var forwarded = []string{"agent_completed", needsInput, "push_notification"}

// needsInput is the kind of the host's notices of something that only a person can choose.
const needsInput = "agent_needs_input"

// waits reports whether a session shows a dialog.
func (s *Server) waits(id session.ID) bool {
	v, err := s.cfg.Core.Session(string(id))
	return err == nil && v.State == session.Waiting
}
