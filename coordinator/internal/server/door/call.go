package door

import (
	"cmp"
	"context"
	"os/user"
	"time"

	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/peer"
	"github.com/afar-sh/afar/coordinator/redact"
)

// The names of the command line, the phone and the page as channels.
const (
	Terminal = core.Terminal
	Telegram = "telegram"
	Web      = "web"
)

// A Call is one request being answered.
type Call struct {
	Ctx  context.Context // ends with the caller's connection and with the server
	Line []peer.Process  // the caller and its ancestors, nearest first

	door *Door
	op   string // the operation
	row  Operation
	body []byte
	// parsed is the body, once it is read.
	parsed hostjson.Value
	via    string      // the channel that it comes from, "" for the socket
	act    channel.Act // what the person did there, if the reply is told later
	on     string      // the machine that carries it out and whose reply is told later, "" for none
	by     string      // who decides, as the channel knows them; "" for all others
	stored bool        // its reply is stored until a channel tells it, see Kept
	// printed records whether the caller printed the reply before it ended; nil if that
	// does not matter.
	printed func(bool) error
	receipt chan bool // gets whether the caller sent a receipt after its request
	then    []func()
}

// OnBehalf returns a call that the coordinator itself makes for what somebody decided on a channel before.
func OnBehalf(ctx context.Context, by, channel string) *Call {
	return &Call{Ctx: ctx, by: by, via: channel}
}

// maxWait is the longest wait of one call, after which the caller asks again.
const maxWait = 25 * time.Second

// Wait returns the context of a call that waits for so many milliseconds, at most maxWait.
func (c *Call) Wait(ms int64) (context.Context, context.CancelFunc) {
	return context.WithTimeout(c.Ctx, min(time.Duration(ms)*time.Millisecond, maxWait))
}

// Then has work done after the reply. The host waits for its hook and need not wait for this work too.
func (c *Call) Then(work func()) { c.then = append(c.then, work) }

// Go does work beside the calls. The door waits for it when it closes.
func (c *Call) Go(work func()) { c.door.calls.Go(work) }

// OnReceipt has record told whether the caller printed the reply before it ended.
func (c *Call) OnReceipt(record func(printed bool) error) { c.printed = record }

// Author returns the session in whose name the caller writes, the zero Session for none, and who that is in words.
func (c *Call) Author() (session.Session, string) { return c.door.cfg.Callers.Author(c.Line) }

// Inside says in which session the caller is, "" for none.
func (c *Call) Inside() string { return c.door.cfg.Callers.Inside(c.Line) }

// As returns the call as one for another operation.
func (c *Call) As(op string) *Call {
	as := *c
	as.op = op
	return &as
}

// Process returns the process that makes a call. It returns the zero value if the system
// does not tell.
func (c *Call) Process() session.Process {
	if len(c.Line) == 0 {
		return session.Process{}
	}
	return session.Process{PID: c.Line[0].PID, Born: c.Line[0].Born}
}

// exe returns the program of the caller. It returns "" if the caller is unknown.
func (c *Call) exe() string {
	if len(c.Line) == 0 {
		return ""
	}
	return c.Line[0].Exe
}

// ended reports whether the caller has ended.
func (c *Call) ended() bool { return len(c.Line) == 0 || peer.Birth(c.Line[0].PID) == "" }

// Channel returns the name of the channel that a call comes from.
func (c *Call) Channel() string { return cmp.Or(c.via, Terminal) }

// OnChannel reports whether a call comes from the page or the phone, not over the socket.
func (c *Call) OnChannel() bool { return c.via != "" }

// Decider returns who decides with a call.
func (c *Call) Decider() string {
	if c.by != "" {
		return c.by
	}
	at := "the " + c.Channel()
	if c.via == Web {
		at = "the page"
	}
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username + " at " + at
	}
	return at
}

// Kept returns a secret for a reply: hidden if the reply is stored.
func (c *Call) Kept(secret string) string {
	if c.stored && secret != "" {
		return redact.Hidden
	}
	return secret
}

// Payload returns the hook's input in a request. As in every object, the last of two
// members with the same name counts.
func (c *Call) Payload() (input hostjson.Value) {
	for name, v := range c.parsed.Members() {
		if name == "payload" {
			input = v
		}
	}
	return input
}
