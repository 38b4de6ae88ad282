// Package wire defines the messages on the coordinator's Unix socket. It does not
// say who acts on them.
//
// One connection carries one request line and one reply line. A line is one
// JSON object of at most MaxLine bytes, ended by a newline. Unknown fields are
// ignored and unknown operations are answered with CodeUnknownOp, so that hooks
// of an older or newer build keep working with any coordinator.
//
// The package is pure and imports no JSON library: the hot hook binaries build
// their requests with Object and the rest of the program uses struct tags.
package wire

import "bytes"

// Version is the protocol version of this build. It rises only for a change that an
// old peer could misunderstand. New fields and new operations do not raise it.
const Version = 1

// MaxLine is the longest line that either side accepts, in bytes, with its newline.
const MaxLine = 64 << 20

// Codes of a reply. The empty code means success.
const (
	CodeOK         = ""
	CodeBadRequest = "bad_request" // the request cannot be understood; sending it again is useless
	CodeUnknownOp  = "unknown_op"  // this coordinator does not know the operation
	CodeDenied     = "denied"      // the caller may not ask for this
	CodeNotFound   = "not_found"   // nothing has that id
	CodeSettled    = "settled"     // the ask or snapshot has already ended; the message says how
	CodeClosing    = "closing"     // the coordinator is shutting down: dial again
	CodeUnwritable = "unwritable"  // the coordinator's disk is full, read-only or broken; nothing was changed
	CodeInternal   = "internal"    // the coordinator's own fault; it is in its log
)

// An Op is the name of an operation, with the types of its request and its reply. A request None is a call
// without a body. Whoever offers an operation and whoever calls it takes its Op, so that the compiler
// compares both ends.
type Op[Request, Reply any] string

// String returns the name that goes over the socket.
func (o Op[Request, Reply]) String() string { return string(o) }

// Named is the request of an operation on one thing: its id, or what people call it.
type Named struct {
	ID string `json:"id"`
}

// A Call is an operation with its request.
type Call[Reply any] struct {
	Op string
	In any
}

// With returns the call of the operation with a request.
func (o Op[Request, Reply]) With(in Request) Call[Reply] { return Call[Reply]{string(o), in} }

// Through returns the reply of do, which carries out an operation within the coordinator. do takes the name
// and the request, and returns a reply of the type that the Op names, or what decodes one.
func (c Call[Reply]) Through(do func(op string, in any) (any, error)) (out Reply, err error) {
	reply, err := do(c.Op, c.In)
	if err != nil {
		return out, err
	}
	if decode, is := reply.(func(into any) error); is {
		return out, decode(&out)
	}
	return reply.(Reply), nil
}

// Into returns out as what a reply is decoded into. It returns nil for a nil pointer: nobody wants the reply.
func Into[Reply any](out *Reply) any {
	if out == nil {
		return nil
	}
	return out
}

// A Request is one line from a hook or from the command line.
type Request struct {
	V    int    `json:"v"`
	Op   string `json:"op"`
	Body Raw    `json:"body,omitempty"`
}

// A Reply is the one line that answers a Request.
type Reply struct {
	V     int    `json:"v"`
	Code  string `json:"code"`
	Error string `json:"error,omitempty"`
	Body  Raw    `json:"body,omitempty"`
}

// Raw is JSON text that is passed on as it is.
type Raw []byte

// MarshalJSON returns the text itself; an empty Raw is null.
func (r Raw) MarshalJSON() ([]byte, error) {
	if len(r) == 0 {
		return []byte("null"), nil
	}
	return r, nil
}

// UnmarshalJSON keeps a copy of the text.
func (r *Raw) UnmarshalJSON(b []byte) error {
	*r = append((*r)[:0], b...)
	return nil
}

// Line returns the request as one line with its newline. Body must be valid
// JSON; line breaks between its tokens are folded, which keeps its meaning.
func (r Request) Line() []byte {
	body := []byte(r.Body)
	if len(body) == 0 {
		body = []byte("{}")
	}
	o := newObject(len(body)+128).Int("v", int64(r.V)).Str("op", r.Op).Raw("body", body)
	return append(o.Bytes(), '\n')
}

// Line returns the reply as one line with its newline. Body must be valid JSON, or
// nothing; line breaks between its tokens are folded, which keeps its meaning.
func (r Reply) Line() []byte {
	o := newObject(len(r.Body)+len(r.Error)+128).Int("v", int64(r.V)).Str("code", r.Code).OptStr("error", r.Error)
	if len(r.Body) > 0 {
		o.Raw("body", r.Body)
	}
	return append(o.Bytes(), '\n')
}

// letters are the characters in the names of operations.
const letters = "abcdefghijklmnopqrstuvwxyz.-"

// ReadLine reads a request line that Line wrote. It does not look into the body, which
// may not be valid JSON. It reports false for any other line, which may still be a
// request.
func ReadLine(line []byte) (r Request, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"v":1,"op":"`))
	op, rest, named := bytes.Cut(rest, []byte(`","body":`))
	body, ended := bytes.CutSuffix(rest, []byte("}\n"))
	if !ok || !named || !ended || len(bytes.Trim(op, letters)) > 0 {
		return Request{}, false
	}
	return Request{V: Version, Op: string(op), Body: body}, true
}
