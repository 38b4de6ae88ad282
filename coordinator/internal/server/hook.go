package server

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

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

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
