package rules

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// hostWords are Claude Code's names of fields, outputs, files and variables. Only
// coordinator/host/claude may contain them.
var hostWords = []string{
	"hook_event_name", "tool_input", "tool_name", "tool_use_id", "transcript_path", "agent_transcript_path",
	"last_assistant_message", "background_tasks", "session_crons", "permission_suggestions",
	"hookSpecificOutput", "hookEventName", "permissionDecision", "additionalContext", "systemMessage", "updatedInput",
	"updatedPermissions", "suppressOriginalPrompt", "isSidechain", "isMeta", "messagingSocketPath", "waitingFor",
	"CLAUDE_PROJECT_DIR", "CLAUDE_ENV_FILE", "CLAUDE_PID", "CLAUDE_JOB_DIR", "CLAUDE_CODE_ENTRYPOINT",
	"CLAUDE_CODE_SESSION_ATTENDED", "CLAUDE_CONFIG_DIR", "CLAUDECODE", "CLAUDE_CODE_SESSION_ID",
	"CLAUDE_CODE_CHILD_SESSION",
	"session_id", "prompt_id", "agent_id", "notification_type", "command_name", "command_args", "command_source",
	"file_path", "old_string", "new_string", "notebook_path", "new_source", "planFilePath", "run_in_background",
	"multiSelect", "mcp_server_name", "requested_schema", "toolName", "ruleContent", "addRules", "setMode",
	"addDirectories", "bypassPermissions", "dontAsk", "session-env", "AskUserQuestion", `"cli"`,
}

// allowedWords are exceptions: the words that a file may contain.
var allowedWords = map[string][]string{
	// a session stores the host's permission mode, which people see by this name
	"coordinator/internal/core/turn.go": {"bypassPermissions"},
	// the guard reads the inputs of tools, and its binaries must not link more
	"coordinator/guard/grant.go": {"file_path", "notebook_path"},
	// the field has the same name with other agents
	"coordinator/host/codex/appserver/ask.go": {"tool_name"},
	"coordinator/internal/run/brief.go":       {"file_path"},
	// copilot's own names
	"hooks/agentguard/agentguard.go": {"toolName", "permissionDecision"},
	// a policy of another program
	"coordinator/consult/program.go": {"toolName"},
}

// knowsHost reports whether a package may use the words: the host's own, the
// stand-ins for it, the demo, which plays the host where none is installed, and the guard,
// which reads commands that set its variables.
func knowsHost(dir string) bool {
	isHost := dir == claude || strings.HasPrefix(dir, claude+"/") || dir == "coordinator/demo"
	return isHost || strings.HasPrefix(dir, standin) || strings.HasPrefix(dir, guard)
}

// TestHostWords: no string literal outside the host's package contains a word of the host.
func TestHostWords(t *testing.T) {
	for _, found := range usedHostWords(t, os.DirFS(moduleRoot(t))) {
		t.Error(found)
	}
}

// TestHostWordsRules: the check finds a word, and knows where it is allowed.
func TestHostWordsRules(t *testing.T) {
	const field = "package x\n\ntype t struct {\n\tA string `json:\"tool_name\"`\n}\n"
	for file, want := range map[string]int{
		"hooks/a.go": 1, "hooks/a_test.go": 0, "coordinator/testdata/a.go": 0, claude + "/a.go": 0,
		claude + "/mods/a.go": 0, guard + "effect/a.go": 0, "coordinator/host/claudette/a.go": 1,
	} {
		found := usedHostWords(t, fstest.MapFS{file: &fstest.MapFile{Data: []byte(field)}})
		if len(found) != want {
			t.Errorf("%s: found %q, want %d", file, found, want)
		}
	}
}

func usedHostWords(t *testing.T, tree fs.FS) (found []string) {
	t.Helper()
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		base := path.Base(name)
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(base, ".") || base == "testdata" || base == "bin"):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || knowsHost(path.Dir(name)):
			return nil
		}
		words, err := hostWordsIn(tree, name)
		found = append(found, words...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func hostWordsIn(tree fs.FS, name string) (found []string, err error) {
	src, err := fs.ReadFile(tree, name)
	if err != nil {
		return nil, err
	}
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	ast.Inspect(f, func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		for _, word := range hostWords {
			if strings.Contains(literal.Value, word) && !slices.Contains(allowedWords[name], word) {
				found = append(found, files.Position(literal.Pos()).String()+": "+word+" belongs to "+claude)
			}
		}
		return true
	})
	return found, nil
}
