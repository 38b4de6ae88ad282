package hooks

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/place"
	"github.com/afar-sh/afar/coordinator/wire"
)

// noteFor bounds the note about a verdict: the call must not wait for it.
const noteFor = 50 * time.Millisecond

// preToolUse is the guard. A call on which it has no opinion costs no more
// than judging it: no coordinator and no wait, but where the person has just
// let a call be tried again that auto mode refused.
func preToolUse(h *hook) error {
	call, err := h.toolCall()
	if err != nil {
		return err
	}
	where := h.place()
	d := guard.Judge(call, where)
	switch {
	case d.Verdict == guard.Deny:
		return h.print(h.denial(strings.TrimSpace(d.Reason + " " + h.note(d).str("context"))))
	case d.Verdict == guard.Ask:
		return h.guardAsks(call, d)
	case where.Broken != "":
		return h.warn(where.Broken)
	case where.ReadOnly && d.Steps.Calls("afar", "consult"):
		h.consults()
	}
	return h.tryAgain()
}

// warn tells the person once that the policy is broken.
func (h *hook) warn(broken string) error {
	r, err := h.call(wire.OpGuarded, h.body().Str("verb", "broken").Str("broken", broken), noteFor)
	if notice := r.str("notice"); err == nil && notice != "" {
		return h.print(wire.NewObject().Str("systemMessage", notice))
	}
	return nil
}

// guardAsks brings a risky call to the person. The terminal client opens its
// dialog, which fires PermissionRequest; in a print session the host would
// refuse, so this hook waits itself, where its death would not let the call run.
func (h *hook) guardAsks(call guard.Call, d guard.Decision) error {
	if h.dialogs() {
		err := h.print(h.specific(wire.NewObject().Str("hookEventName", "PreToolUse").
			Str("permissionDecision", "ask").Str("permissionDecisionReason", d.Person+h.snapshot(call, d))))
		h.note(d)
		return err
	}
	if h.str("permission_mode") != "default" && !h.off() {
		h.note(d)
		return h.park(d)
	}
	if h.off() {
		h.note(d)
		return h.print(h.denial(d.Reason + " Nobody can be asked in this mode: park the step and say what you need."))
	}
	a, err := h.ask("guard", d.Person)
	if err != nil {
		return errAsk{err}
	}
	return h.printAnswer(a)
}

// note tells the coordinator of a verdict. The verdict stands without it: the
// reply of one that is away is empty.
func (h *hook) note(d guard.Decision) reply {
	body := h.body().Str("verb", string(d.Verdict)).Str("rule", d.Rule).Str("part", d.Part).OptStr("from", d.From)
	r, err := h.call(wire.OpGuarded, body, noteFor)
	if err != nil {
		return reply{}
	}
	return r
}

var errNoTool = errors.New("the hook input names no tool with an input object")

// toolCall reads the call that the host is about to make.
func (h *hook) toolCall() (guard.Call, error) {
	input := h.get("tool_input")
	tool := h.str("tool_name")
	if tool == "" || !input.IsObject() {
		return guard.Call{}, errNoTool
	}
	return guard.Call{Tool: tool, Args: leaves(nil, "", input)}, nil
}

// leaves lists the strings of a value with their paths, and the switches that
// are on.
func leaves(args []guard.Arg, path string, v jsonValue) []guard.Arg {
	switch v.Type {
	case jsonString:
		return append(args, guard.Arg{Path: path, Value: v.Str})
	case jsonTrue:
		return append(args, guard.Arg{Path: path, Value: "true"})
	}
	if !v.IsObject() && !v.IsArray() {
		return args
	}
	n := 0
	v.ForEach(func(key, value jsonValue) bool {
		name := key.Str
		if v.IsArray() {
			name = strconv.Itoa(n)
		}
		n++
		args = leaves(args, strings.TrimPrefix(path+"."+name, "."), value)
		return true
	})
	return args
}

// place is where the call happens, as the guard sees it.
func (h *hook) place() guard.Context {
	ctx := place.Context(h.client.Dirs, h.client.Bin, h.str("cwd"), h.getenv("CLAUDE_PROJECT_DIR"))
	ctx.Created = place.Created(h.str("transcript_path"))
	ctx.ReadOnly = place.ReadsOnly(h.str("agent_type"))
	return ctx
}

func (h *hook) judge(call guard.Call) guard.Decision { return guard.Judge(call, h.place()) }
