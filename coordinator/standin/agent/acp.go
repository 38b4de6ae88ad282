package agent

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"sync"
)

// An acpFace speaks the Agent Client Protocol on stdin and stdout.
type acpFace struct {
	session string
	mu      sync.Mutex
	replies map[string]chan json.RawMessage // of its own requests
	number  int
	cancel  chan struct{}
	once    *sync.Once
	ready   map[string]bool // calls that were told
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Params struct {
		Session string `json:"sessionId"`
		Mode    string `json:"modeId"`
		Prompt  []struct {
			Text string `json:"text"`
		} `json:"prompt"`
	} `json:"params"`
}

func acpMain() {
	noteArgs()
	f := &acpFace{replies: map[string]chan json.RawMessage{}, ready: map[string]bool{}}
	f.renew()
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			if stays {
				select {}
			}
			return
		}
		var m message
		if json.Unmarshal(line, &m) != nil {
			continue
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
			go func() {
				earlier, err := remember(f.session, m.Params.Prompt[0].Text)
				if err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
				over := &overFace{acpFace: f, id: m.ID}
				play(over, m.Params.Prompt[0].Text, earlier)
				if !over.ended {
					f.reply(m.ID, map[string]any{"stopReason": "cancelled"})
				}
			}()
		case "session/cancel":
			f.once.Do(func() { close(f.cancel) })
		case "":
			f.mu.Lock()
			c := f.replies[string(m.ID)]
			f.mu.Unlock()
			if c != nil {
				c <- m.Result
			}
		}
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

func (f *acpFace) renew() { f.cancel, f.once = make(chan struct{}), &sync.Once{} }

func (f *acpFace) opened(m message) {
	f.reply(m.ID, map[string]any{"sessionId": f.session, "modes": map[string]any{
		"currentModeId": "yolo", "availableModes": []any{map[string]any{"id": "default"}, map[string]any{"id": "yolo"}},
	}})
}

func block(said string) map[string]any { return map[string]any{"type": "text", "text": said} }

func (f *acpFace) print(v map[string]any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	v["jsonrpc"] = "2.0"
	line, _ := json.Marshal(v)
	fmt.Println(string(line))
}

func (f *acpFace) reply(id json.RawMessage, result any) {
	f.print(map[string]any{"id": id, "result": result})
}

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
		"toolCallId": id, "title": "Bash", "kind": "execute", "rawInput": map[string]any{"command": command}, "status": "pending",
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
	c := make(chan json.RawMessage, 1)
	f.mu.Lock()
	f.number++
	name := strconv.Quote("ask-" + strconv.Itoa(f.number))
	f.replies[name] = c
	f.mu.Unlock()
	f.print(map[string]any{
		"id": json.RawMessage(name), "method": "session/request_permission", "params": map[string]any{
			"sessionId": f.session, "toolCall": toolCall(id, command),
			"options": []any{
				map[string]any{"optionId": "forever", "kind": "allow_always", "name": "Always"},
				map[string]any{"optionId": "yes", "kind": "allow_once", "name": "Yes"},
				map[string]any{"optionId": "no", "kind": "reject_once", "name": "No"},
			},
		},
	})
	var answer struct {
		Outcome struct {
			Outcome string `json:"outcome"`
			Option  string `json:"optionId"`
		} `json:"outcome"`
	}
	_ = json.Unmarshal(<-c, &answer)
	return answer.Outcome.Outcome == "selected" && answer.Outcome.Option == "yes"
}

func (f *acpFace) usage() {
	f.update(map[string]any{"sessionUpdate": "usage_update", "used": 100, "size": 1000})
}
func (f *acpFace) unknown()              { f.update(map[string]any{"sessionUpdate": "hologram"}) }
func (f *acpFace) result(string)         {}
func (f *acpFace) told() <-chan struct{} { return f.cancel }
