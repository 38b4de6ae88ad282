package hooks

import (
	"errors"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/client"
	"github.com/afar-sh/afar/coordinator/guard/hostjson"
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
	r, err := call(h, wire.OpPrompt, in, promptFor)
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

// userPromptExpansion judges what a typed command makes the client run, and handles Afar's
// slash commands. A blocked prompt costs no request to the model; the person reads its reason.
func userPromptExpansion(h *hook, guard Guard) error {
	if name := h.str(claude.FieldCommand); name != "loop" && !strings.HasPrefix(name, "afar:") {
		return h.judgeTyped(name, guard)
	}
	r, err := callStarting(h, wire.OpExpand, wire.ExpandRequest{HookCall: h.hookCall()}, expandFor)
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

// judgeTyped judges the files that a typed command makes the client load, like a call of the
// tool Skill. The client opens no dialog and runs what is in the files next, so the hook waits
// for an answer, and blocks the command if it fails.
func (h *hook) judgeTyped(name string, guard Guard) error {
	h.event.class, h.event.dialogless = guards, true
	input := wire.NewObject().Str("typed", name).Str("args", h.str(claude.FieldCommandArgs)).Bytes()
	if err := h.addCall(claude.SkillTool, input); err != nil {
		return err
	}
	d, err := h.judge(guard)
	switch {
	case err != nil:
		return err
	case d.Verdict == Deny:
		h.note(d)
		return h.print(h.denial(d.refused()))
	case d.Verdict == Ask:
		return h.guardAsks(d)
	case d.Changed != "":
		return h.print(hookoutput.Notice(changedText(d.Changed)))
	}
	return nil
}

// addCall adds a call of a tool to the hook's input, so that the guard and the coordinator
// see one.
func (h *hook) addCall(tool string, input []byte) error {
	call := wire.NewObject().Str(claude.FieldTool, tool).Raw(claude.FieldToolInput, input).Bytes()
	raw := append(append(call[:len(call)-1:len(call)-1], ','), h.input[1:]...)
	parsed, err := hostjson.Parse(string(raw), hostjson.MaxDepth)
	h.input, h.parsed = raw, parsed
	return err
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
