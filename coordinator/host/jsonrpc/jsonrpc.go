// Package jsonrpc reads and writes the lines of JSON-RPC 2.0, one message in each line, as
// agents speak it on stdin and stdout.
package jsonrpc

import (
	"cmp"
	"errors"
	"strconv"

	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/wire"
)

// A Kind says what a message is.
type Kind int

// The kinds of messages.
const (
	Request  Kind = iota // wants a reply
	Notice               // wants none
	Response             // answers a request of ours
)

// A Message is one line of the other side.
type Message struct {
	Kind   Kind
	ID     string // of a request or a response, as it is written in JSON
	Method string
	Params hostjson.Value
	Result hostjson.Value
	Error  *Error // of a response that failed
}

// An Error is why a request failed.
type Error struct {
	Code    string
	Message string
}

// MethodNotFound is the code of the error that we send.
const MethodNotFound = -32601

// errMessage says that a line is not a message.
var errMessage = errors.New("the line is not a JSON-RPC message")

// maxID bounds the id of a message, in bytes.
const maxID = 200

// Read reads a line.
func Read(line string) (m Message, err error) {
	v, err := hostjson.ParseLenient(line, 2*hostjson.MaxDepth)
	if err != nil || !v.IsObject() {
		return m, errMessage
	}
	id := v.Get("id")
	m = Message{
		ID:     id.Raw(),
		Method: v.Get("method").Str(),
		Params: v.Get("params"),
		Result: v.Get("result"),
	}
	hasID := id.Kind() == hostjson.String || id.Kind() == hostjson.Number
	switch {
	case len(m.ID) > maxID:
		return m, errMessage
	case m.Method != "" && hasID:
		m.Kind = Request
	case m.Method != "":
		m.Kind = Notice
	case !hasID:
		return m, errMessage
	default:
		m.Kind = Response
		m.Error = readError(v.Get("error"))
	}
	return m, nil
}

func readError(v hostjson.Value) *Error {
	if !v.IsObject() {
		return nil
	}
	said := cmp.Or(v.Get("data.details").Str(), v.Get("data.message").Str())
	e := &Error{Code: v.Get("code").Raw(), Message: cmp.Or(v.Get("message").Str(), "no reason given")}
	if said != "" && said != e.Message {
		e.Message += ": " + said
	}
	return e
}

// ask returns a request with a number of ours.
func ask(number int64, method string, params *wire.Object) string {
	return string(begin().Int("id", number).Str("method", method).Raw("params", params.Bytes()).Bytes())
}

// Requests are the requests that this side has sent and that have no response yet. The zero
// value is ready.
type Requests struct {
	last int64
	open map[int64]string // their methods, by number
}

// Ask returns the next request.
func (r *Requests) Ask(method string, params *wire.Object) string {
	if r.open == nil {
		r.open = map[int64]string{}
	}
	r.last++
	r.open[r.last] = method
	return ask(r.last, method, params)
}

// Answered returns the method of the request that a response answers, once.
func (r *Requests) Answered(m Message) (method string, ok bool) {
	method, ok = r.open[m.number()]
	delete(r.open, m.number())
	return method, ok
}

// Open reports whether a request with this method has no response yet.
func (r *Requests) Open(method string) bool {
	for _, open := range r.open {
		if open == method {
			return true
		}
	}
	return false
}

// Tell returns a message that wants no reply.
func Tell(method string, params *wire.Object) string {
	return string(begin().Str("method", method).Raw("params", params.Bytes()).Bytes())
}

// Reply answers a request of the other side, by its id.
func Reply(id string, result *wire.Object) string {
	return string(begin().Raw("id", []byte(id)).Raw("result", result.Bytes()).Bytes())
}

// ReplyRaw is Reply with a result that is JSON already.
func ReplyRaw(id, result string) string {
	return string(begin().Raw("id", []byte(id)).Raw("result", []byte(result)).Bytes())
}

// Fail answers a request of the other side with an error.
func Fail(id string, code int64, message string) string {
	why := wire.NewObject().Int("code", code).Str("message", message)
	return string(begin().Raw("id", []byte(id)).Raw("error", why.Bytes()).Bytes())
}

// number returns the number of a request of ours that a response answers, 0 for none.
func (m Message) number() int64 {
	n, err := strconv.ParseInt(m.ID, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func begin() *wire.Object { return wire.NewObject().Str("jsonrpc", "2.0") }
