//go:build unix

package agentrun

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/host/claude/hookcall"
	"github.com/afar-sh/afar/coordinator/internal/run"
)

// hookRows says which program is the hook of an event, and how long it may take. They are
// as in plugin/hooks.json.
var hookRows = map[string]struct {
	program string
	limit   time.Duration
}{
	hookcall.SessionStart:       {"hook-session-start", time.Minute},
	hookcall.UserPromptSubmit:   {"hook-user-prompt-submit", 10 * time.Second},
	hookcall.PreToolUse:         {"hook-pre-tool-use", 24 * time.Hour},
	hookcall.PermissionRequest:  {"hook-permission-request", 24 * time.Hour},
	hookcall.PostToolUse:        {"hook-post-tool-use", 30 * time.Second},
	hookcall.PostToolUseFailure: {"hook-post-tool-use-failure", 30 * time.Second},
	hookcall.Stop:               {"hook-stop", 24 * time.Hour},
	hookcall.StopFailure:        {"hook-stop-failure", 10 * time.Second},
	hookcall.SessionEnd:         {"hook-session-end", 5 * time.Second},
}

// A hooks value runs Afar's hooks for an agent that runs none, as Claude Code does. So its calls meet
// the same guard, grants, questions and snapshots.
type hooks struct {
	hookcall.Session

	bin    string
	env    []string
	mode   string // of the run
	ctx    context.Context
	cancel func() // ends all hooks
}

// newHooks returns the hooks of a turn whose agent has started.
func (t *turn) newHooks() (*hooks, error) {
	env, err := turnEnv(t.dirs, t.getenv, t.spec)
	if err != nil {
		return nil, err
	}
	h := &hooks{
		Session: hookcall.Session{
			ID: t.spec.Conversation, Cwd: t.spec.Dir, Prompt: t.id + "/" + strconv.FormatInt(t.fence, 10),
		},
		bin:  t.bin,
		mode: t.spec.Mode,
		env:  slices.Concat(env, []string{"PWD=" + t.spec.Dir}, claude.HookEnv(t.agent.pid, t.spec.Dir)),
	}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	return h, nil
}

// graceFor is how long a hook may take to end after SIGTERM.
const graceFor = time.Second

// fire runs the hook of an event and returns what it came to.
func (h *hooks) fire(ctx context.Context, event string, input []byte) hookcall.Output {
	row := hookRows[event]
	ctx, cancel := context.WithTimeout(ctx, row.limit)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, home.Program(h.bin, row.program))
	cmd.Dir, cmd.Env = h.Cwd, h.env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &stdout, &stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = graceFor
	exit := -1
	if err := cmd.Run(); cmd.ProcessState != nil {
		exit = cmd.ProcessState.ExitCode()
	} else if err != nil {
		fmt.Fprintln(&stderr, err)
	}
	return hookcall.Read(event, exit, stdout.String(), stderr.String())
}

// decide asks the guard, the grants and the person about an agent's question.
func (h *hooks) decide(a host.Ask) host.Answer {
	for n, c := range a.Calls {
		use := useOf(a.Call, n)
		out := h.fire(h.ctx, hookcall.PreToolUse, h.Tool(hookcall.PreToolUse, c.Tool, c.Input, use))
		if out.Decision == hookcall.None && !h.accepts(c) {
			out = h.fire(h.ctx, hookcall.PermissionRequest, h.Tool(hookcall.PermissionRequest, c.Tool, c.Input, use))
			if out.Decision == hookcall.None {
				out = hookcall.Output{Decision: hookcall.Deny, Reason: "Nobody decided about this call."}
			}
		}
		if out.Decision == hookcall.Deny {
			return host.Answer{Why: out.Reason, Interrupt: out.Interrupt}
		}
	}
	if h.ctx.Err() != nil || len(a.Calls) == 0 {
		return host.Answer{Why: "The turn was ended."}
	}
	return host.Answer{Allow: true}
}

// useOf returns the id of one of the calls of a question.
func useOf(call string, n int) string {
	if n == 0 {
		return call
	}
	return call + "/" + strconv.Itoa(n)
}

// outcome reports how calls that were allowed ended.
func (h *hooks) outcome(id string, calls []host.Call, ok bool) {
	event := hookcall.PostToolUse
	if !ok {
		event = hookcall.PostToolUseFailure
	}
	for n, c := range calls {
		h.fire(context.Background(), event, h.Tool(event, c.Tool, c.Input, useOf(id, n)))
	}
}

// accepts reports whether the mode of the run allows a call on which the guard has no
// opinion: to read in the directory, and in acceptEdits to change files there.
func (h *hooks) accepts(c host.Call) bool {
	tools := []string{"Read"}
	if h.mode == run.AcceptEdits {
		tools = append(tools, "Write", "Edit")
	}
	return slices.Contains(tools, c.Tool) && plainFile(h.Cwd, pathOf(c))
}
