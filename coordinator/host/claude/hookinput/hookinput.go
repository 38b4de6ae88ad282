// Package hookinput holds the fields of the input that Claude Code gives a hook, under
// Afar's own names.
package hookinput

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/session"
)

// The events that the coordinator tells apart.
const (
	SessionStart  = "SessionStart"
	Stop          = "Stop"
	PostToolBatch = "PostToolBatch"
	// PreSkillShellCommand comes before a command in the text of a skill or command.
	PreSkillShellCommand = "PreSkillShellCommand"
)

// A Payload holds the fields of a hook's input that the coordinator reads.
type Payload struct {
	Event           string          `json:"hook_event_name"`
	Session         session.ID      `json:"session_id"`
	Transcript      string          `json:"transcript_path"`
	Cwd             string          `json:"cwd"`
	PromptID        string          `json:"prompt_id"`
	Mode            string          `json:"permission_mode"`
	Agent           string          `json:"agent_id"`
	AgentType       string          `json:"agent_type"`
	AgentTranscript string          `json:"agent_transcript_path"` // of the subagent that stopped
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
	Blocked         bool            `json:"stop_hook_active"` // a Stop hook has kept the session in this turn
	Error           string          `json:"error"`
	Notice          string          `json:"message"` // of a Notification
	Background      []Task          `json:"background_tasks"`
	Crons           []Cron          `json:"session_crons"`
	Kind            string          `json:"notification_type"`
	Suggestions     json.RawMessage `json:"permission_suggestions"`
	// Origin says where a prompt comes from, in the host's words, or that our own mod submitted
	// it. Only our mod adds it; it is "" where that does not run.
	Origin string `json:"afar_origin"`
}

// OurMod is the Origin of a prompt that our own mod submitted.
const OurMod = "afar"

// typable are the origins of the prompts that a person may have typed.
var typable = []string{"", "composer", "bridge", "auto-continuation", "unclassified"}

// Typable reports whether a person may have typed the prompt, as far as its origin says.
func (p Payload) Typable() bool { return slices.Contains(typable, p.Origin) }

// A Task is work that a session has running in the background.
type Task struct {
	ID          string `json:"id"`
	Type        string `json:"type"`
	Description string `json:"description"`
}

// IsAgent reports whether the task is a subagent. Any other is a shell.
func (t Task) IsAgent() bool { return slices.Contains([]string{"subagent", "agent"}, t.Type) }

// A Cron is a prompt that the client will type at a set time.
type Cron struct {
	Prompt string `json:"prompt"`
}

// HasAgents reports whether subagents run in the background.
func (p Payload) HasAgents() bool { return slices.ContainsFunc(p.Background, Task.IsAgent) }

// maxModel bounds the name of a model, in bytes of JSON.
const maxModel = 4 << 10

// StartModel returns the model that a session starts with, "" if the client does
// not say.
func (p Payload) StartModel() (name string) {
	if p.Event != SessionStart || len(p.Model) > maxModel || json.Unmarshal(p.Model, &name) != nil {
		return ""
	}
	return name
}

// CronPrompts returns the prompts that the client will type at set times.
func (p Payload) CronPrompts() (prompts []string) {
	for _, c := range p.Crons {
		prompts = append(prompts, c.Prompt)
	}
	return prompts
}

// CallerTranscript returns the transcript of the caller of a tool: the session's own, or
// that of its subagent, which the client keeps below the session's.
func (p Payload) CallerTranscript() string {
	if p.Agent == "" {
		return p.Transcript
	}
	dir := strings.TrimSuffix(p.Transcript, ".jsonl")
	return filepath.Join(dir, "subagents", "agent-"+filepath.Base(p.Agent)+".jsonl")
}
