package agent

import (
	"encoding/json"
	"os"
	"strconv"
)

// A codexFace speaks the JSON-RPC of `codex app-server`. It takes the mode that it is told, and
// asks in it.
type codexFace struct {
	*rpc
	thread string
	turns  int
	begun  map[string]bool // the items that were told
	ended  bool            // the turn has its end
}

// A codexMessage is what the stand-in reads of a message.
type codexMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Params struct {
		Thread   string `json:"threadId"`
		Policy   string `json:"approvalPolicy"`
		Reviewer string `json:"approvalsReviewer"`
		Input    []struct {
			Text string `json:"text"`
		} `json:"input"`
	} `json:"params"`
}

func codexMain() {
	noteArgs()
	f := &codexFace{rpc: newRPC(""), begun: map[string]bool{}}
	lines(f.read)
}

func (f *codexFace) read(line []byte) {
	var m codexMessage
	if json.Unmarshal(line, &m) != nil {
		return
	}
	switch m.Method {
	case "initialize":
		f.reply(m.ID, map[string]any{"userAgent": "afar/1.0.0 (stand-in)"})
	case "thread/start":
		f.thread = "thread-" + strconv.Itoa(os.Getpid())
		f.opened(m)
	case "thread/resume":
		f.thread = m.Params.Thread
		f.opened(m)
	case "turn/start":
		f.turns++
		f.ended = false
		f.renew()
		prompt := m.Params.Input[0].Text
		earlier := recall(f.thread, prompt) // before it tells that it has the prompt
		f.reply(m.ID, map[string]any{"turn": f.turn("inProgress")})
		go f.work(prompt, earlier)
	case "turn/steer":
		f.reply(m.ID, map[string]any{})
	case "turn/interrupt":
		f.interrupt()
		f.reply(m.ID, map[string]any{})
	case "":
		f.answered(m.ID, m.Result)
	}
}

// work does what a prompt says.
func (f *codexFace) work(prompt string, earlier []string) {
	f.tell("turn/started", map[string]any{"turn": f.turn("inProgress")})
	play(f, prompt, earlier)
	if !f.ended {
		f.tell("turn/completed", map[string]any{"turn": f.turn("interrupted")})
	}
}

func (f *codexFace) turn(status string) map[string]any {
	return map[string]any{"id": "turn-" + strconv.Itoa(f.turns), "status": status, "items": []any{}}
}

func (f *codexFace) opened(m codexMessage) {
	f.reply(m.ID, map[string]any{
		"thread": map[string]any{"id": f.thread}, "model": "stand-in", "approvalPolicy": m.Params.Policy,
		"approvalsReviewer": m.Params.Reviewer, "sandbox": map[string]any{"type": "readOnly"},
	})
}

func (f *codexFace) tell(method string, params map[string]any) {
	params["threadId"] = f.thread
	f.print(map[string]any{"method": method, "params": params})
}

func (f *codexFace) item(state, kind, id string, fields map[string]any) {
	fields["type"], fields["id"] = kind, id
	f.tell("item/"+state, map[string]any{"item": fields})
}

func (f *codexFace) text(said string) {
	f.item("completed", "agentMessage", f.newID("item-"), map[string]any{"text": said})
}

func (f *codexFace) think(said string) {
	f.item("completed", "reasoning", f.newID("item-"), map[string]any{"summary": []string{said}})
}

func (f *codexFace) begin(id, command string) {
	if !f.begun[id] {
		f.begun[id] = true
		f.item("started", "commandExecution", id, map[string]any{"command": command, "status": "inProgress"})
	}
}

func (f *codexFace) tool(id, command, result string, failed bool) {
	f.begin(id, command)
	status := "completed"
	if failed {
		status = "failed"
	}
	f.item("completed", "commandExecution", id, map[string]any{
		"command": command, "status": status, "aggregatedOutput": result,
	})
}

func (f *codexFace) ask(id, command string) bool {
	f.begin(id, command)
	result := f.request(f.newID(""), "item/commandExecution/requestApproval", map[string]any{
		"threadId": f.thread, "itemId": id, "kind": "command", "command": command,
		"availableDecisions": []string{"accept", "acceptForSession", "cancel"},
	})
	var answer struct {
		Decision string `json:"decision"`
	}
	_ = json.Unmarshal(result, &answer) // an answer of another form is a no
	return answer.Decision == "accept"
}

func (f *codexFace) usage() {
	tokens := map[string]any{"totalTokens": 30}
	f.tell("thread/tokenUsage/updated", map[string]any{
		"tokenUsage": map[string]any{"total": tokens, "last": tokens, "modelContextWindow": 60},
	})
}

func (f *codexFace) unknown() { f.tell("hologram", map[string]any{}) }

func (f *codexFace) result(said string) {
	f.ended = true
	f.text(said)
	f.usage()
	f.tell("turn/completed", map[string]any{"turn": f.turn("completed")})
}
