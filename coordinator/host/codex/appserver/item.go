package appserver

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/host"
	"github.com/afar-sh/afar/coordinator/internal/run"
)

// maxCommand is how long a command may run without a word from codex.
const maxCommand = 10 * time.Minute

// itemStarted reports a tool call, and notes what it wants for the question about it.
func (t *talk) itemStarted(v hostjson.Value) host.Step {
	item := v.Get("item")
	kind, id := item.Get("type").Str(), item.Get("id").Str()
	read, ok := tools[kind]
	if !ok || t.again("start "+id) {
		return host.Step{}
	}
	wants := read(t, item)
	t.wants[id] = wants
	e := run.Event{Kind: run.ToolStart, Call: id, Of: t.subagent(v), Tool: kind}
	var about []string
	for _, c := range wants {
		e.Tool = c.Tool
		about = append(about, string(c.Input))
	}
	e.Text = host.Clip(strings.Join(about, "\n"))
	switch kind {
	case "commandExecution":
		e.Limit = maxCommand
	case "mcpToolCall":
		t.open[e.Tool] = id
	}
	return events(e)
}

// silent are the types of items that say nothing that others do not say.
var silent = []string{
	"enteredReviewMode", "functionCallOutput", "hookPrompt", "sleep", "subAgentActivity", "userMessage",
}

// itemCompleted reports an item of the conversation.
func (t *talk) itemCompleted(v hostjson.Value) host.Step {
	item, of := v.Get("item"), t.subagent(v)
	kind, id := item.Get("type").Str(), item.Get("id").Str()
	if t.again("end " + id) {
		return host.Step{}
	}
	if _, ok := tools[kind]; ok {
		return t.itemStarted(v).And(t.toolEnded(item, of))
	}
	switch kind {
	case "agentMessage", "plan", "exitedReviewMode":
		said := item.Get("text").Str() + item.Get("review").Str()
		if of == "" {
			t.said = said
		}
		return events(run.Event{Kind: run.Text, Of: of, Text: host.Clip(said)})
	case "reasoning":
		thoughts := append(texts(item.Get("summary")), texts(item.Get("content"))...)
		return events(run.Event{Kind: run.Thinking, Of: of, Text: host.Clip(strings.Join(thoughts, "\n"))})
	case "contextCompaction":
		return events(run.Event{Kind: run.Compacting, Of: of, Text: "the conversation was shortened"})
	}
	if slices.Contains(silent, kind) {
		return host.Step{}
	}
	return host.Raw(item.Raw())
}

// toolEnded reports what a tool call came to.
func (t *talk) toolEnded(item hostjson.Value, of string) host.Step {
	id, status := item.Get("id").Str(), item.Get("status").Str()
	delete(t.wants, id)
	output := cmp.Or(
		item.Get("aggregatedOutput").Str(),
		item.Get("error.message").Str(),
		strings.Join(texts(item.Get("result.content")), "\n"),
		status)
	return events(run.Event{
		Kind:   run.ToolResult,
		Call:   id,
		Of:     of,
		Failed: status == "failed" || status == "declined",
		Text:   host.Clip(output),
	})
}

// texts returns the texts of a list of texts, or of blocks with a text.
func texts(v hostjson.Value) (all []string) {
	for _, part := range v.Items() {
		if said := cmp.Or(part.Str(), part.Get("text").Str()); said != "" {
			all = append(all, said)
		}
	}
	return all
}
