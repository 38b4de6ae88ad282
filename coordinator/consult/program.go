package consult

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// A Program reads a question from stdin and answers it on stdout.
type Program struct {
	Name string   // what people call it
	Path string   // a name that is looked up in PATH, or an absolute path
	Args []string // never a secret, and never the question: both would show in the list of processes

	files map[string]string // the files in its working directory
	// formed returns the arguments for an answer that fits a JSON schema, nil if the program has
	// none for that. It then reports as Claude Code does.
	formed  func(schema string) []string
	reports bool   // it was given those arguments
	tail    string // what its question ends with
}

// usual returns the programs that are asked by default, in order.
func usual() []Program { return []Program{codex("codex"), gemini("gemini"), claude("claude")} }

// errProgram says that a name is not that of a known program.
var errProgram = errors.New("no such program to consult")

// Named returns the program for a word of the settings: codex, gemini, claude or an
// absolute path. If the last element of a path begins with one of the three names, the
// program gets the arguments of that program, otherwise none.
func Named(word string) (Program, error) {
	base := filepath.Base(word)
	if word != base && !filepath.IsAbs(word) {
		return Program{}, fmt.Errorf("%w: %q is neither codex, gemini, claude nor an absolute path", errProgram, word)
	}
	for _, kind := range []struct {
		name string
		of   func(path string) Program
	}{{"codex", codex}, {"gemini", gemini}, {"claude", claude}} {
		if word == kind.name || filepath.IsAbs(word) && strings.HasPrefix(base, kind.name) {
			return kind.of(word), nil
		}
	}
	if !filepath.IsAbs(word) {
		return Program{}, fmt.Errorf("%w: %q is neither codex, gemini, claude nor an absolute path", errProgram, word)
	}
	return Program{Name: base, Path: word}, nil
}

// Programs returns the programs for the words of the settings.
func Programs(words []string) ([]Program, error) {
	out := make([]Program, len(words))
	for i, w := range words {
		p, err := Named(w)
		if err != nil {
			return nil, fmt.Errorf("consult.programs: %w", err)
		}
		out[i] = p
	}
	return out, nil
}

// codex is OpenAI's client. It prints its last message to stdout and everything else to
// stderr. It does not read the person's settings, which may name servers and programs to
// run, but uses the person's sign-in. Its tools are off, and it runs in its sandbox.
func codex(path string) Program {
	return Program{Name: "codex", Path: path, Args: []string{
		"exec", "--sandbox", "read-only", "-c", `approval_policy="never"`, "-c", `web_search="disabled"`,
		"-c", "features.shell_tool=false", "-c", "features.unified_exec=false", "-c", "features.multi_agent=false",
		"-c", "features.goals=false",
		"-c", "features.hooks=false", "-c", "features.plugins=false", "-c", "features.apps=false",
		"--ignore-user-config", "--ignore-rules", "--skip-git-repo-check", "--ephemeral", "--color", "never", "-",
	}}
}

// noTools is a policy with which gemini offers its model no tools.
const noTools = `[[rule]]
toolName = "*"
decision = "deny"
priority = 999
`

// gemini is Google's client. Its plan mode can read but change nothing, and the policy
// forbids reading too.
func gemini(path string) Program {
	return Program{Name: "gemini", Path: path, Args: []string{
		"--prompt", "", "--approval-mode", "plan", "--policy", "no-tools.toml", "--extensions", "none",
		"--allowed-mcp-server-names", "none", "--skip-trust", "--output-format", "text",
	}, files: map[string]string{"no-tools.toml": noTools}}
}

// claude is a fresh Claude Code without tools. It loads nothing that a person or a project
// added, in particular not Afar's hooks.
func claude(path string) Program {
	alone := []string{
		"--print", "--safe-mode", "--settings", `{"disableAllHooks":true}`, "--strict-mcp-config",
		"--disable-slash-commands", "--no-session-persistence", "--tools", "",
	}
	formed := func(schema string) []string {
		return append(slices.Clone(alone), "--output-format", "json", "--json-schema", schema)
	}
	return Program{
		Name:   "claude",
		Path:   path,
		Args:   append(slices.Clone(alone), "--output-format", "text"),
		formed: formed,
	}
}
