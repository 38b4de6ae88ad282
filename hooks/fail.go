package hooks

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/afar-sh/afar/coordinator/client"
	"github.com/afar-sh/afar/coordinator/host/claude/hookoutput"
	"github.com/afar-sh/afar/coordinator/ledger"
	"github.com/afar-sh/afar/coordinator/wire"
)

// A class says what a hook does when it cannot do its work. Older clients let the
// tool run when a hook dies, so each class decides for itself.
type class int

const (
	guards class = iota // closed: the call does not run
	asks                // the person decides at the dialog; without one, a refusal
	other               // open and silent: the session goes on as without Afar
)

// A failure is what a hook does instead of its work.
type failure int

const (
	silence failure = iota // exit 0, nothing printed
	refuse                 // exit 0, a refusal with its reason in the host's form
	closed                 // exit 2, the reason on stderr
)

// policy is the whole fail policy: what each class does with a person at the
// terminal and without one.
var policy = [...]struct{ attended, unattended failure }{
	guards: {closed, closed},
	asks:   {silence, refuse},
	other:  {silence, silence},
}

// signalExit returns the exit code of a hook of this class that is ended by a
// signal. A guard without a verdict must not end with 0: that lets the tool run.
func (c class) signalExit() int {
	if c == guards {
		return exitClosed
	}
	return 0
}

// exitClosed is the exit code with which a hook stops its call, on every client.
const exitClosed = 2

// errAsk is a failed question of the guard. The call is risky, not forbidden, so
// the hook fails like one of class asks.
type errAsk struct{ err error }

func (e errAsk) Error() string { return e.err.Error() }
func (e errAsk) Unwrap() error { return e.err }

// fail carries out the policy for err and returns the exit code.
func (h *hook) fail(err error, stderr io.Writer) int {
	class := h.event.class
	var question errAsk
	if errors.As(err, &question) {
		class = asks
	}
	do := policy[class].unattended
	if h.getenv.Attended() && !h.event.dialogless {
		do = policy[class].attended
	}
	switch do {
	case refuse:
		return h.refuse(refusalText(err), stderr)
	case silence:
		return h.leaveToDialog(err, stderr)
	case closed:
		if h.event.judgesCalls() && h.client != nil {
			h.keep(ledger.Denied)
		}
		fmt.Fprintf(stderr, "Afar's guard could not judge %s: %v\n", h.unjudged(), err)
		return exitClosed
	}
	return 0
}

// unjudged returns what the guard could not judge, and what follows from it.
func (h *hook) unjudged() string {
	switch h.event.name {
	case promptExpansion:
		return "what this command runs, so it is blocked"
	case "ConfigChange":
		return "this change of settings, so the session does not take it over"
	}
	return "this call, so it does not run"
}

// leaveToDialog says why a question stays at the terminal although the person may
// expect it on the phone. Clients up to 2.1.330 accept the text but do not show it;
// people see only the notice at the start of the session.
func (h *hook) leaveToDialog(err error, stderr io.Writer) int {
	if h.event.name != "PermissionRequest" || !cannotWork(err) {
		return 0
	}
	text := "Afar: this question is asked here alone: " + errorText(err) + ". `afar doctor` says how to mend it."
	if err := h.print(hookoutput.Notice(text)); err != nil {
		fmt.Fprintln(stderr, err)
	}
	return 0
}

// cannotWork reports whether err says that no coordinator can do its work until
// somebody mends the cause.
func cannotWork(err error) bool {
	return errors.Is(err, client.ErrCannotStart) || errors.Is(err, errUnwritable)
}

// refusalText returns the text of a refusal because of err.
func refusalText(err error) string {
	text := "Nobody could be asked: " + errorText(err) + "."
	if errors.Is(err, client.ErrUnreachable) || errors.Is(err, errUnwritable) {
		text += " Do not retry in another form; write down what is needed and go on without it."
	}
	return text
}

// errorText returns the text of an error for a person to read.
func errorText(err error) string {
	text := strings.TrimRight(err.Error(), ".")
	for _, known := range []error{client.ErrCannotStart, errUnwritable} {
		if _, why, found := strings.Cut(text, known.Error()+": "); found && errors.Is(err, known) {
			what := strings.TrimPrefix(strings.TrimPrefix(known.Error(), "it "), "the coordinator ")
			return "its coordinator " + what + " (" + why + ")"
		}
	}
	if errors.Is(err, client.ErrUnreachable) {
		return "Afar's coordinator is not reachable (" + text + ")"
	}
	return text
}

// refuse prints a refusal in the form of the hook's event.
func (h *hook) refuse(text string, stderr io.Writer) int {
	if err := h.print(h.denial(text)); err != nil {
		fmt.Fprintln(stderr, err)
		return exitClosed
	}
	return 0
}

// denial returns a refusal in the form of the hook's event. If the guard refuses,
// it also notes the denial in the ledger.
func (h *hook) denial(text string) *wire.Object {
	if h.event.name == "Elicitation" {
		return hookoutput.Elicitation("cancel", nil) // it has no place for a reason
	}
	if h.event.name == promptExpansion {
		return hookoutput.BlockPrompt(promptExpansion, text)
	}
	if h.event.judgesCalls() {
		h.keep(ledger.Denied)
		return h.decide(hookoutput.Deny, text)
	}
	return hookoutput.Refuse(text, false)
}

// judgesCalls reports whether the guard judges each call of the event before it is made.
func (e Event) judgesCalls() bool { return e.name == "PreToolUse" || e.dialogless }

// decide returns a decision about a call before it is made.
func (h *hook) decide(decision, reason string) *wire.Object {
	return hookoutput.Decide(h.event.name, decision, reason)
}
