package hooks

import (
	"errors"
	"os"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/host/claude/hookoutput"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// maxHooksLog bounds the log of hooks; as much again is kept of before.
const maxHooksLog = 1 << 20

// maxDebugged bounds the input that is handed over to be masked, which takes the
// coordinator a second a megabyte.
const maxDebugged = 128 << 10

// debugFor bounds what a payload costs a hook while the person records them.
const debugFor = 500 * time.Millisecond

// The texts of a line are cut to so many bytes.
const (
	maxWord  = 80
	maxError = 300
)

// record writes the line about this run where AFAR_DEBUG is 1 or the person
// debugs. A project's settings can set that variable, so it has lines written and
// nothing else: they hold nothing of the input but event, session and tool, and
// the log is bounded. Payloads are recorded at the person's word alone. Whatever
// fails here changes nothing about the hook.
func (h *hook) record(decision string, failed error) {
	if h.client == nil {
		return // nobody knows where
	}
	d, on := home.Debugging(h.client.Dirs, time.Now())
	if !on && h.getenv("AFAR_DEBUG") != "1" {
		return
	}
	line := h.debugLine(decision, failed)
	_ = home.AppendLine(h.client.Dirs.HooksLog(), append(line, '\n'), maxHooksLog)
	if on && d.Payloads && len(h.input) > 0 && len(h.input)+len(h.printed) <= maxDebugged {
		h.handPayload(line)
	}
}

// handPayload gives the coordinator what this hook read and printed. The hook
// cannot mask it, so it never writes it.
func (h *hook) handPayload(line []byte) {
	in := wire.DebugRequest{Line: line, Payload: h.input, Printed: h.printed}
	_, _ = h.call(wire.OpDebug, in, debugFor)
}

func (h *hook) debugLine(decision string, failed error) []byte {
	line := wire.HookLine{
		At:       h.began.UnixMilli(),
		Event:    h.event.name,
		Decision: decision,
		TookUS:   time.Since(h.began).Microseconds(),
		Session:  text.ClipBytes(h.str(claude.FieldSession), maxWord),
		Tool:     text.ClipBytes(h.str(claude.FieldTool), maxWord),
		Agent:    text.ClipBytes(h.str(claude.FieldAgentType), maxWord),
		PID:      os.Getpid(),
		Bytes:    len(h.input),
	}
	if failed != nil {
		line.Error = text.ClipBytes(failed.Error(), maxError)
	}
	return wire.Encode(line)
}

// decided names what this run told the host: its decision where it has one, else
// what kind of text it printed.
func (h *hook) decided(code int, err error) string {
	var wake errWake
	switch {
	case errors.As(err, &wake):
		return "wake"
	case code != 0:
		return "closed"
	case len(h.printed) == 0 && err != nil:
		return "open" // it failed, and the host goes on
	case len(h.printed) == 0:
		return "none"
	}
	return text.ClipBytes(hookoutput.Word(h.printed), maxWord)
}
