package acp

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/host"
	"github.com/afar-sh/afar/coordinator/host/claude/hostjson"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/text"
)

// Bounds of the text of an event, in bytes.
const (
	maxText   = 16 << 10
	maxChunks = 2 << 10 // of text that is shown at once
)

func clip(s string) string { return text.ClipBytes(s, maxText) }

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
	if kind == run.Text && c.all.Len() < 4*maxText {
		c.all.WriteString(piece)
	}
	return events
}

// flush returns the text so far.
func (c *chunks) flush() (events []run.Event) {
	if said := c.text.String(); strings.TrimSpace(said) != "" {
		events = []run.Event{{Kind: c.kind, Text: clip(said)}}
	}
	c.text.Reset()
	return events
}

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
	case slices.Contains(quiet, kind), !t.prompted():
		return s
	case params.Get("sessionId").Str() != t.thread:
		return raw(params.Raw())
	}
	s.Events = t.begun()
	switch kind {
	case "agent_message_chunk":
		s.Events = append(s.Events, t.said.add(run.Text, written(v.Get("content")))...)
	case "agent_thought_chunk":
		s.Events = append(s.Events, t.said.add(run.Thinking, written(v.Get("content")))...)
	case "tool_call", "tool_call_update":
		s.Events = append(s.Events, t.said.flush()...)
		s.Events = append(s.Events, t.called(v)...)
	case "plan":
		s.Events = append(append(s.Events, t.said.flush()...), run.Event{Kind: run.Thinking, Text: clip(plan(v))})
	case "usage_update":
		s.Events = append(s.Events, run.Event{Kind: run.Context, Text: full(v)})
	default:
		s.Events = append(append(s.Events, t.said.flush()...), run.Event{Kind: run.Raw, Text: clip(v.Raw())})
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

// A call is what is known of a tool call.
type call struct {
	kind, title string
	input       hostjson.Value // the agent's own input
	content     hostjson.Value
	locations   hostjson.Value
	started     bool // it was reported
	ended       bool
}

// learn adds what a message says of a call.
func (c call) learn(v hostjson.Value) call {
	c.kind = cmp.Or(v.Get("kind").Str(), c.kind)
	c.title = cmp.Or(v.Get("title").Str(), c.title)
	for _, of := range []struct {
		field string
		value *hostjson.Value
	}{{"rawInput", &c.input}, {"content", &c.content}, {"locations", &c.locations}} {
		if got := v.Get(of.field); filled(got) {
			*of.value = got
		}
	}
	return c
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
		events = append(events, run.Event{Kind: run.ToolResult, Call: id, Failed: status == "failed", Text: clip(c.result(v))})
	}
	if len(t.calls) < maxCalls {
		t.calls[id] = c
	}
	return events
}

// start returns the event of the start of a call.
func (c call) start(id string) run.Event {
	return run.Event{Kind: run.ToolStart, Call: id, Tool: cmp.Or(c.title, c.kind), Text: clip(c.input.Raw())}
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
	return t.end(e)
}

// end ends a prompt with a result.
func (t *talk) end(e run.Event) host.Step {
	e.Kind, e.Text = run.Result, text.ClipBytes(e.Text, 4*maxText)
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

// maxNumber bounds what an agent may report as used.
const maxNumber = 1e15

// number returns a number that is not negative, 0 for any other value.
func number(v hostjson.Value) int64 {
	n, err := strconv.ParseFloat(v.Raw(), 64)
	if err != nil || v.Kind() != hostjson.Number || math.IsNaN(n) {
		return 0
	}
	return int64(min(max(n, 0), maxNumber))
}
