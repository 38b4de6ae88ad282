package headless

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/host"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/text"
)

// A stream reads the output of one turn, line by line. The same lines always make the same
// events, so that another reader can go on where the first one died.
type stream struct {
	seen   map[string]bool // the ids of the lines so far
	tasks  map[string]bool // the work in the background, by id
	hooked bool            // a hook ran at the start
	ours   bool            // and our plugin is loaded
	heard  bool            // the first init came
	whole  bool            // the client counts the cost of the whole conversation
	mends  bool            // the last answer is an error that only a person can mend
}

// newStream returns a stream at its beginning.
func newStream() *stream { return &stream{seen: map[string]bool{}, tasks: map[string]bool{}} }

// Refused says that the turn has begun without our hooks, "" if it has not.
func (s *stream) Refused() string {
	if guarded := s.hooked && s.ours; s.heard && !guarded {
		return "it began without Afar's hooks, so it was ended before it could do anything"
	}
	return ""
}

// Read returns the events in a line, none for a line that says nothing.
func (s *stream) Read(line string) []run.Event {
	line = strings.TrimSpace(line)
	if line == "" {
		return nil
	}
	v, err := hostjson.ParseLenient(line, 2*hostjson.MaxDepth)
	if err != nil || !v.IsObject() {
		return []run.Event{{Kind: run.Raw, Text: host.Clip(strings.ToValidUTF8(line, "\uFFFD")), Failed: true}}
	}
	if id := v.Get("uuid").Str(); id != "" {
		if s.seen[id] {
			return nil
		}
		s.seen[id] = true
	}
	switch v.Get("type").Str() {
	case "system":
		return s.system(v)
	case "assistant":
		s.mends = slices.Contains(mendable, v.Get("error").Str())
		return assistant(v)
	case "user":
		return results(v)
	case "result":
		return []run.Event{s.result(v)}
	case "stream_event", "attachment", "command_lifecycle", "rate_limit_event", "keep_alive":
		return nil // they repeat what other lines say
	}
	return []run.Event{unknown(v)}
}

func unknown(v hostjson.Value) run.Event { return run.Event{Kind: run.Raw, Text: host.Clip(v.Raw())} }

// quiet are the subtypes of system lines that say nothing about the turn.
var quiet = []string{
	"hook_response", "hook_progress", "session_title_changed", "status", "informational", "task_progress",
	"session_state_changed", "local_command_output", "files_persisted", "post_turn_summary",
}

func (s *stream) system(v hostjson.Value) []run.Event {
	switch subtype := v.Get("subtype").Str(); subtype {
	case "hook_started":
		s.hooked = s.hooked || v.Get("hook_event").Str() == "SessionStart"
		return nil
	case "init":
		return s.init(v)
	case "background_tasks_changed":
		s.tasks = map[string]bool{}
		for _, task := range v.Get("tasks").Items() {
			s.tasks[task.Get("task_id").Str()] = true
		}
		return s.background()
	case "task_started":
		s.tasks[v.Get("task_id").Str()] = true
		return s.background()
	case "task_notification":
		delete(s.tasks, v.Get("task_id").Str())
		return s.background()
	case "task_updated":
		if status := v.Get("patch.status").Str(); status != "" && status != "running" {
			delete(s.tasks, v.Get("task_id").Str())
			return s.background()
		}
		return nil
	case "compact_boundary":
		return []run.Event{{Kind: run.Compacting, Text: "the conversation was shortened"}}
	case "permission_denied", "peer_message_hold":
		return []run.Event{{
			Kind: run.Error,
			Tool: v.Get(claude.FieldTool).Str(),
			Call: v.Get(claude.FieldToolUse).Str(),
			Text: host.Clip(cmp.Or(v.Get("message").Str(), v.Get("cause").Str())),
		}}
	case "api_retry":
		return []run.Event{{Kind: run.Error, Text: "the provider refused and is asked again: " + host.Clip(said(v))}}
	default:
		if slices.Contains(quiet, subtype) {
			return nil
		}
	}
	return []run.Event{unknown(v)}
}

// said returns what a line about a retry says of its reason.
func said(v hostjson.Value) string {
	return cmp.Or(v.Get("error.message").Str(), v.Get("error").Str(), v.Get("error_status").Raw(), "no reason given")
}

func (s *stream) background() []run.Event {
	n := len(s.tasks)
	return []run.Event{{Kind: run.Context, Background: &n}}
}

// plugin is the name of our plugin.
const plugin = "afar"

// wholeCost is the oldest client that was seen to count the cost of the whole conversation.
const wholeCost = "2.1.329"

// init returns the event of the first init. Later ones begin another answer in the same turn.
func (s *stream) init(v hostjson.Value) []run.Event {
	if s.heard {
		return nil
	}
	version := v.Get("claude_code_version").Str()
	s.heard, s.whole = true, !claude.Before(version, wholeCost)
	for _, p := range v.Get("plugins").Items() {
		s.ours = s.ours || p.Get("name").Str() == plugin
	}
	about := v.Get("model").Str() + ", mode " + v.Get("permissionMode").Str() + ", Claude Code " + version
	if v.Get("sandbox_enabled").Bool() {
		about += ", sandbox on"
	}
	return []run.Event{{Kind: run.Init, Text: host.Clip(about)}}
}

func assistant(v hostjson.Value) (events []run.Event) {
	of := v.Get("parent_tool_use_id").Str()
	for _, block := range v.Get("message.content").Items() {
		e := run.Event{Of: of}
		switch kind := block.Get("type").Str(); kind {
		case "text":
			e.Kind, e.Text = run.Text, host.Clip(block.Get("text").Str())
		case "thinking", "redacted_thinking":
			e.Kind, e.Text = run.Thinking, host.Clip(block.Get("thinking").Str())
		case "tool_use", "server_tool_use":
			e.Kind, e.Tool, e.Call = run.ToolStart, block.Get("name").Str(), block.Get("id").Str()
			e.Text, e.Limit = host.Clip(block.Get("input").Raw()), limit(block)
		default:
			e.Kind, e.Text = run.Raw, host.Clip(block.Raw())
		}
		events = append(events, e)
	}
	return events
}

// limit returns how long a call may take, 0 if the host does not bound it.
func limit(call hostjson.Value) time.Duration {
	if call.Get("name").Str() != "Bash" {
		return 0
	}
	const most = 10 * time.Minute
	ms := call.Get("input.timeout")
	if ms.Kind() != hostjson.Number {
		return most
	}
	d, err := time.ParseDuration(ms.Raw() + "ms")
	if err != nil {
		return most
	}
	return min(max(d, 0), most)
}

func results(v hostjson.Value) (events []run.Event) {
	for _, block := range v.Get("message.content").Items() {
		if block.Get("type").Str() != "tool_result" {
			continue
		}
		events = append(events, run.Event{
			Kind:   run.ToolResult,
			Call:   block.Get(claude.FieldToolUse).Str(),
			Of:     v.Get("parent_tool_use_id").Str(),
			Failed: block.Get("is_error").Bool(),
			Text:   host.Clip(written(block.Get("content"))),
		})
	}
	return events
}

// written returns the text of a content: a string, or a list of blocks.
func written(v hostjson.Value) string {
	if v.Kind() == hostjson.String {
		return v.Str()
	}
	var texts []string
	for _, block := range v.Items() {
		texts = append(texts, cmp.Or(block.Str(), block.Get("text").Str(), "["+block.Get("type").Str()+"]"))
	}
	return strings.Join(texts, "\n")
}

// finals are the reasons of an end that another try would not change.
var finals = []string{"completed", "budget_exhausted", "max_turns", "hook_stopped", "tool_deferred"}

// mendable are the client's names of the errors that only a person can mend.
var mendable = []string{
	"authentication_failed", "oauth_org_not_allowed", "billing_error", "invalid_request", "model_not_found",
}

// needsPerson reports whether a failed result, or the answer before it, is an error that only a
// person can mend: another try would be refused in the same way.
func (s *stream) needsPerson(v hostjson.Value) bool {
	switch v.Get("api_error_status").Raw() {
	case "400", "401", "402", "403", "404":
		return true
	}
	return s.mends
}

// noConversation begins the error of a client that does not know the conversation.
const noConversation = "No conversation found"

func (s *stream) result(v hostjson.Value) run.Event {
	e := run.Event{
		Kind:   run.Result,
		Text:   v.Get("result").Str(),
		Failed: v.Get("is_error").Bool(),
		Final:  slices.Contains(finals, v.Get("terminal_reason").Str()),
		Whole:  s.whole,
	}
	if e.Text == "" {
		e.Text = written(v.Get("errors"))
	}
	if e.Failed {
		e.Final = e.Final || s.needsPerson(v)
		e.Lost = !s.heard && strings.HasPrefix(e.Text, noConversation)
	}
	if v.Get("terminal_reason").Str() == "tool_deferred" {
		e.Deferred = v.Get("deferred_tool_use.id").Str()
		e.Text = "its call " + v.Get("deferred_tool_use.name").Str() + " waits for the person"
	}
	e.Text = text.ClipBytes(e.Text, 4*host.MaxText)
	e.Total.USD = host.Amount(v.Get("total_cost_usd"))
	for _, used := range maps.Collect(v.Get("modelUsage").Members()) {
		for _, kind := range []string{"inputTokens", "outputTokens", "cacheReadInputTokens",
			"cacheCreationInputTokens"} {
			e.Total.Tokens += int64(host.Amount(used.Get(kind)))
		}
	}
	return e
}
