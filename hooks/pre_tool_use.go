package hooks

import (
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/host/claude/hookoutput"
	"github.com/afar-sh/afar/coordinator/ledger"
	"github.com/afar-sh/afar/coordinator/wire"
)

// noteFor bounds the note about a verdict: the call must not wait for it.
const noteFor = 50 * time.Millisecond

// preToolUse is the guard. A call on which it has no opinion costs no more
// than judging it: no coordinator and no wait, but where the person has just
// let a call be tried again that auto mode refused.
func preToolUse(h *hook, guard Guard) error {
	h.keep(ledger.Seen)
	d, err := h.judge(guard)
	switch {
	case err != nil:
		return err
	case d.Verdict == Deny:
		return h.print(h.denial(strings.TrimSpace(d.refused() + " " + forPerson + " " + h.note(d).str("context"))))
	}
	if reason := h.halted(""); reason != "" {
		return h.print(h.denial(reason))
	}
	switch {
	case d.Verdict == Ask:
		return h.guardAsks(d)
	case d.Broken != "":
		return h.warn(d.Broken)
	case d.Consults:
		h.consults()
	}
	return h.tryAgain()
}

// keep writes down that the guard saw the call, or denied it. A call that runs
// all the same, or that nobody wrote down, is found by that.
func (h *hook) keep(v ledger.Verdict) {
	ledger.Write(h.client.Dirs.Calls(), h.str(claude.FieldSession), h.str(claude.FieldToolUse), v)
}

// warn tells the person once that the policy is broken.
func (h *hook) warn(broken string) error {
	in := wire.GuardedRequest{HookCall: h.hookCall(), Verdict: wire.PolicyBroken, Broken: broken}
	r, err := h.call(wire.OpGuarded, in, noteFor)
	if notice := r.str("notice"); err == nil && notice != "" {
		return h.print(hookoutput.Notice(notice))
	}
	return nil
}

// guardAsks brings a risky call to the person. The terminal client opens its
// dialog, which fires PermissionRequest. In a print session the host would
// refuse, so this hook waits itself. Where its death would let the call run, it
// refuses at once and parks the call.
func (h *hook) guardAsks(d Judgement) error {
	if h.getenv.Dialogs() {
		err := h.print(hookoutput.PreToolUse(hookoutput.Ask, d.Person+h.snapshot(d)))
		h.note(d)
		return err
	}
	if h.off() {
		h.note(d)
		return h.print(h.denial(d.refused() + " Nobody can be asked in this mode: park the step and say what you need."))
	}
	if !h.deathStops() {
		h.note(d)
		return h.park(d)
	}
	a, err := h.ask("guard", d.Person)
	if err != nil {
		return errAsk{err}
	}
	return h.printAnswer(a)
}

// note tells the coordinator of a verdict. The verdict stands without it: the
// reply of one that is away is empty.
func (h *hook) note(d Judgement) reply {
	r, err := h.call(wire.OpGuarded, wire.GuardedRequest{
		HookCall: h.hookCall(), Verdict: string(d.Verdict), Rule: d.Rule, Part: d.Part, From: d.From,
	}, noteFor)
	if err != nil {
		return reply{}
	}
	return r
}
