package hooks

import (
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/host/claude/hookoutput"
	"github.com/afar-sh/afar/coordinator/ledger"
	"github.com/afar-sh/afar/coordinator/wire"
)

// noteFor is the limit for telling the coordinator something while a call waits.
const noteFor = 50 * time.Millisecond

// preToolUse runs the guard, for PreToolUse and PreSkillShellCommand.
// If the guard has no opinion on a call, the hook does
// not wait and does not call the coordinator, with three exceptions: the person has
// just stopped a turn or allowed a retry, or the call consults. A broken policy is
// also reported.
func preToolUse(h *hook, guard Guard) error {
	h.keep(ledger.Seen)
	d, err := h.judge(guard)
	if err != nil {
		return err
	}
	if d.Verdict == Deny {
		text := d.refused() + " " + forPerson + " " + h.note(d).Context
		return h.print(h.denial(strings.TrimSpace(text)))
	}
	if reason := h.halted(""); reason != "" {
		return h.print(h.denial(reason))
	}
	switch {
	case d.Verdict == Ask && !h.bounded(d):
		return h.guardAsks(d)
	case d.Broken != "":
		return h.warn(d.Broken)
	case d.Changed != "":
		return h.print(hookoutput.Notice(changedText(d.Changed)))
	case d.Consults:
		h.tellConsult()
	case h.ownTool():
		return h.print(h.decide(hookoutput.Allow, "a tool of Afar"))
	}
	return h.tryAgain()
}

// ownTool reports whether the call is one of Afar's own tools, served where the page is. The
// settings of a project can name another server for them, whose tools are not Afar's.
func (h *hook) ownTool() bool {
	if !wire.OwnTool(h.str(claude.FieldTool)) || h.off() {
		return false
	}
	served, _ := h.client.Dirs.Page()
	named := h.getenv("AFAR_WEB_ADDR")
	return named == "" || named == served
}

// keep notes in the ledger that the guard saw the call, or denied it. The ledger
// shows calls that ran although they were denied, or that the guard never saw.
func (h *hook) keep(v ledger.Verdict) {
	ledger.Write(h.client.Dirs.Calls(), h.str(claude.FieldSession), h.str(claude.FieldToolUse), v)
}

// changedText says of a file that it may not be what the client loads.
func changedText(path string) string {
	return "Afar: " + path + " changed after this session began. The guard judged the commands in it, and the client " +
		"may run those that were in it before. Start the session again, or update to Claude Code " +
		claude.PutsSkills + ", which puts each command to the guard."
}

// warn tells the person once that the policy is broken.
func (h *hook) warn(broken string) error {
	in := wire.GuardedRequest{HookCall: h.hookCall(), Verdict: wire.PolicyBroken, Broken: broken}
	r, _ := call(h, wire.OpGuarded, in, noteFor)
	return h.printNotice(r.Notice)
}

// guardAsks asks the person about a risky call. The terminal client opens its
// dialog, which fires PermissionRequest. Where it opens none the host would refuse
// the call, so this hook waits for the answer itself. If its death would let the
// call run, it refuses at once and parks the call.
func (h *hook) guardAsks(d Judgement) error {
	if h.getenv.Dialogs() && !h.event.dialogless {
		err := h.print(h.decide(hookoutput.Ask, d.Person+h.snapshot(d)))
		h.note(d)
		return err
	}
	if h.off() {
		h.note(d)
		if h.event.dialogless && h.typed() {
			return nil // the person's own command, which nobody else can be asked about
		}
		return h.print(h.denial(d.refused() + nobodyToAsk))
	}
	if !h.deathStops() {
		h.note(d)
		return h.park(d)
	}
	a, err := h.ask("guard", d)
	if err != nil {
		return errAsk{err}
	}
	return h.printAnswer(a)
}

// bounded reports whether nobody has to be asked about a risky call, because its turn is behind a wall and
// what the call may destroy there was saved.
func (h *hook) bounded(d Judgement) bool {
	if !d.Bounded || h.off() {
		return false
	}
	in := wire.GuardedRequest{HookCall: h.hookCall(), Verdict: wire.Bounded, Rule: d.Rule, Part: d.Part}
	r, _ := callStarting(h, wire.OpGuarded, in, snapshotFor)
	return r.Passes
}

// note tells the coordinator of a verdict and returns its reply. The verdict does
// not depend on it: if the call fails, the reply is empty.
func (h *hook) note(d Judgement) wire.GuardedReply {
	r, _ := call(h, wire.OpGuarded, wire.GuardedRequest{
		HookCall: h.hookCall(),
		Verdict:  string(d.Verdict),
		Rule:     d.Rule,
		Part:     d.Part,
		From:     d.From,
	}, noteFor)
	return r
}
