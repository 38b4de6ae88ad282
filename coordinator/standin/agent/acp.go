package agent

import (
	"encoding/json"
	"os"
	"strconv"
)

// An acpFace speaks the Agent Client Protocol.
type acpFace struct {
	*rpc
	session string
	ready   map[string]bool // calls that were told
}

// An acpMessage is what the stand-in reads of a message.
type acpMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Params struct {
		Session string `json:"sessionId"`
		Prompt  []struct {
			Text string `json:"text"`
		} `json:"prompt"`
	} `json:"params"`
}

func acpMain() {
	noteArgs()
	f := &acpFace{rpc: newRPC("2.0"), ready: map[string]bool{}}
	lines(f.read)
}

func (f *acpFace) read(line []byte) {
	var m acpMessage
	if json.Unmarshal(line, &m) != nil {
		return
	}
	switch m.Method {
	case "initialize":
		f.reply(m.ID, map[string]any{
			"protocolVersion": 1, "agentCapabilities": map[string]any{"loadSession": true},
			"agentInfo": map[string]any{"name": "stand-in", "version": "1"},
		})
	case "session/new":
		f.session = "ses_" + strconv.Itoa(os.Getpid())
		f.opened(m)
	case "session/load":
		f.session = m.Params.Session
		f.update(map[string]any{"sessionUpdate": "agent_message_chunk", "content": block("an old message")})
		f.opened(m)
	case "session/set_mode":
		f.reply(m.ID, map[string]any{})
	case "session/prompt":
		f.renew()
		go f.work(m.ID, m.Params.Prompt[0].Text)
	case "session/cancel":
		f.interrupt()
	case "":
		f.answered(m.ID, m.Result)
	}
}

// work does what a prompt says, and answers the prompt when the play is over.
func (f *acpFace) work(id json.RawMessage, prompt string) {
	earlier := recall(f.session, prompt)
	over := &overFace{acpFace: f, id: id}
	play(over, prompt, earlier)
	if !over.ended {
		f.reply(id, map[string]any{"stopReason": "cancelled"})
	}
}

// An overFace answers the prompt when the play is over.
type overFace struct {
	*acpFace
	id    json.RawMessage
	ended bool
}

func (f *overFace) result(said string) {
	f.ended = true
	f.update(map[string]any{"sessionUpdate": "agent_message_chunk", "content": block(said)})
	f.reply(f.id, map[string]any{"stopReason": "end_turn", "usage": map[string]any{"totalTokens": 30}})
}

func (f *acpFace) opened(m acpMessage) {
	f.reply(m.ID, map[string]any{"sessionId": f.session, "modes": map[string]any{
		"currentModeId": "yolo", "availableModes": []any{map[string]any{"id": "default"}, map[string]any{"id": "yolo"}},
	}})
}

func block(said string) map[string]any { return map[string]any{"type": "text", "text": said} }

func (f *acpFace) update(v map[string]any) {
	f.print(map[string]any{"method": "session/update", "params": map[string]any{"sessionId": f.session, "update": v}})
}

func (f *acpFace) text(said string) {
	for _, half := range []string{said[:len(said)/2], said[len(said)/2:]} { // it comes in pieces
		f.update(map[string]any{"sessionUpdate": "agent_message_chunk", "content": block(half)})
	}
}

func (f *acpFace) think(said string) {
	f.update(map[string]any{"sessionUpdate": "agent_thought_chunk", "content": block(said)})
}

func toolCall(id, command string) map[string]any {
	return map[string]any{
		"toolCallId": id, "title": "Bash", "kind": "execute", "rawInput": map[string]any{"command": command},
		"status": "pending",
	}
}

func (f *acpFace) tool(id, command, result string, failed bool) {
	if !f.ready[id] {
		c := toolCall(id, command)
		c["sessionUpdate"] = "tool_call"
		f.update(c)
	}
	status := "completed"
	if failed {
		status = "failed"
	}
	f.update(map[string]any{
		"sessionUpdate": "tool_call_update", "toolCallId": id, "status": status,
		"content": []any{map[string]any{"type": "content", "content": block(result)}},
	})
}

func (f *acpFace) ask(id, command string) bool {
	f.ready[id] = true
	result := f.request(strconv.Quote(f.newID("ask-")), "session/request_permission", map[string]any{
		"sessionId": f.session, "toolCall": toolCall(id, command),
		"options": []any{
			map[string]any{"optionId": "forever", "kind": "allow_always", "name": "Always"},
			map[string]any{"optionId": "yes", "kind": "allow_once", "name": "Yes"},
			map[string]any{"optionId": "no", "kind": "reject_once", "name": "No"},
		},
	})
	var answer struct {
		Outcome struct {
			Outcome string `json:"outcome"`
			Option  string `json:"optionId"`
		} `json:"outcome"`
	}
	_ = json.Unmarshal(result, &answer) // an answer of another form is a no
	return answer.Outcome.Outcome == "selected" && answer.Outcome.Option == "yes"
}

func (f *acpFace) usage() {
	f.update(map[string]any{"sessionUpdate": "usage_update", "used": 100, "size": 1000})
}
func (f *acpFace) unknown()      { f.update(map[string]any{"sessionUpdate": "hologram"}) }
func (f *acpFace) result(string) {}
