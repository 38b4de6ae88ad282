package agent

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"sync"
)

// A codexFace speaks the JSON-RPC of `codex app-server` on stdin and stdout. It takes the mode
// that it is told, and asks in it.
type codexFace struct {
	thread  string
	mu      sync.Mutex
	replies map[string]chan json.RawMessage // of its own requests
	number  int
	turns   int
	cancel  chan struct{}
	once    *sync.Once
	begun   map[string]bool // the items that were told
	ended   bool            // the turn has its end
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
	f := &codexFace{replies: map[string]chan json.RawMessage{}, begun: map[string]bool{}}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			if stays {
				select {}
			}
			return
		}
		var m codexMessage
		if json.Unmarshal(line, &m) != nil {
			continue
		}
		switch m.Method {
		case "initialize":
			f.reply(m, map[string]any{"userAgent": "afar/1.0.0 (stand-in)"})
		case "thread/start":
			f.thread = "thread-" + strconv.Itoa(os.Getpid())
			f.opened(m)
		case "thread/resume":
			f.thread = m.Params.Thread
			f.opened(m)
		case "turn/start":
			f.turns++
			f.cancel, f.once, f.ended = make(chan struct{}), &sync.Once{}, false
			f.reply(m, map[string]any{"turn": f.turn("inProgress")})
			go f.work(m.Params.Input[0].Text)
		case "turn/steer":
			f.reply(m, map[string]any{})
		case "turn/interrupt":
			f.once.Do(func() { close(f.cancel) })
			f.reply(m, map[string]any{})
		case "":
			f.answered(m)
		}
	}
}

// work does what a prompt says.
func (f *codexFace) work(prompt string) {
	f.tell("turn/started", map[string]any{"turn": f.turn("inProgress")})
	earlier, err := remember(f.thread, prompt)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	play(f, prompt, earlier)
	if !f.ended {
		f.tell("turn/completed", map[string]any{"turn": f.turn("interrupted")})
	}
}

func (f *codexFace) answered(m codexMessage) {
	f.mu.Lock()
	c := f.replies[string(m.ID)]
	f.mu.Unlock()
	if c != nil {
		c <- m.Result
	}
}

func (f *codexFace) turn(status string) map[string]any {
	return map[string]any{"id": "turn-" + strconv.Itoa(f.turns), "status": status, "items": []any{}}
}

func (f *codexFace) opened(m codexMessage) {
	f.reply(m, map[string]any{
		"thread": map[string]any{"id": f.thread}, "model": "stand-in", "approvalPolicy": m.Params.Policy,
		"approvalsReviewer": m.Params.Reviewer, "sandbox": map[string]any{"type": "readOnly"},
	})
}

func (f *codexFace) print(v map[string]any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	line, _ := json.Marshal(v)
	fmt.Println(string(line))
}

func (f *codexFace) reply(m codexMessage, result any) {
	f.print(map[string]any{"id": m.ID, "result": result})
}

func (f *codexFace) tell(method string, params map[string]any) {
	params["threadId"] = f.thread
	f.print(map[string]any{"method": method, "params": params})
}

func (f *codexFace) item(state, kind, id string, fields map[string]any) {
	fields["type"], fields["id"] = kind, id
	f.tell("item/"+state, map[string]any{"item": fields})
}

func (f *codexFace) newID() string {
	f.number++
	return "item-" + strconv.Itoa(f.number)
}

func (f *codexFace) text(said string) {
	f.item("completed", "agentMessage", f.newID(), map[string]any{"text": said})
}

func (f *codexFace) think(said string) {
	f.item("completed", "reasoning", f.newID(), map[string]any{"summary": []string{said}})
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
	c := make(chan json.RawMessage, 1)
	f.mu.Lock()
	f.number++
	name := strconv.Itoa(f.number)
	f.replies[name] = c
	f.mu.Unlock()
	f.print(map[string]any{
		"id": f.number, "method": "item/commandExecution/requestApproval", "params": map[string]any{
			"threadId": f.thread, "itemId": id, "kind": "command", "command": command,
			"availableDecisions": []string{"accept", "acceptForSession", "cancel"},
		},
	})
	var answer struct {
		Decision string `json:"decision"`
	}
	_ = json.Unmarshal(<-c, &answer) // an answer of another form is a no
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

func (f *codexFace) told() <-chan struct{} { return f.cancel }
