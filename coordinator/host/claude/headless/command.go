// Package headless runs turns of a conversation by `claude -p`: the arguments of the client,
// and what its output means.
package headless

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/afar-sh/afar/coordinator/internal/run"
)

// Name is the name of the agent, and of its program.
const Name = "claude"

// A Turn is what the arguments of one turn are made of.
type Turn struct {
	Conversation string // the session's id, a UUID
	Resumes      bool   // the client knows the conversation
	Mode         string // one of run.Modes
	Model        string // "" for the client's own choice
}

// settings keep the hooks and the plugin on, whatever the settings of the folder say, and
// let texts from outside in. They need no quoting.
const settings = `{"disableAllHooks":false,"enabledPlugins":{"afar@afar":true},"crossSessionInbound":"accept"}`

// modes are the client's names of the permission modes. All supported clients know them.
var modes = map[string]string{
	run.Auto:        "auto",
	run.AcceptEdits: "acceptEdits",
	run.Manual:      "default",
	run.Plan:        "plan",
}

var (
	uuid  = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	model = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@\[\]-]{0,99}$`)
)

// CheckConversation returns an error if an id cannot be that of a conversation.
func CheckConversation(id string) error {
	if !uuid.MatchString(id) {
		return fmt.Errorf("unknown form of conversation id %.60q; want a UUID in lower case", id)
	}
	return nil
}

// CheckModel returns an error if a text cannot be the name of a model; "" is none.
func CheckModel(name string) error {
	if name != "" && !model.MatchString(name) {
		return fmt.Errorf("unknown form of model %.60q; want letters, digits and . _ : / @ [ ] -", name)
	}
	return nil
}

// Args returns the arguments of the client for a turn. The prompt is its stdin. They never
// switch its questions off.
func (t Turn) Args() ([]string, error) {
	mode, ok := modes[t.Mode]
	if !ok {
		return nil, fmt.Errorf("unknown permission mode %.60q; want one of %q", t.Mode, run.Modes())
	}
	if err := CheckConversation(t.Conversation); err != nil {
		return nil, err
	}
	if err := CheckModel(t.Model); err != nil {
		return nil, err
	}
	id := "--session-id"
	if t.Resumes {
		id = "--resume"
	}
	args := []string{
		"-p", "--output-format", "stream-json", "--verbose", "--permission-mode", mode, "--settings", settings,
		id, t.Conversation,
	}
	if t.Model != "" {
		args = append(args, "--model", t.Model)
	}
	return slices.Clip(args), nil
}
