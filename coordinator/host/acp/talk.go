package acp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/host"
	"github.com/afar-sh/afar/coordinator/host/claude/hostjson"
	"github.com/afar-sh/afar/coordinator/host/jsonrpc"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// version is the version of the protocol.
const version = 1

// The methods of the agent.
const (
	initialize = "initialize"
	newSession = "session/new"
	load       = "session/load"   // continues a conversation and repeats its history
	resume     = "session/resume" // continues a conversation
	setMode    = "session/set_mode"
	setModel   = "session/set_model"
	prompt     = "session/prompt"
	cancel     = "session/cancel"
)

// The methods of ours that the agent calls.
const (
	update     = "session/update"
	permission = "session/request_permission"
)

// A talk is the dialogue of one turn.
type talk struct {
	turn    host.Turn
	program program
	text    string // the prompt that waits for the session

	asked   map[int64]string // the methods of our requests without a response, by number
	number  int64            // of the last request
	agent   string           // the name and version of the program
	can     hostjson.Value   // its capabilities
	thread  string           // the session's id
	heard   bool             // the agent has read the prompt
	stopped bool             // the turn is to end
	used    run.Cost         // by the prompts so far

	said  chunks
	calls map[string]call     // by the agent's id
	asks  map[string][]option // open questions, by the id of their request
}

func newTalk(t host.Turn, text string) *talk {
	return &talk{
		turn:    t,
		program: of(t.Program),
		text:    text,
		asked:   map[int64]string{},
		calls:   map[string]call{},
		asks:    map[string][]option{},
	}
}

// Begin introduces Afar. It offers the agent neither files nor terminals, so that the agent
// uses its own, and asks.
func (t *talk) Begin() host.Step {
	files := wire.NewObject().Bool("readTextFile", false).Bool("writeTextFile", false)
	able := wire.NewObject().Raw("fs", files.Bytes()).Bool("terminal", false)
	return t.ask(initialize, wire.NewObject().
		Int("protocolVersion", version).
		Raw("clientCapabilities", able.Bytes()).
		Raw("clientInfo", wire.NewObject().Str("name", "afar").Str("version", "1").Bytes()))
}

// ask sends a request.
func (t *talk) ask(method string, params *wire.Object) host.Step {
	t.number++
	t.asked[t.number] = method
	return host.Step{Send: []string{jsonrpc.Ask(t.number, method, params)}}
}

// of begins the parameters of a message about the session.
func (t *talk) session() *wire.Object { return wire.NewObject().Str("sessionId", t.thread) }

// Read takes a line of the agent.
func (t *talk) Read(line string) host.Step {
	m, err := jsonrpc.Read(line)
	if err != nil {
		return host.Step{Events: []run.Event{{Kind: run.Raw, Text: clip(strings.ToValidUTF8(line, "\uFFFD")), Failed: true}}}
	}
	switch m.Kind {
	case jsonrpc.Response:
		return t.response(m, line)
	case jsonrpc.Notice:
		if m.Method == update {
			return t.update(m.Params)
		}
		return raw(line)
	}
	if m.Method == permission {
		return t.permission(m)
	}
	s := raw(line)
	s.Send = []string{jsonrpc.Fail(m.ID, jsonrpc.MethodNotFound, "Afar does not offer "+m.Method)}
	return s
}

// raw keeps what is not known.
func raw(said string) host.Step {
	return host.Step{Events: []run.Event{{Kind: run.Raw, Text: clip(said)}}}
}

// response takes the response to one of our requests.
func (t *talk) response(m jsonrpc.Message, line string) host.Step {
	method, ok := t.asked[m.Number()]
	if !ok {
		return raw(line)
	}
	delete(t.asked, m.Number())
	if m.Error != nil {
		return t.failed(method, *m.Error)
	}
	switch method {
	case initialize:
		return t.open(m.Result)
	case newSession, load, resume:
		return t.opened(m.Result)
	case prompt:
		return t.finished(m.Result)
	}
	return host.Step{}
}

// authRequired is the code of an agent that is not signed in.
const authRequired = "-32000"

// failed takes the failure of a request.
func (t *talk) failed(method string, e jsonrpc.Error) host.Step {
	switch method {
	case setModel:
		return refuse("it cannot use the model " + t.turn.Model + ": " + e.Message)
	case prompt:
		return t.end(run.Event{Text: e.Message, Failed: true, Final: t.stopped})
	}
	if e.Code == authRequired {
		return refuse("it is not signed in: " + e.Message)
	}
	return refuse(fmt.Sprintf("it failed at %s: %s", method, e.Message))
}

func refuse(why string) host.Step { return host.Step{Refuse: clip(text.Fold(why))} }

// open opens the session after the agent has introduced itself.
func (t *talk) open(v hostjson.Value) host.Step {
	if got := v.Get("protocolVersion").Raw(); got != fmt.Sprint(version) {
		return refuse(fmt.Sprintf("it speaks version %.20s of the protocol; want %d", got, version))
	}
	t.can = v.Get("agentCapabilities")
	t.agent = strings.TrimSpace(cmp.Or(v.Get("agentInfo.name").Str(), t.turn.Program) + " " + v.Get("agentInfo.version").Str())
	place := wire.NewObject().Str("cwd", t.turn.Dir).Raw("mcpServers", []byte("[]"))
	if !t.turn.Resumes || t.turn.Thread == "" {
		return t.ask(newSession, place)
	}
	t.thread = t.turn.Thread
	place.Str("sessionId", t.thread)
	switch {
	case t.can.Get("sessionCapabilities.resume").IsObject():
		return t.ask(resume, place)
	case t.can.Get("loadSession").Bool():
		return t.ask(load, place)
	}
	return refuse("this agent cannot continue a conversation")
}

// opened sets the mode and the model of the session and sends the prompt.
func (t *talk) opened(v hostjson.Value) host.Step {
	if id := v.Get("sessionId").Str(); id != "" {
		t.thread = id
	}
	if err := host.CheckThread(t.thread); err != nil || t.thread == "" {
		return refuse(fmt.Sprintf("it opened no session: %v", err))
	}
	s, ok := t.chooseMode(v.Get("modes"))
	if !ok {
		return s
	}
	if t.turn.Model != "" {
		s = s.And(t.ask(setModel, t.session().Str("modelId", t.turn.Model)))
	}
	return s.And(t.Prompt(t.text))
}

// chooseMode sets the mode in which the agent asks, whatever its settings say.
func (t *talk) chooseMode(modes hostjson.Value) (s host.Step, ok bool) {
	want := t.program.mode
	if t.turn.Mode == run.Plan {
		want = t.program.plan
	}
	if want == "" {
		return s, true
	}
	offered := slices.ContainsFunc(modes.Get("availableModes").Items(), func(m hostjson.Value) bool {
		return m.Get("id").Str() == want
	})
	if !offered {
		return refuse(fmt.Sprintf("it does not offer its mode %q, in which it asks", want)), false
	}
	return t.ask(setMode, t.session().Str("modeId", want)), true
}

// Prompt sends a prompt.
func (t *talk) Prompt(said string) host.Step {
	block := wire.NewObject().Str("type", "text").Str("text", said).Bytes()
	return t.ask(prompt, t.session().Raw("prompt", slices.Concat([]byte("["), block, []byte("]"))))
}

// Interrupt asks the agent to end the turn.
func (t *talk) Interrupt() (s host.Step) {
	t.stopped = true
	for id := range t.asks {
		s = s.And(t.Answer(id, host.Answer{}))
	}
	if t.thread != "" {
		s.Send = append(s.Send, jsonrpc.Tell(cancel, t.session()))
	}
	return s
}

// begun returns the event of a turn whose prompt the agent has read.
func (t *talk) begun() (events []run.Event) {
	if t.heard {
		return nil
	}
	t.heard = true
	return []run.Event{{Kind: run.Init, Text: clip(t.agent), Thread: t.thread}}
}

// prompted reports whether a prompt has no response yet.
func (t *talk) prompted() bool {
	for _, method := range t.asked {
		if method == prompt {
			return true
		}
	}
	return false
}
