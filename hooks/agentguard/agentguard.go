// Package agentguard lets the hooks of other agents' terminals use the guard. It reads what an agent says of a call,
// puts the call to the hook of PreToolUse as Claude Code would, and answers in the agent's own form. A question of the
// guard is asked on the phone.
//
// An agent is told to refuse or nothing. It is never told to allow, so its own questions stay.
package agentguard

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/host/claude/hookcall"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/hooks"
)

// flag begins the argument that names the agent whose hook this is.
const flag = "--agent="

// An adapter is what one agent says of a call, and how it takes an answer.
type adapter struct {
	session, cwd, use string // paths in its payload
	tool, input       string // the same
	// pass and refuse are what it reads from the hook's output, besides the exit code.
	pass   string
	refuse func(reason string) (stdout string, code int)
}

// exitRefuses is the exit code with which a hook refuses a call. Each agent takes it.
const exitRefuses = 2

// byCode refuses with the exit code and the reason on stderr.
func byCode(string) (stdout string, code int) { return "", exitRefuses }

// adapters are the agents, by the name behind flag. What they send and take was recorded with the real programs, but
// for Cursor's, which is as its documentation has it.
var adapters = map[string]adapter{
	"codex": {
		session: claude.FieldSession, cwd: claude.FieldCwd, use: claude.FieldToolUse, tool: claude.FieldTool,
		input: claude.FieldToolInput, refuse: byCode,
	},
	"gemini": {
		session: claude.FieldSession, cwd: claude.FieldCwd, tool: claude.FieldTool, input: claude.FieldToolInput,
		refuse: byCode,
	},
	"opencode": {
		session: "sessionID", cwd: "directory", use: "callID", tool: "tool", input: "args", refuse: byCode,
	},
	"copilot": {
		session: "sessionId", cwd: "cwd", tool: "toolName", input: "toolArgs",
		refuse: func(reason string) (string, int) {
			o := wire.NewObject().Str("permissionDecision", "deny").Str("permissionDecisionReason", reason)
			return string(o.Bytes()), 0
		},
	},
	"cursor": {
		session: "conversation_id", cwd: claude.FieldCwd, use: claude.FieldToolUse, tool: claude.FieldTool,
		input: claude.FieldToolInput, pass: "{}",
		refuse: func(reason string) (string, int) {
			o := wire.NewObject().Str("permission", "deny").Str("user_message", reason).Str("agent_message", reason)
			return string(o.Bytes()), 0
		},
	},
}

// Named returns the name of the agent that the arguments of a hook name, "" for none.
func Named(args []string) string {
	for _, a := range args {
		if name, ok := strings.CutPrefix(a, flag); ok {
			return cmp.Or(name, "unknown")
		}
	}
	return ""
}

// Run judges one call of an agent and answers it. It returns the exit code. What cannot be judged is refused.
func Run(
	agent string, e hooks.Event, stdin io.Reader, stdout, stderr io.Writer, getenv func(string) string,
) (code int) {
	a, known := adapters[agent]
	if !known {
		fmt.Fprintf(stderr, "Afar's guard knows no agent %q, so this call does not run\n", agent)
		return exitRefuses
	}
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(stderr, "Afar's guard failed, so this call does not run: %v\n", r)
			code = exitRefuses
		}
	}()
	reason := a.judge(agent, e, stdin, getenv)
	if reason == "" {
		fmt.Fprint(stdout, a.pass)
		return 0
	}
	said, code := a.refuse(reason)
	fmt.Fprint(stdout, said)
	fmt.Fprintln(stderr, reason)
	return code
}

// judge returns why a call may not run, "" if it may.
func (a adapter) judge(agent string, e hooks.Event, stdin io.Reader, getenv func(string) string) string {
	unjudged := func(err error) string {
		return "Afar's guard could not judge this call, so it does not run: " + err.Error()
	}
	raw, err := io.ReadAll(io.LimitReader(stdin, wire.MaxLine))
	if err != nil {
		return unjudged(err)
	}
	in, err := hostjson.Parse(string(raw), hostjson.MaxDepth)
	if err != nil || !in.IsObject() {
		return unjudged(errors.New("want one JSON object"))
	}
	calls, err := a.calls(agent, in)
	if err != nil {
		return unjudged(err)
	}
	s := hookcall.Session{ID: cmp.Or(in.Get(a.session).Str(), agent), Cwd: directory(a, in)}
	env := environment(s.Cwd, getenv)
	for n, c := range calls {
		use := fmt.Sprint(cmp.Or(in.Get(a.use).Str(), "call"), "/", n)
		var out, said bytes.Buffer
		exit := hooks.Run(e, bytes.NewReader(s.Tool(hookcall.PreToolUse, c.tool, c.input, use)), &out, &said, env)
		d := hookcall.Read(hookcall.PreToolUse, exit, out.String(), said.String())
		if d.Decision == hookcall.Deny {
			return cmp.Or(d.Reason, "Afar's guard refused this call.")
		}
	}
	return ""
}

// directory returns the directory in which a call is made.
func directory(a adapter, in hostjson.Value) string {
	if dir := in.Get(a.cwd).Str(); dir != "" {
		return dir
	}
	for _, root := range in.Get("workspace_roots").Items() {
		return root.Str()
	}
	dir, _ := os.Getwd() // the agent starts its hooks there
	return dir
}

// environment returns the environment of the hook: that of this process, with the agent in place of a client of Claude
// Code. An agent that such a client started has that client's variables.
func environment(dir string, getenv func(string) string) func(string) string {
	own := map[string]string{}
	for _, entry := range claude.HookEnv(os.Getppid(), dir) {
		name, value, _ := strings.Cut(entry, "=")
		own[name] = value
	}
	return func(name string) string {
		if value, ok := own[name]; ok || strings.HasPrefix(name, "CLAUDE") {
			return value
		}
		return getenv(name)
	}
}

// A call is a call of one of Claude Code's tools.
type call struct {
	tool  string
	input []byte // a JSON object
}

// calls returns what an agent's call does, as calls of Claude Code's tools.
func (a adapter) calls(agent string, in hostjson.Value) ([]call, error) {
	if in.Get(claude.FieldEvent).Str() == "beforeShellExecution" { // Cursor's, which names no tool
		return commands(in, "Bash")
	}
	tool, input := in.Get(a.tool).Str(), in.Get(a.input)
	if tool == "" {
		return nil, errors.New("it names no tool")
	}
	if input.Kind() == hostjson.String { // the arguments may come as text
		parsed, err := hostjson.Parse(input.Str(), hostjson.MaxDepth)
		if err != nil {
			return nil, fmt.Errorf("the arguments of %s: %w", tool, err)
		}
		input = parsed
	}
	if !input.IsObject() {
		return nil, fmt.Errorf("the arguments of %s are no object", tool)
	}
	for _, kind := range kinds {
		if slices.Contains(kind.names, tool) {
			return kind.calls(input)
		}
	}
	if strings.HasPrefix(tool, "mcp__") {
		return []call{{tool, []byte(input.Raw())}}, nil
	}
	return []call{{"mcp__" + agent + "__" + tool, []byte(input.Raw())}}, nil
}
