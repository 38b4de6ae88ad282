package wire

import (
	"slices"
	"strings"
)

// Operations of the tools that agents have over MCP.
const (
	OpTools       Op[None, ToolsReply]                     = "tools"        // where they are served over HTTP
	OpToolMessage Op[ToolMessageRequest, ToolMessageReply] = "tool.message" // a message from the stdio of `afar mcp`
)

// ToolsPath is the path of the tools on the page's listener.
const ToolsPath = "/mcp"

// ToolsReply says where. URL is empty while they are not served; Note says why.
type ToolsReply struct {
	URL  string `json:"url,omitempty"`
	Note string `json:"note,omitempty"`
}

// ToolMessageRequest is one message of an agent, as JSON-RPC. A second request with the same
// id is the same message.
type ToolMessageRequest struct {
	ID      string `json:"id"`
	Message Raw    `json:"message"`
}

// ToolMessageReply is the answer, empty for a message that gets none.
type ToolMessageReply struct {
	Message Raw `json:"message,omitempty"`
}

// The names of the tools.
const (
	ToolProposeRun   = "propose_run"
	ToolInbox        = "inbox"
	ToolReply        = "reply"
	ToolPost         = "post"
	ToolReadTopic    = "read_topic"
	ToolSearchMemory = "search_memory"
	ToolRemember     = "remember"
	ToolWakeMe       = "wake_me"
	ToolSuggestTask  = "suggest_task"
	ToolReportGap    = "report_gap"
)

// Tools are the names of all tools.
var Tools = []string{
	ToolProposeRun, ToolInbox, ToolReply, ToolPost, ToolReadTopic, ToolSearchMemory, ToolRemember, ToolWakeMe,
	ToolSuggestTask, ToolReportGap,
}

// toolPrefix begins the name that Claude Code gives to a tool of the plugin's server.
const toolPrefix = "mcp__plugin_afar_afar__"

// OwnTool reports whether name is Claude Code's name of one of the tools.
func OwnTool(name string) bool {
	short, ok := strings.CutPrefix(name, toolPrefix)
	return ok && slices.Contains(Tools, short)
}
