package appserver

import (
	"fmt"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/host"
	"github.com/afar-sh/afar/coordinator/host/jsonrpc"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/wire"
)

// The methods of codex.
const (
	initialize   = "initialize"
	startThread  = "thread/start"
	resumeThread = "thread/resume"
	startTurn    = "turn/start"
	steerTurn    = "turn/steer" // adds a text to a turn that runs
	interrupt    = "turn/interrupt"
)

// The strictest asking mode: codex asks before each command and each change of a file, and it
// asks the person, not a model.
const (
	policy   = "untrusted"
	sandbox  = "read-only"
	reviewer = "user"
)

// boxed is the type of the sandbox as codex names it in its answer.
const boxed = "readOnly"

// widened is the sandbox of a turn. What was allowed runs in the sandbox too, and most of it would
// fail in the one for reading. A conversation that is opened with this sandbox would make codex
// trust the folder for good, and start what the folder's settings name.
const widened = `{"type":"workspaceWrite","networkAccess":false}`

// outside is the sandbox of a turn behind a wall. Codex's own needs a namespace, which no program can make there, so
// each command would fail.
const outside = `{"type":"externalSandbox","networkAccess":"enabled"}`

// A talk is the dialogue of one turn of a run: the handshake, the conversation, and then one
// turn of codex for each prompt.
type talk struct {
	turn host.Turn
	text string // the prompt that waits for the conversation

	asked   jsonrpc.Requests // our requests without a response
	about   string           // the model and the version of codex
	version string

	thread  string // codex's id of the conversation, "" before it is open
	current string // codex's id of its turn, "" between turns
	heard   bool   // the agent has read the first prompt
	stopped bool   // the turn is to end
	said    string // the last text of the agent in its turn

	asks  map[string]question    // without an answer, by the id of their request
	wants map[string][]host.Call // what tool calls want to do, by the id of their item
	open  map[string]string      // the ids of calls of MCP tools that have not ended, by tool
	seen  map[string]bool        // what was reported, by turn or item
}

func newTalk(t host.Turn, text string) *talk {
	return &talk{
		turn:  t,
		text:  text,
		asks:  map[string]question{},
		wants: map[string][]host.Call{},
		open:  map[string]string{},
		seen:  map[string]bool{},
	}
}

// unwanted are notifications that codex need not send: the pieces of texts that come whole.
var unwanted = []string{
	"item/agentMessage/delta", "item/plan/delta", "item/reasoning/summaryTextDelta", "item/reasoning/textDelta",
}

// Begin introduces Afar.
func (t *talk) Begin() host.Step {
	return t.ask(initialize, wire.NewObject().
		Raw("clientInfo", wire.NewObject().Str("name", "afar").Str("title", "Afar").Str("version", "1").Bytes()).
		Raw("capabilities", wire.NewObject().Strs("optOutNotificationMethods", unwanted).Bytes()))
}

// ask sends a request.
func (t *talk) ask(method string, params *wire.Object) host.Step {
	return host.Step{Send: []string{t.asked.Ask(method, params)}}
}

// Read takes a line of codex.
func (t *talk) Read(line string) host.Step {
	m, err := jsonrpc.Read(line)
	if err != nil {
		s := host.Raw(strings.ToValidUTF8(line, "\uFFFD"))
		s.Events[0].Failed = true
		return s
	}
	switch m.Kind {
	case jsonrpc.Response:
		return t.response(m, line)
	case jsonrpc.Notice:
		return t.notice(m, line)
	}
	return t.request(m, line)
}

func events(all ...run.Event) host.Step { return host.Step{Events: all} }

// response takes the response to one of our requests.
func (t *talk) response(m jsonrpc.Message, line string) host.Step {
	method, ok := t.asked.Answered(m)
	if !ok {
		return host.Raw(line)
	}
	if m.Error != nil {
		return t.failed(method, *m.Error)
	}
	switch method {
	case initialize:
		t.version = versionIn(m.Result.Get("userAgent").Str())
		return host.Step{Send: []string{jsonrpc.Tell("initialized", wire.NewObject())}}.And(t.openThread())
	case startThread, resumeThread:
		return t.opened(m.Result)
	case startTurn:
		return t.begun(m.Result.Get("turn.id").Str())
	}
	return host.Step{}
}

// versionIn returns the version in a user agent, which begins with "afar/VERSION ".
func versionIn(agent string) string {
	first, _, _ := strings.Cut(agent, " ")
	_, version, _ := strings.Cut(first, "/")
	return version
}

// failed takes the failure of a request.
func (t *talk) failed(method string, e jsonrpc.Error) host.Step {
	said := fmt.Sprintf("codex failed at %s: %s", method, e.Message)
	switch method {
	case interrupt, steerTurn: // the turn has ended meanwhile
		return events(run.Event{Kind: run.Error, Text: host.Clip(said)})
	case startTurn:
		return events(run.Event{Kind: run.Result, Text: host.Clip(said), Failed: true})
	}
	return host.Refusal(said)
}

// openThread opens the conversation.
func (t *talk) openThread() host.Step {
	params := wire.NewObject().
		Str("cwd", t.turn.Dir).
		Str("approvalPolicy", policy).
		Str("approvalsReviewer", reviewer).
		Str("sandbox", sandbox).
		OptStr("model", t.turn.Model)
	tools, err := settings(t.turn.Servers)
	switch {
	case err != nil:
		return host.Refusal("the servers of tools cannot be named: " + err.Error())
	case tools != nil:
		params.Raw("config", tools)
	}
	if !t.turn.Resumes {
		return t.ask(startThread, params)
	}
	return t.ask(resumeThread, params.Str("threadId", t.turn.Thread))
}

// opened gives codex the prompt, unless it does not ask as it was told to.
func (t *talk) opened(v hostjson.Value) host.Step {
	t.thread = v.Get("thread.id").Str()
	mode := []string{v.Get("approvalPolicy").Str(), v.Get("sandbox.type").Str(), v.Get("approvalsReviewer").Str()}
	switch {
	case t.thread == "", host.CheckThread(t.thread) != nil:
		return host.Refusal("codex opened no conversation")
	case t.turn.Resumes && t.thread != t.turn.Thread:
		return host.Refusal("codex opened another conversation than the one to continue")
	case strings.Join(mode, " ") != strings.Join([]string{policy, boxed, reviewer}, " "):
		return host.Refusal("codex does not take its strictest asking mode; it is in " + strings.Join(mode, ", "))
	}
	t.about = fmt.Sprintf("%s, codex %s", v.Get("model").Str(), t.version)
	return t.Prompt(t.text)
}

// inThread begins the parameters of a message about the conversation.
func (t *talk) inThread() *wire.Object { return wire.NewObject().Str("threadId", t.thread) }

// Prompt begins a turn of codex.
func (t *talk) Prompt(said string) host.Step {
	params := t.inThread().Raw("input", written(said)).Str("approvalPolicy", policy)
	switch {
	case t.turn.Walled:
		params.Raw("sandboxPolicy", []byte(outside))
	case t.turn.Mode != run.Plan:
		params.Raw("sandboxPolicy", []byte(widened))
	}
	return t.ask(startTurn, params)
}

// written returns a text as an input of codex.
func written(said string) []byte {
	part := wire.NewObject().Str("type", "text").Str("text", said).Bytes()
	return append(append([]byte("["), part...), ']')
}

// begun notes that codex works on a prompt.
func (t *talk) begun(id string) (s host.Step) {
	if t.again("turn " + id) {
		return s
	}
	t.current, t.said = id, ""
	if !t.heard {
		t.heard = true
		s = events(run.Event{Kind: run.Init, Text: host.Clip(t.about), Thread: t.thread})
	}
	if t.stopped {
		return s.And(t.Interrupt())
	}
	return s
}

// again reports whether something was seen before.
func (t *talk) again(what string) bool {
	seen := t.seen[what]
	t.seen[what] = true
	return seen
}

// Interrupt asks codex to end its turn, as soon as it has one.
func (t *talk) Interrupt() (s host.Step) {
	t.stopped = true
	for id := range t.asks {
		s = s.And(t.Answer(id, host.Answer{Interrupt: true}))
	}
	if t.current == "" {
		return s
	}
	return s.And(t.ask(interrupt, t.inThread().Str("turnId", t.current)))
}
