package hooks

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/afar-sh/afar/coordinator/client"
	"github.com/afar-sh/afar/coordinator/wire"
)

// register is the argument with which hook-session-start runs itself to deliver
// a registration to a coordinator that is still starting.
const register = "--register"

// The deadlines of the hooks that only tell something.
const (
	startFor    = 300 * time.Millisecond
	registerFor = 10 * time.Second
	endingFor   = time.Second // the host gives SessionEnd 1.5 s in all
	tellFor     = 2 * time.Second
)

// maxContext is what a session may be told at once; the host cuts longer texts
// without a word.
const maxContext = 8000

// sessionStart registers the session. It does not wait for a coordinator that
// is not there: a detached copy of this binary delivers the registration.
func sessionStart(h *hook, check func(Place) string) error {
	h.birthmark()
	id, broken := newID(), check(h.place())
	body := func() *wire.Object { return h.body().Str("delivery", id).OptStr("broken", broken) }
	line, err := h.client.Call(request(wire.OpSessionStart, body()), time.Now().Add(startFor))
	if err != nil {
		return errors.Join(h.printTold("", broken), h.registerLater(request(wire.OpSessionStart, body().Str("verb", wire.NotPrinted))))
	}
	r, err := parseReply(line)
	if err != nil {
		return errors.Join(h.printTold("", broken), err)
	}
	return h.printTold(r.str("context"), broken)
}

func (h *hook) printContext(text string) error { return h.printTold(text, "") }

// printTold prints a text for the model and one for the person.
func (h *hook) printTold(context, person string) error {
	if len(context) > maxContext {
		return fmt.Errorf("the coordinator's text of %d bytes is too long", len(context))
	}
	out := wire.NewObject()
	if context != "" {
		out = h.specific(wire.NewObject().Str("hookEventName", h.event.name).Str("additionalContext", context))
	}
	if context == "" && person == "" {
		return nil
	}
	return h.print(out.OptStr("systemMessage", person))
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

// sendRegistration is what the detached copy does.
func sendRegistration(stdin io.Reader, getenv func(string) string) (code int) {
	body, err := io.ReadAll(io.LimitReader(stdin, maxInput))
	if err != nil {
		return 1
	}
	h := &hook{getenv: getenv}
	if err := h.locate(); err != nil {
		return 1
	}
	req := wire.Request{V: wire.Version, Op: wire.OpSessionStart, Body: body}
	if _, err := h.client.CallStarting(req, time.Now().Add(registerFor)); err != nil {
		return 1
	}
	return 0
}

func sessionEnd(h *hook) error {
	_, err := h.call(wire.OpSessionEnd, h.body(), endingFor)
	return err
}

func notification(h *hook) error {
	_, err := h.call(wire.OpNotification, h.body(), tellFor)
	return err
}
