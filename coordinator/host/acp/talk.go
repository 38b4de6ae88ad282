package acp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/host"
	"github.com/afar-sh/afar/coordinator/host/jsonrpc"
	"github.com/afar-sh/afar/coordinator/internal/run"
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
	setOption  = "session/set_config_option"
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

	setup   []setting        // what must be set before the prompt
	asked   jsonrpc.Requests // our requests without a response
	agent   string           // the name and version of the program
	can     hostjson.Value   // its capabilities
	thread  string           // the session's id
	heard   bool             // the agent has read the prompt
	stopped bool             // the turn is to end
	denied  []string         // why calls were denied since the agent last said something
	retold  int              // how often it was told why
	used    run.Cost         // by the prompts so far

	said  chunks
	calls map[string]call     // by the agent's id
	asks  map[string][]option // open questions, by the id of their request
}

func newTalk(t host.Turn, text string) *talk {
	return &talk{
		turn:    t,
		program: programs[t.Program],
		text:    text,
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
	return host.Step{Send: []string{t.asked.Ask(method, params)}}
}

// session begins the parameters of a message about the session.
func (t *talk) session() *wire.Object { return wire.NewObject().Str("sessionId", t.thread) }

// Read takes a line of the agent.
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
		if m.Method == update {
			return t.update(m.Params)
		}
		return host.Raw(line)
	}
	if m.Method == permission {
		return t.permission(m)
	}
	s := host.Raw(line)
	if slices.ContainsFunc(notOffered, func(prefix string) bool { return strings.HasPrefix(m.Method, prefix) }) {
		s.Events = nil // some agents ask all the same
	}
	s.Send = []string{jsonrpc.Fail(m.ID, jsonrpc.MethodNotFound, "Afar does not offer "+m.Method)}
	return s
}

// notOffered are how the methods begin that Afar says it does not have.
var notOffered = []string{"fs/", "terminal/"}

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
		return t.open(m.Result)
	case newSession, load, resume:
		return t.opened(m.Result)
	case prompt:
		return t.finished(m.Result)
	}
	return t.ready()
}

// authRequired is the code of an agent that is not signed in.
const authRequired = "-32000"

// failed takes the failure of a request.
func (t *talk) failed(method string, e jsonrpc.Error) host.Step {
	if method == prompt {
		return t.end(run.Event{Text: e.Message, Failed: true, Final: t.stopped})
	}
	if e.Code == authRequired {
		return host.Refusal("it is not signed in: " + e.Message)
	}
	why := fmt.Sprintf("it failed at %s: %s", method, e.Message)
	if method == load && t.program.lost != "" {
		why = strings.TrimSuffix(why, ".") + ". Perhaps " + t.program.lost + "."
	}
	return host.Refusal(why)
}

// open opens the session after the agent has introduced itself.
func (t *talk) open(v hostjson.Value) host.Step {
	if got := v.Get("protocolVersion").Raw(); got != fmt.Sprint(version) {
		return host.Refusal(fmt.Sprintf("it speaks version %.20s of the protocol; want %d", got, version))
	}
	t.can = v.Get("agentCapabilities")
	t.agent = strings.TrimSpace(cmp.Or(v.Get("agentInfo.name").Str(), t.turn.Program) + " " +
		v.Get("agentInfo.version").Str())
	servers, err := t.servers()
	if err != nil {
		return host.Refusal(err.Error())
	}
	place := wire.NewObject().Str("cwd", t.turn.Dir).Raw("mcpServers", servers)
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
	return host.Refusal("this agent cannot continue a conversation")
}

// opened begins with the settings of the session.
func (t *talk) opened(v hostjson.Value) host.Step {
	if id := v.Get("sessionId").Str(); id != "" {
		t.thread = id
	}
	if err := host.CheckThread(t.thread); err != nil || t.thread == "" {
		return host.Refusal(fmt.Sprintf("it opened no session: %v", err))
	}
	for _, want := range []struct {
		what, value, kind string // the kind is the protocol's name of the setting
	}{{"mode", t.wantedMode(), "mode"}, {"model", t.turn.Model, "model"}} {
		set, ok := offered(v, want.kind, want.value)
		switch {
		case want.value == "":
		case !ok:
			return host.Refusal(fmt.Sprintf("it does not offer the %s %q", want.what, want.value))
		default:
			t.setup = append(t.setup, set)
		}
	}
	return t.ready()
}

// wantedMode returns the mode in which the agent asks, whatever its settings say, "" if none
// is known.
func (t *talk) wantedMode() string {
	if t.turn.Mode == run.Plan {
		return t.program.plan
	}
	return t.program.mode
}

// A setting is one setting of a session, with the request that makes it.
type setting struct{ method, field, id, value string }

// offered returns the setting of a kind, mode or model, in the form in which the session offers
// it. ok is false if the session does not offer the value.
func offered(v hostjson.Value, kind, value string) (s setting, ok bool) {
	for _, o := range v.Get("configOptions").Items() {
		if o.Get("category").Str() == kind {
			s = setting{method: setOption, field: "value", id: o.Get("id").Str(), value: value}
			return s, has(o.Get("options"), "value", value)
		}
	}
	switch kind {
	case "mode":
		s = setting{method: setMode, field: "modeId", value: value}
		return s, has(v.Get("modes.availableModes"), "id", value)
	default:
		s = setting{method: setModel, field: "modelId", value: value}
		return s, has(v.Get("models.availableModels"), "modelId", value)
	}
}

// has reports whether one of the items of a list has a field of this value. Items may be groups.
func has(list hostjson.Value, field, value string) bool {
	return slices.ContainsFunc(list.Items(), func(item hostjson.Value) bool {
		return item.Get(field).Str() == value || has(item.Get("options"), field, value)
	})
}

// ready makes the next setting, or sends the prompt when all are made. So the agent asks
// before it reads the prompt, and its history has come to an end.
func (t *talk) ready() host.Step {
	if len(t.setup) == 0 {
		return t.Prompt(t.text)
	}
	next := t.setup[0]
	t.setup = t.setup[1:]
	return t.ask(next.method, t.session().OptStr("configId", next.id).Str(next.field, next.value))
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
	return []run.Event{{Kind: run.Init, Text: host.Clip(t.agent), Thread: t.thread}}
}
