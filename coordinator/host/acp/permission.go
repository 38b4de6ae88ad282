package acp

import (
	"cmp"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/host"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/host/jsonrpc"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// An option is an answer that the agent offers.
type option struct{ id, kind string }

// The kinds of options that Afar chooses. A lasting yes is never chosen: the guard sees each
// call.
const (
	allowOnce  = "allow_once"
	rejectOnce = "reject_once"
)

// permission takes a question of the agent.
func (t *talk) permission(m jsonrpc.Message) host.Step {
	v := m.Params.Get("toolCall")
	id := v.Get("toolCallId").Str()
	if m.Params.Get("sessionId").Str() != t.thread || id == "" || t.stopped {
		return host.Step{Send: []string{cancelled(m.ID)}}
	}
	s := host.Step{Events: append(t.begun(), t.said.flush()...)}
	c := t.calls[id].learn(v)
	if !c.started {
		s.Events = append(s.Events, c.start(id))
		c.started = true
	}
	t.calls[id] = c
	var options []option
	for _, o := range m.Params.Get("options").Items() {
		options = append(options, option{o.Get("optionId").Str(), o.Get("kind").Str()})
	}
	t.asks[m.ID] = options
	s.Asks = []host.Ask{{ID: m.ID, Call: id, Calls: c.translate(t.turn)}}
	return s
}

// Answer answers a question of the agent.
func (t *talk) Answer(id string, a host.Answer) host.Step {
	options, open := t.asks[id]
	if !open {
		return host.Step{}
	}
	delete(t.asks, id)
	want := rejectOnce
	if a.Allow {
		want = allowOnce
	} else if a.Why != "" {
		t.denied = append(t.denied, a.Why)
	}
	for _, o := range options {
		if o.kind == want && !t.stopped {
			outcome := wire.NewObject().Str("outcome", "selected").Str("optionId", o.id)
			return host.Step{Send: []string{jsonrpc.Reply(id, wire.NewObject().Raw("outcome", outcome.Bytes()))}}
		}
	}
	s := host.Step{Send: []string{cancelled(id)}}
	if a.Allow && !t.stopped {
		s.Events = []run.Event{{
			Kind: run.Error, Text: "the call was allowed, but the agent offers no yes for this one call",
		}}
	}
	return s
}

// cancelled returns the answer that makes no call run.
func cancelled(id string) string {
	outcome := wire.NewObject().Str("outcome", "cancelled")
	return jsonrpc.Reply(id, wire.NewObject().Raw("outcome", outcome.Bytes()))
}

// The names under which agents give the file and the address of a call.
var (
	fileNames = []string{claude.FieldFile, "filePath", "path", "absolute_path", "filepath", "fileName", "dir_path"}
	oldNames  = []string{claude.FieldOld, "oldString", "old_text", "oldText"}
	newNames  = []string{claude.FieldNew, "newString", "new_text", "newText"}
)

// translate returns the calls in the form that the guard knows.
func (c call) translate(t host.Turn) []host.Call {
	switch c.kind {
	case "execute":
		return c.command(t)
	case "edit":
		return c.edit(t)
	case "delete":
		return c.remove(t)
	case "read":
		if file := c.file(); file != "" {
			return []host.Call{named("Read", c.input(), claude.FieldFile, file)}
		}
	case "fetch":
		if all := c.fetches(); len(all) > 0 {
			return all
		}
	}
	return c.other(t)
}

// maxName bounds the name of a tool, in bytes.
const maxName = 40

// other returns a call under the agent's own name.
func (c call) other(t host.Turn) []host.Call {
	name := strings.Map(wordOnly, text.ClipBytes(cmp.Or(c.title, c.kind, "unknown"), maxName))
	return []host.Call{named("mcp__"+strings.Map(wordOnly, t.Program)+"__"+name, c.input(), "title", c.title)}
}

// wordOnly replaces what a name of a tool cannot have.
func wordOnly(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
		return r
	}
	return '_'
}

// named returns a call with one field under the guard's name. The agent's own input follows
// under another name, so that a person sees all of it.
func named(tool string, input hostjson.Value, field, value string) host.Call {
	o := wire.NewObject().Str(field, value)
	if filled(input) {
		o.Raw("input", []byte(input.Raw()))
	}
	return host.Call{Tool: tool, Input: o.Bytes()}
}

// command returns the call of a shell. A directory of its own comes before the command.
func (c call) command(host.Turn) []host.Call {
	line := cmp.Or(c.field("command"), c.words(), c.title)
	if dir := cmp.Or(c.field("workdir", "dir_path"), c.where()); dir != "" {
		line = "cd " + text.ShellQuote(dir) + " && " + line
	}
	o := wire.NewObject().Str("command", line).OptStr("description", c.field("description"))
	return []host.Call{{Tool: "Bash", Input: o.Bytes()}}
}

// words returns a command that is a list of words, "" if there is none.
func (c call) words() string {
	var words []string
	for _, w := range c.input().Get("command").Items() {
		words = append(words, text.ShellQuote(w.Str()))
	}
	return strings.Join(words, " ")
}

// where returns the directory of a command that gemini gives in a text, "" for the agent's own.
func (c call) where() string {
	for _, block := range c.content.Items() {
		rest, ok := strings.CutPrefix(written(block), "[in ")
		if dir, _, closed := strings.Cut(rest, "]"); ok && closed {
			return dir
		}
	}
	return ""
}

// file returns the file of a call, "" if it names none.
func (c call) file() string {
	if file := c.field(fileNames...); file != "" {
		return file
	}
	for _, l := range c.locations.Items() {
		if path := l.Get("path").Str(); path != "" {
			return path
		}
	}
	return ""
}

// edit returns the changes of files.
func (c call) edit(t host.Turn) (all []host.Call) {
	for _, block := range c.content.Items() {
		if block.Get("type").Str() != "diff" {
			continue
		}
		all = append(all, change(block.Get("path").Str(), block.Get("oldText").Str(), block.Get("newText").Str()))
	}
	file := c.file()
	switch {
	case len(all) > 0:
		return all
	case file == "":
		return c.other(t)
	}
	old, fresh := c.field(oldNames...), c.field(newNames...)
	if old == "" && fresh == "" {
		fresh = c.field("content")
	}
	if old == "" && fresh == "" { // what it changes is not said in a form that is known
		return []host.Call{named("Edit", c.input(), claude.FieldFile, file)}
	}
	return []host.Call{change(file, old, fresh)}
}

// change returns the change of a file. Without an old text the file is written as a whole.
func change(path, old, fresh string) host.Call {
	o := wire.NewObject().Str(claude.FieldFile, path)
	if old == "" {
		return host.Call{Tool: "Write", Input: o.Str("content", fresh).Bytes()}
	}
	return host.Call{Tool: "Edit", Input: o.Str(claude.FieldOld, old).Str(claude.FieldNew, fresh).Bytes()}
}

// remove returns the removal of files, as the command that does the same.
func (c call) remove(t host.Turn) []host.Call {
	var words []string
	for _, l := range c.locations.Items() {
		words = append(words, text.ShellQuote(l.Get("path").Str()))
	}
	if len(words) == 0 {
		if file := c.file(); file != "" {
			words = []string{text.ShellQuote(file)}
		}
	}
	if len(words) == 0 {
		return c.other(t)
	}
	o := wire.NewObject().Str("command", "rm -r -- "+strings.Join(words, " "))
	return []host.Call{{Tool: "Bash", Input: o.Bytes()}}
}

// fetches returns the addresses that a call fetches.
func (c call) fetches() (all []host.Call) {
	if url := c.field("url", "uri"); url != "" {
		return []host.Call{named("WebFetch", c.input(), "url", url)}
	}
	for word := range strings.FieldsSeq(cmp.Or(c.field("prompt"), c.title)) {
		if at := strings.Index(word, "http"); at >= 0 && strings.Contains(word[at:], "://") {
			all = append(all, named("WebFetch", c.input(), "url", strings.TrimRight(word[at:], `"'<>()[],;`)))
		}
	}
	return all
}
