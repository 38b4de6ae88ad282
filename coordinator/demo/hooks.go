package demo

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/host/claude/sandbox"
	"github.com/afar-sh/afar/coordinator/text"
)

// hookSession is a session without Claude Code: a shell runs Afar's hooks, as Claude Code
// does, with the input that Claude Code gives them. It is the client of the session, so it
// is another process than the one in which the person decides.
type hookSession struct {
	*demo
	id    string
	shell *exec.Cmd
	to    io.WriteCloser
	from  *bufio.Reader
}

// newHooks starts the shell.
func (d *demo) newHooks() (session, error) {
	h := &hookSession{demo: d, id: sessionID, shell: exec.Command("sh")}
	h.shell.Dir = d.room.Project()
	h.shell.Env = append(d.environment(), "CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_CODE_SESSION_ATTENDED=1",
		"CLAUDE_PROJECT_DIR="+d.room.Project())
	separate(h.shell)
	to, err := h.shell.StdinPipe()
	if err != nil {
		return nil, err
	}
	from, err := h.shell.StdoutPipe()
	if err != nil {
		return nil, err
	}
	h.to, h.from = to, bufio.NewReader(from)
	return h, h.shell.Start()
}

// sessionID is the id of the session without Claude Code.
const sessionID = "de300000-0000-4000-8000-00000000afa2"

// play begins the session, types the task and makes the model's turns. The shell lives until the
// end of the demo.
func (h *hookSession) play(ctx context.Context) error {
	defer end(h.shell)
	stop := context.AfterFunc(ctx, func() { tellToEnd(h.shell) })
	defer stop()
	if _, err := h.hook("session-start", "SessionStart", input{"source": "startup"}); err != nil {
		return err
	}
	select {
	case <-h.acts[0]:
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := h.typeTask(); err != nil {
		return err
	}
	for n := 0; ; n++ {
		t, ok := h.turn(ctx, n)
		if !ok {
			<-ctx.Done()
			return ctx.Err()
		}
		if err := h.make(n, t); err != nil {
			return err
		}
	}
}

func (h *hookSession) typeTask() error {
	h.write("user", map[string]any{"role": "user", "content": task})
	_, err := h.hook("user-prompt-expansion", "UserPromptExpansion", input{
		"expansion_type": "slash_command",
		"command_name":   "afar:loop",
		"command_args":   taskArgs,
		"command_source": "plugin",
		"prompt":         task,
	})
	if err != nil {
		return err
	}
	_, err = h.hook("user-prompt-submit", "UserPromptSubmit", input{"prompt": task})
	return err
}

// make carries out one turn: a text ends the model's turn, anything else is a call.
func (h *hookSession) make(n int, t sandbox.Turn) error {
	if t.Tool == "" {
		h.write("assistant", message(map[string]any{"type": "text", "text": t.Text}))
		_, err := h.hook("stop", "Stop", input{"stop_hook_active": n > 0, "last_assistant_message": t.Text})
		return err
	}
	id := fmt.Sprintf("toolu_demo%02d", n)
	h.write("assistant", message(map[string]any{"type": "text", "text": t.Text}))
	h.write("assistant", message(map[string]any{"type": "tool_use", "id": id, "name": t.Tool, "input": t.Input}))
	call := input{"tool_name": t.Tool, "tool_input": t.Input, "tool_use_id": id}
	allowed, err := h.permitted(call)
	if err != nil || !allowed {
		return err
	}
	return h.carryOut(t, call)
}

// permitted asks the guard and then, as Claude Code does for all but edits here, the person.
func (h *hookSession) permitted(call input) (bool, error) {
	said, err := h.hook("pre-tool-use", "PreToolUse", call)
	if err != nil || said.Specific.Decision == "deny" {
		return false, err
	}
	if call["tool_name"] == "Write" && said.Specific.Decision == "" {
		return true, nil // the settings of the demo allow it
	}
	said, err = h.hook("permission-request", "PermissionRequest", call)
	if answers := said.Specific.Answer.Input; answers != nil {
		call["tool_input"] = answers
	}
	return said.Specific.Answer.Behavior == "allow", err
}

// carryOut makes a call and tells the hooks what became of it.
func (h *hookSession) carryOut(t sandbox.Turn, call input) error {
	began := time.Now()
	failed := ""
	switch t.Tool {
	case "Bash":
		command, _ := t.Input["command"].(string)
		if _, code, err := h.run("sh -c "+text.ShellQuote(command), nil); err != nil {
			return err
		} else if code != 0 {
			failed = fmt.Sprintf("Exit code %d", code)
		}
	case "Write":
		name, _ := t.Input["file_path"].(string)
		text, _ := t.Input["content"].(string)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return err
		}
	}
	call["duration_ms"] = time.Since(began).Milliseconds()
	if failed != "" {
		call["error"] = failed
		_, err := h.hook("post-tool-use-failure", "PostToolUseFailure", call)
		return err
	}
	call["tool_response"] = map[string]any{}
	_, err := h.hook("post-tool-use", "PostToolUse", call)
	return err
}

// input is what the host tells a hook.
type input map[string]any

// said is the part of a hook's output that decides something.
type said struct {
	Specific struct {
		Decision string `json:"permissionDecision"`
		Answer   struct {
			Behavior string         `json:"behavior"`
			Input    map[string]any `json:"updatedInput"`
		} `json:"decision"`
	} `json:"hookSpecificOutput"`
}

// hook runs one hook binary with its input and returns what it printed.
func (h *hookSession) hook(program, event string, in input) (out said, err error) {
	all := input{
		"hook_event_name": event, "session_id": h.id, "cwd": h.room.Project(),
		"transcript_path": h.transcript(), "permission_mode": "default",
	}
	maps.Copy(all, in)
	raw, err := json.Marshal(all)
	if err != nil {
		return out, err
	}
	printed, code, err := h.run("CLAUDECODE=1 "+text.ShellQuote(filepath.Join(h.room.Bin(), "hook-"+program)), raw)
	if err != nil {
		return out, err
	}
	if code != 0 {
		return out, fmt.Errorf("hook-%s ended with %d: %s", program, code, printed)
	}
	if len(printed) == 0 {
		return out, nil
	}
	return out, json.Unmarshal(printed, &out)
}

// run has the shell itself run a program to its end, and returns what it printed. The shell is the
// parent of the program, as Claude Code is.
func (h *hookSession) run(command string, stdin []byte) (stdout []byte, code int, err error) {
	in, out := filepath.Join(h.room.Dir(), "stdin"), filepath.Join(h.room.Dir(), "stdout")
	if err := os.WriteFile(in, stdin, 0o600); err != nil {
		return nil, 0, err
	}
	line := fmt.Sprintf("%s <%s >%s 2>&1; echo $?\n", command, text.ShellQuote(in), text.ShellQuote(out))
	if _, err := io.WriteString(h.to, line); err != nil {
		return nil, 0, err
	}
	if _, err := fmt.Fscanln(h.from, &code); err != nil {
		return nil, 0, fmt.Errorf("the session's shell: %w", err)
	}
	stdout, err = os.ReadFile(out)
	return stdout, code, err
}

func (h *hookSession) transcript() string {
	return filepath.Join(h.room.Home(), ".claude", "projects", "demo", h.id+".jsonl")
}

// write adds a line to the session's transcript.
func (h *hookSession) write(kind string, m map[string]any) {
	raw, err := json.Marshal(map[string]any{
		"type": kind, "message": m, "sessionId": h.id, "timestamp": time.Now().UTC().Format(time.RFC3339Nano),
	})
	if err == nil {
		_ = os.MkdirAll(filepath.Dir(h.transcript()), 0o700)
		err = appendTo(h.transcript(), raw)
	}
	_ = err // without a transcript a card says less
}

func appendTo(path string, line []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = fmt.Fprintf(f, "%s\n", strings.TrimSpace(string(line)))
	return err
}

func message(part map[string]any) map[string]any {
	return map[string]any{
		"role": "assistant", "model": "a script", "content": []any{part},
		"usage": map[string]any{"input_tokens": 1, "output_tokens": 1},
	}
}
