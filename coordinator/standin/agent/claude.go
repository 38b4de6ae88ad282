package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/afar-sh/afar/coordinator/host"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/host/claude/hookcall"
)

// A claudeFace is `claude -p` with stream-json, which runs Afar's hooks itself. They are in the
// directory that STANDIN_HOOKS names.
type claudeFace struct {
	session hookcall.Session
	ended   chan struct{}
	lines   int
}

func claudeMain() {
	noteArgs()
	prompt, _ := io.ReadAll(os.Stdin)
	cwd, _ := os.Getwd()
	id := os.Args[len(os.Args)-1]
	f := &claudeFace{
		ended: make(chan struct{}), session: hookcall.Session{ID: id, Cwd: cwd, Transcript: transcript(id)},
	}
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGINT)
	go func() { <-told; f.interrupted() }()
	earlier, err := remember(f.session.ID, string(prompt))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	f.print(map[string]any{"type": "system", "subtype": "hook_started", "hook_event": "SessionStart"})
	f.hook("hook-session-start", hookcall.SessionStart, f.session.Begin(len(earlier) > 0, ""))
	more := f.hook("hook-user-prompt-submit", hookcall.UserPromptSubmit, f.session.Submit(string(prompt))).Context
	f.print(map[string]any{
		"type": "system", "subtype": "init", "model": "stand-in", "claude_code_version": claude.Newest,
		"plugins": []any{map[string]any{"name": "afar"}}, "session_id": f.session.ID,
	})
	hear(id, string(prompt))
	if more != "" {
		hear(id, more)
	}
	play(f, string(prompt), earlier)
	if stays {
		select {}
	}
	f.hook("hook-session-end", hookcall.SessionEnd, f.session.Leave())
}

func (f *claudeFace) interrupted() {
	close(f.ended)
	f.print(map[string]any{"type": "result", "is_error": true, "terminal_reason": "aborted_tools"})
	os.Exit(0)
}

func (f *claudeFace) print(v map[string]any) {
	f.lines++
	v["uuid"] = strconv.Itoa(f.lines)
	line, _ := json.Marshal(v)
	fmt.Println(string(line))
}

func (f *claudeFace) hook(program, event string, input []byte) hookcall.Output {
	var out, said bytes.Buffer
	cmd := exec.Command(filepath.Join(os.Getenv("STANDIN_HOOKS"), program))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &out, &said
	cmd.Env = append(os.Environ(), "CLAUDE_PID="+strconv.Itoa(os.Getpid()), "CLAUDE_PROJECT_DIR="+f.session.Cwd,
		"CLAUDE_CODE_ENTRYPOINT=sdk-cli", "CLAUDE_CODE_SESSION_ATTENDED=0")
	_ = cmd.Run() // its state says how it ended
	return hookcall.Read(event, cmd.ProcessState.ExitCode(), out.String(), said.String())
}

func (f *claudeFace) message(role string, block map[string]any) {
	f.print(map[string]any{"type": role, "message": map[string]any{"content": []any{block}}})
}

func (f *claudeFace) text(said string) {
	f.message("assistant", map[string]any{"type": "text", "text": said})
}
func (f *claudeFace) think(said string) {
	f.message("assistant", map[string]any{"type": "thinking", "thinking": said})
}

func (f *claudeFace) started(id, command string) {
	f.message("assistant", map[string]any{
		"type": "tool_use", "id": id, "name": "Bash", "input": map[string]any{"command": command},
	})
}

func (f *claudeFace) tool(id, command, result string, failed bool) {
	if !f.asked(id) {
		f.started(id, command)
	}
	if c, ran := allowedOf[id]; ran {
		program, event := "hook-post-tool-use", hookcall.PostToolUse
		if failed {
			program, event = "hook-post-tool-use-failure", hookcall.PostToolUseFailure
		}
		f.hook(program, event, f.session.Tool(event, c.Tool, c.Input, id))
	}
	f.message("user", map[string]any{"type": "tool_result", "tool_use_id": id, "is_error": failed, "content": result})
}

var (
	askedOf   = map[string]bool{}
	allowedOf = map[string]host.Call{} // which ran
)

func (f *claudeFace) asked(id string) bool { return askedOf[id] }

func (f *claudeFace) ask(id, command string) bool {
	askedOf[id] = true
	f.started(id, command)
	input, _ := json.Marshal(map[string]string{"command": command})
	c := host.Call{Tool: "Bash", Input: input}
	out := f.hook("hook-pre-tool-use", hookcall.PreToolUse, f.session.Tool(hookcall.PreToolUse, c.Tool, c.Input, id))
	if out.Decision == hookcall.None {
		out = f.hook("hook-permission-request", hookcall.PermissionRequest,
			f.session.Tool(hookcall.PermissionRequest, c.Tool, c.Input, id))
	}
	if out.Decision != hookcall.Allow {
		return false
	}
	allowedOf[id] = c
	return true
}

func (f *claudeFace) usage() {
	f.print(map[string]any{"type": "system", "subtype": "compact_boundary"})
}
func (f *claudeFace) unknown() { f.print(map[string]any{"type": "hologram"}) }
func (f *claudeFace) result(said string) {
	out := f.hook("hook-stop", hookcall.Stop, f.session.Rest(false, said))
	for out.Decision == hookcall.Deny {
		hear(f.session.ID, out.Reason)
		f.text("I go on")
		out = f.hook("hook-stop", hookcall.Stop, f.session.Rest(true, "I go on"))
	}
	f.print(map[string]any{
		"type": "result", "is_error": false, "terminal_reason": "completed", "result": said, "total_cost_usd": 0.5,
		"modelUsage": map[string]any{"m": map[string]any{"inputTokens": 10, "outputTokens": 20}},
	})
}
func (f *claudeFace) told() <-chan struct{} { return f.ended }
