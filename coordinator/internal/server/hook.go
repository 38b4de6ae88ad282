package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/wire"
)

// gitFor bounds what git may take while a hook waits for us.
const gitFor = 2 * time.Second

// A payload holds the fields of the host's hook input that we read.
type payload struct {
	Event      string     `json:"hook_event_name"`
	Session    session.ID `json:"session_id"`
	Transcript string     `json:"transcript_path"`
	Cwd        string     `json:"cwd"`
	PromptID   string     `json:"prompt_id"`
	Mode       string     `json:"permission_mode"`
	Agent      string     `json:"agent_id"`
	AgentType  string     `json:"agent_type"`
	// AgentTranscript is the record of the subagent that stopped.
	AgentTranscript string          `json:"agent_transcript_path"`
	Tool            string          `json:"tool_name"`
	ToolUse         string          `json:"tool_use_id"`
	Input           json.RawMessage `json:"tool_input"`
	DurationMS      int64           `json:"duration_ms"`
	Source          string          `json:"source"`
	Model           json.RawMessage `json:"model"` // of SessionStart
	Reason          string          `json:"reason"`
	Prompt          string          `json:"prompt"`
	Command         string          `json:"command_name"`
	CommandArgs     string          `json:"command_args"`
	CommandFrom     string          `json:"command_source"`
	Message         string          `json:"last_assistant_message"`
	Error           string          `json:"error"`
	Notice          string          `json:"message"` // of a Notification
	Background      []background    `json:"background_tasks"`
	Crons           []struct {
		Prompt string `json:"prompt"`
	} `json:"session_crons"`
	Kind        string          `json:"notification_type"`
	Suggestions json.RawMessage `json:"permission_suggestions"`
}

type background struct {
	ID          string `json:"id"`
	Type        string `json:"type"`
	Description string `json:"description"`
	Command     string `json:"command"`
}

func (b background) agent() bool { return b.Type == "subagent" || b.Type == "agent" }

// agents reports whether subagents run on beside the session.
func (p payload) agents() bool { return slices.ContainsFunc(p.Background, background.agent) }

// shells returns the background shells that run, by id and in words.
func (p payload) shells() (ids, words []string) {
	for _, t := range p.Background {
		if !t.agent() {
			ids = append(ids, t.ID)
			words = append(words, oneLine(redact.Mask(t.Description+" ("+t.ID+")")))
		}
	}
	return ids, words
}

// model is the model that a session starts with, "" where the host does not say.
func (p payload) model() (name string) {
	if p.Event != "SessionStart" || len(p.Model) > maxAbout || json.Unmarshal(p.Model, &name) != nil {
		return ""
	}
	return name
}

// crons are the prompts that the host will type by the clock.
func (p payload) crons() (prompts []string) {
	for _, c := range p.Crons {
		prompts = append(prompts, c.Prompt)
	}
	return prompts
}

// hookCall reads the host's input from a hook's call and takes in what the call says
// of its session. A call without a session id is refused: it would match any session.
func (s *Server) hookCall(c *call, h wire.HookCall, state session.State) (p payload, err error) {
	if p, err = decode[payload](h.Payload); err != nil {
		return p, badRequest("hook input: %v", err)
	}
	if p.Session == "" {
		return p, badRequest("hook input: no session_id")
	}
	if err := s.allowFor(c, p.Session, h.Client); err != nil {
		return p, err
	}
	_, err = s.cfg.Core.See(session.Sighting{
		ID: p.Session, Cwd: p.Cwd, Transcript: p.Transcript, Mode: p.Mode, Entrypoint: h.Entrypoint,
		Terminal: h.Terminal, Client: h.Client, ClientBorn: born(c.line, h.Client),
		Attended: h.Attended, Background: h.Background, KnowAtt: true,
		Agents: p.agents(), KnowAgents: p.Event == "Stop", Crons: p.crons(), Hooked: true, State: state,
		Starts: p.Event == "SessionStart", Batch: p.Event == "PostToolBatch", Model: p.model(),
	})
	if err != nil {
		return p, err
	}
	return p, s.redirected(h, p)
}

// redirected journals the variables with which a project tried to move us.
func (s *Server) redirected(h wire.HookCall, p payload) error {
	if len(h.Redirected) == 0 {
		return nil
	}
	text := "the session's environment tried to move Afar: " + redact.Mask(strings.Join(h.Redirected, " "))
	return s.cfg.Core.Note(event.Redirected, p.Session, "", text)
}

// silent reports whether everything but the guard is off for this call.
func (s *Server) silent(h wire.HookCall) bool { return h.Off || s.cfg.Core.Settings().Paused }

func (s *Server) sessionStart(c *call, in wire.SessionStartRequest) (out wire.SessionStartReply, err error) {
	p, err := s.hookCall(c, in.HookCall, session.Idle)
	if err == nil && in.Broken != "" {
		_, err = s.policyBroken(p, in.Broken) // the hook itself tells the terminal
	}
	if err != nil || s.silent(in.HookCall) {
		return out, err
	}
	if p.Source != "compact" && p.Source != "resume" {
		return out, nil
	}
	v, err := s.cfg.Core.Session(string(p.Session))
	if err != nil {
		return out, err
	}
	out.Context = s.cfg.Core.Anchor(p.Session, s.anchorFacts(v))
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

// paragraphs joins two texts, of which any may be empty.
func paragraphs(a, b string) string { return strings.Trim(a+"\n\n"+b, "\n") }

// The room for what a session is told of late answers, in bytes: the host cuts a
// context of more than 10,000 characters, and a person's texts need theirs.
const (
	maxContext = 8000
	maxBeside  = 800
)

func (s *Server) sessionEnd(c *call, in wire.SessionEndRequest) (out wire.SessionEndReply, err error) {
	p, err := s.hookCall(c, in.HookCall, "")
	if err != nil {
		return out, err
	}
	return out, s.cfg.Core.EndSession(p.Session, p.Reason)
}

// prompt notes a typed prompt. Task notifications, prompts that the host types by
// the clock, and those of a client that a session started are not a person's.
func (s *Server) prompt(c *call, in wire.PromptRequest) (out wire.PromptReply, err error) {
	p, err := s.hookCall(c, in.HookCall, session.Working)
	if err != nil {
		return out, err
	}
	if by, err := s.cfg.Core.HaltWord(p.Session, p.Prompt); err != nil || by != "" {
		return wire.PromptReply{Block: by != "", Reason: "Afar: stopped by " + by + "."}, err
	}
	v, err := s.cfg.Core.Session(string(p.Session))
	typed := in.Attended && !strings.HasPrefix(p.Prompt, "<task-notification>") && !v.Scheduled(p.Prompt) && !s.nested(c.line, in.Client)
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

func (s *Server) guarded(c *call, in wire.GuardedRequest) (out wire.GuardedReply, err error) {
	p, err := s.hookCall(c, in.HookCall, session.Working)
	if err != nil {
		return out, err
	}
	if in.Verdict == wire.PolicyBroken {
		out.Notice, err = s.policyBroken(p, in.Broken)
		return out, err
	}
	text := guardText(in, p)
	if in.Verdict != "deny" {
		return out, s.cfg.Core.Note(event.GuardSpoke, p.Session, in.Rule, text)
	}
	times, err := s.cfg.Core.Denied(p.Session, p.PromptID, in.Rule, text)
	if err != nil || times < session.DenyLoop {
		return out, err
	}
	return wire.GuardedReply{Context: fmt.Sprintf("This is refusal number %d by the rule %s in this turn, so stop trying. "+
		"Write down in your answer what you need and why, and go on with what does not depend on it.", times, in.Rule)}, nil
}

// maxJudged bounds the input that is masked for the journal: the hook waits.
const maxJudged = 16 << 10

// guardText says what the guard makes of a call: the part that it is about, and
// the whole call where that says more.
func guardText(in wire.GuardedRequest, p payload) string {
	part := oneLine(redact.Visible(redact.Mask(in.Part)))
	text := "guard: " + in.Verdict + " " + p.Tool + " (" + in.Rule + "): " + part
	if in.From != "" {
		text += " by " + oneLine(in.From)
	}
	if len(p.Input) > maxJudged {
		return text
	}
	whole, _, err := ask.Input(p.Tool, p.Input)
	if line := strings.TrimPrefix(ask.Line(p.Tool, whole), p.Tool+" "); err == nil && line != part {
		text += " · in: " + line
	}
	return text
}

// policyBroken takes in what is wrong with the guard's policy files. It returns that as a
// notice for the terminal the first time, and "" afterwards.
func (s *Server) policyBroken(p payload, broken string) (notice string, err error) {
	fresh, err := s.cfg.Core.PolicyBroken(p.Session, oneLine(redact.Visible(redact.Mask(broken))))
	if err != nil || !fresh {
		return "", err
	}
	return broken, nil
}

func (s *Server) outcome(c *call, in wire.OutcomeRequest) (out wire.OutcomeReply, err error) {
	p, err := s.hookCall(c, in.HookCall, session.Working)
	if err != nil {
		return out, err
	}
	s.returned(p)
	if err := s.pastGuard(in, p); err != nil {
		return out, err
	}
	_, hash, err := ask.Input(p.Tool, p.Input)
	if err != nil {
		return out, badRequest("%v", err)
	}
	return out, s.cfg.Core.Ran(core.Outcome{
		Session: p.Session, Prompt: p.PromptID, Agent: p.Agent, Tool: p.Tool, Hash: hash,
		Run: ask.Run{OK: in.OK, Took: time.Duration(p.DurationMS) * time.Millisecond},
	})
}

func (s *Server) stopFailure(c *call, in wire.StopFailureRequest) (out wire.StopFailureReply, err error) {
	p, err := s.hookCall(c, in.HookCall, session.Idle)
	if err != nil || s.silent(in.HookCall) {
		return out, err
	}
	return out, s.cfg.Core.LimitLoop(p.Session, oneLine(p.Error+": "+redact.Mask(p.Message)), slices.Contains(passing, p.Error))
}

// passing are the host's words for a refusal that ends by itself. The others
// need a person: a key, a bill, another model.
var passing = []string{"rate_limit", "overloaded", "server_error", "unknown"}

func (s *Server) preCompact(c *call, in wire.PreCompactRequest) (out wire.PreCompactReply, err error) {
	p, err := s.hookCall(c, in.HookCall, "")
	if err != nil || s.silent(in.HookCall) {
		return out, err
	}
	ctx, cancel := context.WithTimeout(c.ctx, gitFor)
	defer cancel()
	v, err := s.cfg.Core.Session(string(p.Session))
	if err != nil {
		return out, err
	}
	return out, s.cfg.Core.SetAnchor(p.Session, s.allFacts(ctx, v))
}

func (s *Server) notification(c *call, in wire.NotificationRequest) (out wire.NotificationReply, err error) {
	p, err := s.hookCall(c, in.HookCall, "")
	switch {
	case err != nil:
	case p.Kind == "idle_prompt":
		_, err = s.cfg.Core.See(session.Sighting{ID: p.Session, State: session.Idle})
	case slices.Contains(passedOn, p.Kind) && !s.silent(in.HookCall):
		err = s.cfg.Core.PassOn(p.Session, p.Kind, oneLine(redact.Visible(redact.Mask(p.Notice))))
	}
	return out, err
}

// passedOn are the host's notices that a person who is away wants to hear and
// that no card of ours says already.
var passedOn = []string{"agent_completed", "agent_needs_input", "push_notification"}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
