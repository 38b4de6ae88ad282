package agent

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"sync"
)

// An rpc is one side of a conversation in JSON-RPC, one message a line, on stdin and stdout.
type rpc struct {
	version string // of JSON-RPC, if the protocol names it
	mu      sync.Mutex
	replies map[string]chan json.RawMessage // of its own requests
	number  int
	cancel  chan struct{}
	once    *sync.Once
}

func newRPC(version string) *rpc {
	r := &rpc{version: version, replies: map[string]chan json.RawMessage{}}
	r.renew()
	return r
}

// lines passes each message on, until nobody talks with the stand-in any more.
func lines(read func(line []byte)) {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		read(line)
	}
	if stays {
		select {}
	}
}

// renew begins a turn.
func (r *rpc) renew() { r.cancel, r.once = make(chan struct{}), &sync.Once{} }

// interrupt tells the turn to end.
func (r *rpc) interrupt() { r.once.Do(func() { close(r.cancel) }) }

func (r *rpc) told() <-chan struct{} { return r.cancel }

func (r *rpc) print(v map[string]any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.version != "" {
		v["jsonrpc"] = r.version
	}
	line, _ := json.Marshal(v)
	fmt.Println(string(line))
}

func (r *rpc) reply(id json.RawMessage, result any) {
	r.print(map[string]any{"id": id, "result": result})
}

// newID returns an id that no other request or item has.
func (r *rpc) newID(prefix string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.number++
	return prefix + strconv.Itoa(r.number)
}

// request sends a request and returns the result of its answer. The id is JSON.
func (r *rpc) request(id, method string, params map[string]any) json.RawMessage {
	c := make(chan json.RawMessage, 1)
	r.mu.Lock()
	r.replies[id] = c
	r.mu.Unlock()
	r.print(map[string]any{"id": json.RawMessage(id), "method": method, "params": params})
	return <-c
}

// answered passes the answer to a request on.
func (r *rpc) answered(id, result json.RawMessage) {
	r.mu.Lock()
	c := r.replies[string(id)]
	r.mu.Unlock()
	if c != nil {
		c <- result
	}
}

// recall is remember for a stand-in that cannot go on without its memory.
func recall(conversation, prompt string) (earlier []string) {
	earlier, err := remember(conversation, prompt)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	hear(conversation, prompt)
	return earlier
}
