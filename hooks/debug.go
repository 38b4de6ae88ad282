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

// maxHooksLog is the largest size of the hooks' log. One older log of the same
// size is kept.
const maxHooksLog = 1 << 20

// maxDebugged is the largest input that is handed to the coordinator for masking.
// Masking takes about a second per megabyte.
const maxDebugged = 128 << 10

// debugFor is the longest that a hook spends on handing over its payload while the
// person records payloads.
const debugFor = 500 * time.Millisecond

// The texts of a line are cut to these numbers of bytes.
const (
	maxWord  = 80
	maxError = 300
)

// record writes a line about this run to the log, if AFAR_DEBUG is 1 or the person
// has switched debugging on. A project's settings can set AFAR_DEBUG, so the
// variable only turns on the lines: a line holds no more of the input than event,
// session, tool and agent type, and the log is bounded. Payloads are recorded only
// when the person asked for them. A failure here does not change what the hook
// does.
func (h *hook) record(decision string, failed error) {
	if h.client == nil {
		return // the directory of the log is unknown
	}
	d, on := home.Debugging(h.client.Dirs, time.Now())
	if !on && h.getenv("AFAR_DEBUG") != "1" {
		return
	}
	line := h.debugLine(decision, failed)
	_ = home.AppendLine(h.client.Dirs.HooksLog(), append(line, '\n'), maxHooksLog)
	if d.Payloads && len(h.input) > 0 && len(h.input)+len(h.printed) <= maxDebugged {
		h.handPayload(line)
	}
}

// handPayload gives the coordinator what this hook read and printed. The hook
// cannot mask secrets, so it never writes the payload itself.
func (h *hook) handPayload(line []byte) {
	in := wire.DebugRequest{Line: line, Payload: h.input, Printed: h.printed}
	_, _ = call(h, wire.OpDebug, in, debugFor)
}

// debugLine returns the line of the log about this run.
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

// decided returns a word for what this run told the host: its decision if there is
// one, else the kind of text that it printed.
func (h *hook) decided(code int, err error) string {
	var wake errWake
	switch {
	case errors.As(err, &wake):
		return "wake"
	case code != 0:
		return "closed"
	case len(h.printed) > 0:
		return text.ClipBytes(hookoutput.Word(h.printed), maxWord)
	case err != nil:
		return "open" // it failed, and the host goes on
	}
	return "none"
}
