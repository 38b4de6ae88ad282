// Package agentguard writes the guard's hook into the settings of other agents, takes it away, and says which agents
// have it. The hook itself is the program hook-agent.
package agentguard

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/tidwall/sjson"

	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/hostfile"
	"github.com/afar-sh/afar/coordinator/text"
)

// An Agent is a coding agent whose own hook can run the guard.
type Agent struct {
	Name string
	// OpenWhen says when a call runs unjudged, "" for never.
	OpenWhen string
	// Next is what the person has to do after the hook is installed, "" for nothing.
	Next string

	file func(home string, getenv func(string) string) string
	// In the texts of hooks and own, COMMAND stands for the hook's command, and PROGRAM for its program.
	hooks []entry // in a file that others write, too
	own   string  // the text of a file that is Afar's alone; "" for a file of others
	seen  func(file string) string
}

// An entry is a hook in a list of a JSON file.
type entry struct{ list, text string }

//go:embed opencode.js
var opencodePlugin string

// Agents are the agents, by name. Each but Cursor was tried with its real program.
var Agents = []Agent{
	{
		Name:     "codex",
		OpenWhen: "its hook dies, takes longer than a day, or is not trusted",
		Next:     "start codex once and trust the hook: codex asks",
		file:     below("CODEX_HOME", ".codex", "hooks.json"),
		hooks: []entry{{
			"hooks.PreToolUse", `{"hooks":[{"type":"command","command":COMMAND,"timeout":86400}]}`,
		}},
		seen: untrusted,
	},
	{
		Name:     "copilot",
		OpenWhen: "",
		file:     below("COPILOT_HOME", ".copilot", "hooks/afar-guard.json"),
		own:      `{"version":1,"hooks":{"preToolUse":[{"type":"command","bash":COMMAND,"timeoutSec":86400}]}}` + "\n",
	},
	{
		Name:     "cursor",
		OpenWhen: "it is older than its setting failClosed, and its hook dies",
		file:     below("", ".cursor", "hooks.json"),
		hooks: []entry{
			{"hooks.beforeShellExecution", `{"command":COMMAND,"timeout":86400,"failClosed":true}`},
			{"hooks.beforeMCPExecution", `{"command":COMMAND,"timeout":86400,"failClosed":true}`},
			{
				"hooks.preToolUse",
				`{"command":COMMAND,"timeout":86400,"failClosed":true,"matcher":"Write|Edit|StrReplace|Delete"}`,
			},
		},
	},
	{
		Name:     "gemini",
		OpenWhen: "its hook dies or takes longer than a day",
		file:     below("", ".gemini", "settings.json"),
		hooks: []entry{{
			"hooks.BeforeTool",
			`{"matcher":"*","hooks":[{"name":"afar-guard","type":"command","command":COMMAND,"timeout":86400000}]}`,
		}},
	},
	{
		Name: "opencode",
		file: below("XDG_CONFIG_HOME", ".config", "opencode/plugins/afar-guard.js"),
		own:  opencodePlugin,
	},
}

// below returns a file below the directory that a variable names, or else below one of the home.
func below(variable, dir, file string) func(string, func(string) string) string {
	return func(home string, getenv func(string) string) string {
		if named := getenv(variable); variable != "" && filepath.IsAbs(named) {
			return filepath.Join(named, file)
		}
		return filepath.Join(home, dir, file)
	}
}

// Named returns the agent with that name. The error of an unknown one lists all.
func Named(name string) (Agent, error) {
	var known []string
	for _, a := range Agents {
		if a.Name == name {
			return a, nil
		}
		known = append(known, a.Name)
	}
	return Agent{}, fmt.Errorf("unknown agent %.40q; want one of %s", name, strings.Join(known, ", "))
}

// File returns the settings file of the agent that holds the hook.
func (a Agent) File(home string, getenv func(string) string) string { return a.file(home, getenv) }

// fill puts the hook's command and its program into a text of the agent's settings. bin is the directory of Afar's
// programs.
func (a Agent) fill(template, bin string) string {
	program := home.Program(bin, "hook-agent")
	command := text.ShellQuote(program) + " " + a.flag()
	return strings.NewReplacer("COMMAND", quote(command), "PROGRAM", quote(program)).Replace(template)
}

// quote returns a text as a string of JSON, and of JavaScript.
func quote(s string) string {
	raw, _ := json.Marshal(s) // a string has a JSON form
	return string(raw)
}

func (a Agent) flag() string { return "--agent=" + a.Name }

// Install writes the hook into the agent's settings, in place of an older one. Whatever else is in the file stays as it
// is, byte by byte. It returns an error if the file is no JSON object.
func (a Agent) Install(file, bin string) error {
	if a.own != "" {
		f, err := hostfile.Open(file)
		if err != nil {
			return err
		}
		return f.Replace([]byte(a.fill(a.own, bin)))
	}
	return a.change(file, func(settings []byte) (out []byte, err error) {
		out = settings
		if a.Name == "cursor" && !bytes.Contains(out, []byte(`"version"`)) {
			out, err = sjson.SetBytes(out, "version", 1)
		}
		for _, e := range a.hooks {
			if err == nil {
				out, err = sjson.SetRawBytes(out, e.list+".-1", []byte(a.fill(e.text, bin)))
			}
		}
		return out, err
	})
}

// Remove takes the hook out of the agent's settings.
func (a Agent) Remove(file string) error {
	if a.own != "" {
		if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return a.change(file, func(settings []byte) ([]byte, error) { return settings, nil })
}

// change takes the hook out of a file of the agent, lets change do the rest, and writes the file if it is another one
// then.
func (a Agent) change(file string, change func([]byte) ([]byte, error)) error {
	f, err := hostfile.Open(file)
	if err != nil {
		return err
	}
	old := f.Text
	if old == nil {
		old = []byte("{}\n")
	}
	if in, err := hostjson.Parse(string(old), hostjson.MaxDepth); err != nil || !in.IsObject() {
		return fmt.Errorf("%s is no JSON object, or has comments: it was left as it is", file)
	}
	next, err := change(a.without(old))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if bytes.Equal(old, next) {
		return nil
	}
	return f.Replace(next)
}

// without returns the settings without our hook. A list that was only ours goes, too.
func (a Agent) without(settings []byte) []byte {
	for _, e := range a.hooks {
		list := listIn(settings, e.list)
		for i := len(list) - 1; i >= 0; i-- {
			if !a.isOurs(list[i].Raw()) {
				continue
			}
			at := e.list + "." + strconv.Itoa(i)
			if len(list) == 1 {
				at = e.list
			}
			settings, _ = sjson.DeleteBytes(settings, at) // the path exists
		}
	}
	return settings
}

// listIn returns the list at a path of settings, nil if there is none.
func listIn(settings []byte, path string) []hostjson.Value {
	in, _ := hostjson.Parse(string(settings), hostjson.MaxDepth) // without an object there is no list
	return in.Get(path).Items()
}

// isOurs reports whether a text of the settings is our hook.
func (a Agent) isOurs(raw string) bool {
	return strings.Contains(raw, "hook-agent") && strings.Contains(raw, a.flag())
}

// State returns whether the agent's settings have the hook, and what is wrong with it, "" for nothing.
func (a Agent) State(file, bin string) (installed bool, wrong string) {
	raw, err := os.ReadFile(file)
	if err != nil || !a.isOurs(string(raw)) {
		return false, ""
	}
	if !bytes.Contains(raw, []byte(a.fill("COMMAND", bin))) && string(raw) != a.fill(a.own, bin) {
		return true, "its hook is not the program of this installation"
	}
	if program := home.Program(bin, "hook-agent"); !exists(program) {
		return true, program + " is gone"
	}
	if a.seen != nil {
		return true, a.seen(file)
	}
	return true, ""
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// untrusted says that the person has not trusted the hook in codex, which then does not run it. codex keeps that
// in its config.toml, under the file and the place of the hook.
func untrusted(file string) string {
	config, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "config.toml"))
	raw, _ := os.ReadFile(file)
	for i, e := range listIn(raw, "hooks.PreToolUse") {
		key := fmt.Sprintf("%s:pre_tool_use:%d:0", file, i)
		if strings.Contains(e.Raw(), "hook-agent") && !strings.Contains(string(config), strconv.Quote(key)) {
			return "codex does not run its hook, because nobody has trusted it"
		}
	}
	return ""
}
