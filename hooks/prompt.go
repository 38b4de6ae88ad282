package hooks

import (
	"errors"
	"time"

	"github.com/afar-sh/afar/coordinator/client"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/host/claude/hookoutput"
	"github.com/afar-sh/afar/coordinator/wire"
)

// The deadlines of the prompt hooks: a person waits for them, but that a prompt
// was typed must reach the coordinator also on a busy machine.
const (
	promptFor = time.Second
	expandFor = 5 * time.Second
)

// userPromptSubmit says that a prompt was typed, and hands over what waits for
// the session.
func userPromptSubmit(h *hook) error {
	if h.off() {
		return nil
	}
	id := newID()
	r, err := h.call(wire.OpPrompt, wire.PromptRequest{HookCall: h.hookCall(), Delivery: id}, promptFor)
	if err != nil {
		return err
	}
	if r.yes("block") {
		return h.blockPrompt(r.str("reason"))
	}
	if r.body.Get("texts").Int() > 0 {
		return h.contextWithTexts(id, r.str("context"))
	}
	return h.printTold(r.str("context"), r.str("notice"))
}

// userPromptExpansion handles our slash commands. A blocked prompt costs no
// model request: its reason is what the person reads.
func userPromptExpansion(h *hook) error {
	r, err := h.callStarting(wire.OpExpand, wire.ExpandRequest{HookCall: h.hookCall()}, expandFor)
	if errors.Is(err, client.ErrUnreachable) && h.str(claude.FieldCommand) == "afar:cancel" {
		return h.cancelUnheard()
	}
	if err != nil {
		return err
	}
	if r.yes("block") {
		return h.blockPrompt(r.str("reason"))
	}
	return h.printContext(r.str("context"))
}

func (h *hook) blockPrompt(reason string) error {
	return h.print(hookoutput.BlockPrompt(h.event.name, reason))
}

// cancelUnheard ends the session's loop while no coordinator answers: a mark is
// left, and without one that answers no Stop hook holds a session.
func (h *hook) cancelUnheard() error {
	id := h.str(claude.FieldSession)
	if err := home.LeaveMark(h.client.Dirs.CancelMark(id), id); err != nil {
		return err
	}
	return h.blockPrompt("Afar's coordinator does not answer; `afar doctor` in a terminal says why. " +
		"This session may stop, and its loop is cancelled as soon as the coordinator is back.")
}
