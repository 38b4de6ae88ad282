package acp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/host"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/text"
)

// maxChunks is how much text is shown at once, in bytes.
const maxChunks = 2 << 10

// chunks is a text that comes in pieces.
type chunks struct {
	kind run.Kind
	text strings.Builder
	all  strings.Builder // what the agent said since its last call
}

// add adds a piece, and returns the text so far if it is of another kind, or long.
func (c *chunks) add(kind run.Kind, piece string) (events []run.Event) {
	if c.kind != kind || c.text.Len() > maxChunks {
		events = c.flush()
	}
	c.kind = kind
	c.text.WriteString(piece)
	if kind == run.Text && c.all.Len() < 4*host.MaxText {
		c.all.WriteString(piece)
	}
	return events
}

// flush returns the text so far.
func (c *chunks) flush() (events []run.Event) {
	if said := c.text.String(); strings.TrimSpace(said) != "" {
		events = []run.Event{{Kind: c.kind, Text: host.Clip(said)}}
	}
	c.text.Reset()
	return events
}

// Flush returns the text so far.
func (t *talk) Flush() host.Step { return host.Step{Events: t.said.flush()} }

// quiet are the updates that say nothing about the turn.
var quiet = []string{
	"user_message_chunk", "available_commands_update", "current_mode_update", "config_option_update",
	"session_info_update",
}

// update takes what the agent says of its session. What comes before the prompt repeats the
// history.
func (t *talk) update(params hostjson.Value) (s host.Step) {
	v := params.Get("update")
	kind := v.Get("sessionUpdate").Str()
	switch {
	case slices.Contains(quiet, kind), !t.asked.Open(prompt):
		return s
	case params.Get("sessionId").Str() != t.thread:
		return host.Raw(params.Raw())
	}
	s.Events = t.begun()
	switch kind {
	case "agent_message_chunk":
		t.denied = nil
		s.Events = append(s.Events, t.said.add(run.Text, written(v.Get("content")))...)
	case "agent_thought_chunk":
		s.Events = append(s.Events, t.said.add(run.Thinking, written(v.Get("content")))...)
	case "tool_call", "tool_call_update":
		s.Events = append(s.Events, t.said.flush()...)
		s.Events = append(s.Events, t.called(v)...)
	case "plan":
		s.Events = append(append(s.Events, t.said.flush()...), run.Event{Kind: run.Thinking, Text: host.Clip(plan(v))})
	case "usage_update":
		s.Events = append(s.Events, run.Event{Kind: run.Context, Text: full(v), Total: cost(v), Whole: true})
	default:
		s.Events = append(append(s.Events, t.said.flush()...), run.Event{Kind: run.Raw, Text: host.Clip(v.Raw())})
	}
	return s
}

// written returns the text of a block of content.
func written(block hostjson.Value) string {
	switch kind := block.Get("type").Str(); kind {
	case "text":
		return block.Get("text").Str()
	case "content":
		return written(block.Get("content"))
	case "diff":
		return "changed " + block.Get("path").Str()
	default:
		return "[" + cmp.Or(kind, "nothing") + "]"
	}
}

// plan returns the entries of a plan as lines.
func plan(v hostjson.Value) string {
	var lines []string
	for _, e := range v.Get("entries").Items() {
		lines = append(lines, strings.TrimSpace("- "+e.Get("content").Str()+" ("+e.Get("status").Str()+")"))
	}
	return strings.Join(lines, "\n")
}

// full says how full the conversation is.
func full(v hostjson.Value) string {
	return v.Get("used").Raw() + " of " + v.Get("size").Raw() + " tokens"
}

// cost returns what the conversation has cost, if that is said in dollars.
func cost(v hostjson.Value) (c run.Cost) {
	if v.Get("cost.currency").Str() == "USD" {
		c.USD = host.Amount(v.Get("cost.amount"))
	}
	return c
}

// A call is what is known of a tool call.
type call struct {
	kind, title string
	inputs      []hostjson.Value // the agent's own input, what was said last first
	content     hostjson.Value
	locations   hostjson.Value
	started     bool // it was reported
	ended       bool
}

// learn adds what a message says of a call.
func (c call) learn(v hostjson.Value) call {
	c.kind = cmp.Or(v.Get("kind").Str(), c.kind)
	c.title = cmp.Or(v.Get("title").Str(), c.title)
	if got := v.Get("rawInput"); filled(got) && len(c.inputs) < maxInputs {
		c.inputs = append([]hostjson.Value{got}, c.inputs...)
	}
	if got := v.Get("content"); filled(got) {
		c.content = got
	}
	if got := v.Get("locations"); filled(got) {
		c.locations = got
	}
	return c
}

// maxInputs bounds how often an agent may say more of the input of a call.
const maxInputs = 20

// input returns what the agent said last of the input.
func (c call) input() (v hostjson.Value) {
	if len(c.inputs) > 0 {
		v = c.inputs[0]
	}
	return v
}

// field returns the first of these fields of the input that has a text.
func (c call) field(names ...string) string {
	for _, v := range c.inputs {
		for _, name := range names {
			if s := v.Get(name).Str(); s != "" {
				return s
			}
		}
	}
	return ""
}

// filled reports whether a value is an object or a list with something in it.
func filled(v hostjson.Value) bool {
	if v.IsArray() {
		return len(v.Items()) > 0
	}
	for range v.Members() {
		return true
	}
	return false
}

// maxCalls bounds the calls of a turn that are remembered.
const maxCalls = 10_000

// called takes what the agent says of a tool call.
func (t *talk) called(v hostjson.Value) (events []run.Event) {
	id := v.Get("toolCallId").Str()
	c := t.calls[id].learn(v)
	status := v.Get("status").Str()
	if over := status == "completed" || status == "failed"; (over || status == "in_progress") && !c.started {
		events = append(events, c.start(id))
		c.started = true
	}
	if (status == "completed" || status == "failed") && !c.ended {
		c.ended = true
		t.said.all.Reset()
		events = append(events, run.Event{Kind: run.ToolResult, Call: id, Failed: status == "failed",
			Text: host.Clip(c.result(v))})
	}
	if len(t.calls) < maxCalls {
		t.calls[id] = c
	}
	return events
}

// tools are the names of the calls of a kind.
var tools = map[string]string{"execute": "Bash", "edit": "Edit", "read": "Read", "fetch": "WebFetch"}

// start returns the event of the start of a call.
func (c call) start(id string) run.Event {
	said := cmp.Or(c.input().Raw(), c.title)
	return run.Event{Kind: run.ToolStart, Call: id, Tool: cmp.Or(tools[c.kind], c.title, c.kind), Text: host.Clip(said)}
}

// result returns what a call came to.
func (c call) result(v hostjson.Value) string {
	var texts []string
	for _, block := range c.content.Items() {
		texts = append(texts, written(block))
	}
	if len(texts) == 0 {
		return v.Get("rawOutput").Raw()
	}
	return strings.Join(texts, "\n")
}

// stops are the reasons of an end that is none of the agent's faults.
var stops = map[string]string{
	"max_tokens":        "it reached the limit of tokens of the model",
	"max_turn_requests": "it reached its limit of requests in a turn",
	"refusal":           "the agent refused to go on",
	"cancelled":         "interrupted",
}

// finished takes the end of a prompt.
func (t *talk) finished(v hostjson.Value) host.Step {
	reason := v.Get("stopReason").Str()
	t.used.Tokens += used(v)
	e := run.Event{Text: t.said.all.String(), Final: true, Total: t.used}
	if why, known := stops[reason]; known {
		e.Text, e.Failed, e.Final = why, true, reason != "cancelled"
	}
	if len(t.denied) > 0 && reason == "end_turn" && t.retold < maxRetold && !t.stopped {
		return t.tellWhy()
	}
	return t.end(e)
}

// maxRetold bounds how often an agent that stops at a no is told to go on in one turn.
const maxRetold = 20

// tellWhy continues a prompt that an agent has ended because a call was denied. The protocol
// has no place for the reason of a no.
func (t *talk) tellWhy() host.Step {
	why := strings.Join(t.denied, "\n")
	t.denied = nil
	t.retold++
	return t.Prompt("Afar: the call was not allowed. " + why + "\nGo on with what does not depend on it.")
}

// end ends a prompt with a result.
func (t *talk) end(e run.Event) host.Step {
	e.Kind, e.Text = run.Result, text.ClipBytes(e.Text, 4*host.MaxText)
	events := slices.Concat(t.begun(), t.said.flush(), []run.Event{e})
	t.said.all.Reset()
	return host.Step{Events: events}
}

// used returns the tokens of a prompt.
func used(v hostjson.Value) int64 {
	if n := number(v.Get("usage.totalTokens")); n > 0 {
		return n
	}
	counts := v.Get("_meta.quota.token_count")
	return number(counts.Get("input_tokens")) + number(counts.Get("output_tokens"))
}

// number returns a whole number that is not negative, 0 for any other value.
func number(v hostjson.Value) int64 { return int64(host.Amount(v)) }
