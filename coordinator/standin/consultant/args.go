package consultant

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// A contract describes the options of a program: those with a value, and plain ones.
type contract struct {
	valued, plain []string
	choices       map[string][]string
	unknown       string // its message for an unknown option
}

var formats = []string{"text", "json", "stream-json"}

var contracts = map[string]contract{
	"codex": {
		valued: []string{
			"-c",
			"--config",
			"--enable",
			"--disable",
			"-m",
			"--model",
			"-s",
			"--sandbox",
			"-C",
			"--cd",
			"--add-dir",
			"--color",
			"-o",
			"--output-last-message",
			"-p",
			"--profile",
			"--output-schema",
		},
		plain: []string{
			"--strict-config",
			"--skip-git-repo-check",
			"--ephemeral",
			"--ignore-user-config",
			"--ignore-rules",
			"--json",
			"--oss",
			"-",
		},

		choices: map[string][]string{
			"--sandbox": {"read-only", "workspace-write", "danger-full-access"},
			"--color":   {"always", "never", "auto"},
		},
		unknown: "error: unexpected argument '%s' found",
	},
	"gemini": {
		valued: []string{
			"-p",
			"--prompt",
			"-m",
			"--model",
			"--approval-mode",
			"--policy",
			"--allowed-mcp-server-names",
			"-e",
			"--extensions",
			"-o",
			"--output-format",
			"--include-directories",
		},
		plain: []string{"--skip-trust", "-s", "--sandbox", "-d", "--debug"},

		choices: map[string][]string{
			"--approval-mode": {"default", "auto_edit", "yolo", "plan"},
			"--output-format": formats,
		},
		unknown: "Unknown argument: %s",
	},
	"claude": {
		valued: []string{
			"--settings",
			"--setting-sources",
			"--tools",
			"--output-format",
			"--model",
			"--permission-mode",
			"--mcp-config",
			"--json-schema",
		},
		plain: []string{
			"-p",
			"--print",
			"--safe-mode",
			"--strict-mcp-config",
			"--disable-slash-commands",
			"--no-session-persistence",
		},

		choices: map[string][]string{"--output-format": formats},
		unknown: "error: unknown option '%s'",
	},
}

// Refuses returns why the program refuses the arguments, "" if it accepts them.
func Refuses(name string, args []string) string {
	if name == "codex" {
		if len(args) == 0 || args[0] != "exec" {
			return "error: stdin is not a terminal"
		}
		args = args[1:]
	}
	c, got := contracts[name], map[string]string{}
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case slices.Contains(c.valued, a):
			if i++; i == len(args) {
				return fmt.Sprintf("error: a value is required for '%s'", a)
			}
			got[a] = args[i]
		case slices.Contains(c.plain, a):
			got[a] = ""
		case strings.HasPrefix(a, "-"):
			return fmt.Sprintf(c.unknown, a)
		default:
			return fmt.Sprintf("a question is read from stdin here, not %q", a)
		}
	}
	return lacks(name, got)
}

// lacks returns the message for an option that is missing or has an unknown value.
func lacks(name string, got map[string]string) string {
	_, print := got["--print"]
	_, anywhere := got["--skip-git-repo-check"]
	for option, of := range contracts[name].choices {
		if value, ok := got[option]; ok && !slices.Contains(of, value) {
			return fmt.Sprintf("error: invalid value '%s' for '%s'", value, option)
		}
	}
	switch {
	case name == "codex" && !anywhere:
		return "Not inside a trusted directory and --skip-git-repo-check was not specified."
	case name == "claude" && !print:
		return "Error: this is the interactive client"
	case name == "gemini" && got["--policy"] != "":
		if _, err := os.Stat(got["--policy"]); err != nil {
			return "Error: cannot read the policy: " + err.Error()
		}
	}
	return ""
}
