package claude

import "strings"

// The fields of a hook's input that the hooks read. A path of names leads into an
// object.
const (
	FieldAgent       = "agent_id"
	FieldAgentType   = "agent_type"
	FieldBackground  = "background_tasks"
	FieldCommand     = "command_name"
	FieldCommandArgs = "command_args"
	FieldCwd         = "cwd"
	FieldElicitMode  = "mode"
	FieldEvent       = "hook_event_name"
	FieldFile        = "file_path" // of ConfigChange, and of the tools that work on a file
	FieldFormFields  = "requested_schema.properties"
	FieldInvokedBy   = "invoked_by" // of PreSkillShellCommand
	FieldMode        = "permission_mode"
	FieldNew         = "new_string" // of Edit
	FieldOld         = "old_string" // of Edit
	FieldPromptID    = "prompt_id"
	FieldQuestions   = "tool_input.questions"
	FieldReason      = "reason"
	FieldSession     = "session_id"
	FieldSource      = "source"
	FieldSuggestions = "permission_suggestions"
	FieldTool        = "tool_name"
	FieldToolCalls   = "tool_calls"    // of PostToolBatch
	FieldToolResult  = "tool_response" // of one of these calls
	FieldToolInput   = "tool_input"
	FieldToolUse     = "tool_use_id"
	FieldTranscript  = "transcript_path"
)

// ModeAuto and ModeDefault are permission modes.
const (
	ModeAuto    = "auto"
	ModeDefault = "default"
)

// The tools whose dialog is the question itself: the client ignores a bare yes to
// them.
const (
	QuestionTool = "AskUserQuestion"
	PlanTool     = "ExitPlanMode"
)

// SkillTool is the tool that loads a skill or a command.
const SkillTool = "Skill"

// Guarded reports whether the client puts each call of a tool to the guard. It may make a
// call of another tool without a hook.
func Guarded(tool string) bool {
	switch tool {
	case "Bash", "PowerShell", "Write", "Edit", "MultiEdit", "NotebookEdit", "Read", "WebFetch":
		return true
	}
	return strings.HasPrefix(tool, "mcp__")
}
