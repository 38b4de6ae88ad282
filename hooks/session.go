package hooks

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/client"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/host/claude/hookoutput"
	"github.com/afar-sh/afar/coordinator/ledger"
	"github.com/afar-sh/afar/coordinator/wire"
)

// register is the argument with which hook-session-start runs itself to deliver
// a registration to a coordinator that is still starting.
const register = "--register"

// The deadlines of the hooks that only tell the coordinator something.
const (
	pingFor     = 50 * time.Millisecond  // a hung coordinator delays a session at a terminal by at most this
	startFor    = 300 * time.Millisecond // for the reply of a running coordinator
	readyFor    = 500 * time.Millisecond // for a coordinator that this hook starts
	registerFor = 10 * time.Second
	endingFor   = time.Second // the host gives SessionEnd 1.5 s in all
	tellFor     = 2 * time.Second
)

// maxContext is the longest text, in bytes, that a session is given at once. The
// host cuts longer texts without notice.
const maxContext = 8000

// sessionStart registers the session. It does not wait for a coordinator that
// hangs or starts slowly: a detached copy of this binary delivers the
// registration. If no coordinator can do its work, sessionStart tells the person,
// once.
func sessionStart(h *hook, check func(Place) string) error {
	h.birthmark()
	// Without it nothing is known of the calls of the session.
	_ = ledger.Begin(h.client.Dirs.Calls(), h.str(claude.FieldSession), time.Now())
	id, broken := newID(), check(h.place())
	in := wire.SessionStartRequest{HookCall: h.hookCall(), Delivery: id, Broken: broken}
	r, err := h.registerNow(in)
	switch {
	case err == nil:
		return h.printTold(r.Context, strings.TrimSpace(broken+"\n"+h.greeting()))
	case cannotWork(err):
		return h.printTold("", h.withTrouble(broken, err))
	case errors.Is(err, client.ErrUnreachable) && !errors.Is(err, errForeign):
		in.Printed = wire.NotPrinted
		return errors.Join(h.printTold("", broken), h.registerLater(request(wire.OpSessionStart, in)))
	}
	return errors.Join(h.printTold("", broken), err)
}

// registerNow registers the session with a coordinator that answers at once, or
// with one that it starts.
func (h *hook) registerNow(in wire.SessionStartRequest) (out wire.SessionStartReply, err error) {
	silent, within := pingFor, startFor
	if !h.getenv.Dialogs() { // a run, say, which is told of its wall here; nobody waits at a terminal
		silent, within = 10*pingFor, 10*startFor
	}
	err = h.client.Ping(silent)
	if errors.Is(err, client.ErrSilent) {
		return out, err
	}
	call := h.client.Call
	if err != nil {
		call, within = h.client.CallStarting, max(within, readyFor)
	}
	return exchange(call, wire.OpSessionStart, in, within)
}

// withTrouble adds to a text for the person that Afar cannot do its work. It does so
// once for each session: not after the session was compacted or cleared.
func (h *hook) withTrouble(told string, err error) string {
	switch h.str(claude.FieldSource) {
	case "compact", "clear":
		return told
	}
	if h.off() {
		return told
	}
	trouble := "Afar's guard works, but nothing else of it does: " + errorText(err) + ". " + h.consequence() +
		" `afar doctor` says how to mend it."
	if told == "" {
		return trouble
	}
	return told + "\n" + trouble
}

// greeting returns what a person reads in the first session of a home, and in no other. It is for somebody who has read
// nothing: what is with the session now, and what to type next.
func (h *hook) greeting() string {
	isPersons := h.getenv.Attended() && h.str(claude.FieldSource) == "startup"
	if !isPersons || h.off() || home.Marked(h.client.Dirs.GreetedMark()) {
		return ""
	}
	if home.LeaveMark(h.client.Dirs.GreetedMark(), "") != nil {
		return "" // it would come in each session
	}
	afar := h.command()
	return "Afar is with this session. Its guard stops what must never run, in every permission mode. `" + afar +
		" open` shows on a local page what your sessions ask; `" + afar + " telegram connect` brings it to your phone; " +
		"/afar:loop TASK keeps a session at work until the task is done. This is said once."
}

// command returns what a person types to run afar: its path where no folder of PATH has it, as with the plugin alone.
func (h *hook) command() string {
	if home.LookIn(h.getenv("PATH"), "afar") != "" {
		return "afar"
	}
	return home.Program(h.client.Bin, "afar")
}

// consequence returns a sentence that says what happens to this session's questions.
func (h *hook) consequence() string {
	if h.getenv.Attended() {
		return "Questions stay at this terminal."
	}
	return "What needs an answer is refused."
}

// printContext prints a text for the model.
func (h *hook) printContext(text string) error { return h.printTold(text, "") }

// printTold prints a text for the model and one for the person.
func (h *hook) printTold(context, person string) error {
	if len(context) > maxContext {
		return fmt.Errorf("the coordinator's text of %d bytes is too long", len(context))
	}
	if context == "" && person == "" {
		return nil
	}
	return h.print(hookoutput.Context(h.event.name, context, person))
}

// registerLater starts a detached copy of this binary and hands it the request.
func (h *hook) registerLater(req wire.Request) error {
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("register later: %w", err)
	}
	in, out, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("register later: %w", err)
	}
	defer out.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("register later: %w", err)
	}
	defer null.Close()
	p, err := os.StartProcess(exe, []string{exe, register}, &os.ProcAttr{
		Files: []*os.File{in, null, null}, Env: os.Environ(), Sys: client.Detached(),
	})
	in.Close()
	if err != nil {
		return fmt.Errorf("register later: %w", err)
	}
	if _, err := out.Write(req.Body); err != nil {
		return fmt.Errorf("register later: %w", err)
	}
	return p.Release()
}

// sendRegistration reads a registration from stdin and sends it to the coordinator.
// The detached copy of hook-session-start runs it.
func sendRegistration(stdin io.Reader, getenv func(string) string) (code int) {
	body, err := io.ReadAll(io.LimitReader(stdin, maxInput))
	if err != nil {
		return 1
	}
	h := &hook{getenv: getenv}
	if err := h.locate(); err != nil {
		return 1
	}
	req := wire.Request{V: wire.Version, Op: string(wire.OpSessionStart), Body: body}
	if _, err := h.client.CallStarting(req, time.Now().Add(registerFor)); err != nil {
		return 1
	}
	return 0
}

func sessionEnd(h *hook) error {
	in := wire.SessionEndRequest{HookCall: h.hookCall()}
	_, err := call(h, wire.OpSessionEnd, in, endingFor)
	return err
}

func notification(h *hook) error {
	in := wire.NotificationRequest{HookCall: h.hookCall()}
	_, err := call(h, wire.OpNotification, in, tellFor)
	return err
}
