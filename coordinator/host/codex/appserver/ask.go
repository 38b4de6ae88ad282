package appserver

import (
	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/host"
	"github.com/afar-sh/afar/coordinator/host/jsonrpc"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/wire"
)

// A question is a request of codex that waits for an answer. The answers are results.
type question struct {
	yes, no string
	cancel  string // no, and the turn ends
}

// approval are the answers to a question about a command or a change. Afar never gives an
// answer that holds for more than the one call.
var approval = question{
	yes:    `{"decision":"accept"}`,
	no:     `{"decision":"decline"}`,
	cancel: `{"decision":"cancel"}`,
}

// elicitation are the answers to a question about the tool of an MCP server.
var elicitation = question{
	yes:    `{"action":"accept","content":{}}`,
	no:     `{"action":"decline","content":null}`,
	cancel: `{"action":"cancel","content":null}`,
}

// refusals are the answers to requests that are always refused: what they are about is more than
// a single call, or needs more than a yes.
var refusals = map[string]string{
	"item/permissions/requestApproval": `{"permissions":{},"scope":"turn"}`,
	"item/tool/requestUserInput":       `{"answers":{}}`,
	"item/tool/call":                   `{"success":false,"contentItems":[]}`,
	"mcpServer/elicitation/request":    elicitation.no,
	"applyPatchApproval":               `{"decision":"denied"}`,
	"execCommandApproval":              `{"decision":"denied"}`,
}

func reply(id, result string) host.Step {
	return host.Step{Send: []string{jsonrpc.ReplyRaw(id, result)}}
}

// request takes a request of codex.
func (t *talk) request(m jsonrpc.Message, line string) host.Step {
	switch m.Method {
	case "item/commandExecution/requestApproval":
		return t.question(m, approval, m.Params.Get("itemId").Str(), t.command(m.Params))
	case "item/fileChange/requestApproval":
		id := m.Params.Get("itemId").Str()
		return t.question(m, approval, id, t.wants[id])
	case "mcpServer/elicitation/request":
		if c, ok := toolOf(m.Params); ok {
			return t.question(m, elicitation, t.open[c.Tool], []host.Call{c})
		}
	}
	no, ok := refusals[m.Method]
	if !ok {
		s := host.Raw(line)
		s.Send = []string{jsonrpc.Fail(m.ID, jsonrpc.MethodNotFound, "Afar does not offer "+m.Method)}
		return s
	}
	return reply(m.ID, no).And(refused(m, "Afar answers only questions about a single call, so this one is refused: "))
}

// refused says that a question was answered with no without a person.
func refused(m jsonrpc.Message, why string) host.Step {
	return events(run.Event{
		Kind: run.Error,
		Call: m.Params.Get("itemId").Str(),
		Text: host.Clip(why + m.Method + " " + m.Params.Raw()),
	})
}

// question passes on a question about calls.
func (t *talk) question(m jsonrpc.Message, q question, call string, wants []host.Call) host.Step {
	switch {
	case t.stopped:
		return reply(m.ID, q.cancel)
	case len(wants) == 0:
		return reply(m.ID, q.no).And(refused(m, "it does not say what it is about, so it is refused: "))
	case t.turn.Mode == run.Plan:
		return reply(m.ID, q.no).And(t.tell("The run is in plan mode: look, and write a plan. Nothing is changed."))
	}
	if _, open := t.asks[m.ID]; open {
		return host.Raw(m.Method + " has the id of another question")
	}
	t.asks[m.ID] = q
	return host.Step{Asks: []host.Ask{{ID: m.ID, Call: call, Calls: wants}}}
}

// Answer answers a question. Codex takes no reason with a no, so the model gets it as a text.
func (t *talk) Answer(id string, a host.Answer) host.Step {
	q, ok := t.asks[id]
	delete(t.asks, id)
	switch {
	case !ok:
		return host.Step{}
	case a.Interrupt:
		return reply(id, q.cancel)
	case a.Allow:
		return reply(id, q.yes)
	case a.Why == "":
		return reply(id, q.no)
	}
	return reply(id, q.no).And(t.tell(a.Why))
}

// tell tells the model something about a refusal while its turn runs.
func (t *talk) tell(said string) host.Step {
	if t.current == "" {
		return host.Step{}
	}
	params := t.inThread().Str("expectedTurnId", t.current).Raw("input", written("Afar, about the refused call: "+said))
	return t.ask(steerTurn, params)
}

// command returns what the approval of a command is about: the command, and the network that it
// wants to reach.
func (t *talk) command(v hostjson.Value) (wants []host.Call) {
	if v.Get("command").Str() != "" {
		wants = append(wants, t.shell(v))
	}
	if net := v.Get("networkApprovalContext"); net.IsObject() {
		scheme := "https"
		if net.Get("protocol").Str() == "http" {
			scheme = "http"
		}
		wants = append(wants, call("WebFetch", wire.NewObject().
			Str("url", scheme+"://"+net.Get("host").Str()+"/").
			Str("prompt", v.Get("reason").Str())))
	}
	return wants
}

// toolOf returns the call of an MCP server's tool that a request is about, if it is about one.
func toolOf(v hostjson.Value) (host.Call, bool) {
	about := v.Get("_meta")
	name := about.Get("tool_name").Str()
	if about.Get("codex_approval_kind").Str() != "mcp_tool_call" || name == "" {
		return host.Call{}, false
	}
	return host.Call{Tool: mcpTool(v.Get("serverName").Str(), name), Input: input(about.Get("tool_params"))}, true
}
