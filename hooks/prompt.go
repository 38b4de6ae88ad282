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

// The deadlines of the prompt hooks. A person waits for these hooks, but the
// coordinator must learn of a prompt even on a busy machine.
const (
	promptFor = time.Second
	expandFor = 5 * time.Second
)

// userPromptSubmit tells the coordinator that a prompt was typed, and hands over the
// texts that wait for the session.
func userPromptSubmit(h *hook) error {
	id := newID()
	in := wire.PromptRequest{HookCall: h.hookCall(), Delivery: id}
	r, err := call[wire.PromptReply](h, wire.OpPrompt, in, promptFor)
	if err != nil {
		return err
	}
	if r.Block {
		return h.blockPrompt(r.Reason)
	}
	if r.Texts > 0 {
		return h.contextWithTexts(id, r.Context)
	}
	return h.printTold(r.Context, r.Notice)
}

// userPromptExpansion handles Afar's slash commands. A blocked prompt costs no
// request to the model; the person reads its reason.
func userPromptExpansion(h *hook) error {
	r, err := callStarting[wire.ExpandReply](h, wire.OpExpand, wire.ExpandRequest{HookCall: h.hookCall()}, expandFor)
	if errors.Is(err, client.ErrUnreachable) && h.str(claude.FieldCommand) == "afar:cancel" {
		return h.cancelUnheard()
	}
	if err != nil {
		return err
	}
	if r.Block {
		return h.blockPrompt(r.Reason)
	}
	return h.printContext(r.Context)
}

// blockPrompt blocks the prompt and shows the person the reason.
func (h *hook) blockPrompt(reason string) error {
	return h.print(hookoutput.BlockPrompt(h.event.name, reason))
}

// cancelUnheard cancels the session's loop while no coordinator answers. It leaves a
// mark for the coordinator. The session can stop meanwhile, because a Stop hook does
// not hold it without a coordinator.
func (h *hook) cancelUnheard() error {
	id := h.str(claude.FieldSession)
	if err := home.LeaveMark(h.client.Dirs.CancelMark(id), id); err != nil {
		return err
	}
	return h.blockPrompt("Afar's coordinator does not answer; `afar doctor` in a terminal says why. " +
		"This session may stop, and its loop is cancelled as soon as the coordinator is back.")
}
