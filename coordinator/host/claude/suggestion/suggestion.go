// Package suggestion reads the changes to its own permissions that Claude Code suggests
// with a question, and says in words what they change.
package suggestion

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
)

// A suggestion is one change that the host suggests to its own permissions.
type suggestion struct {
	Type        string   `json:"type"`
	Mode        string   `json:"mode"`
	Behavior    string   `json:"behavior"`
	Destination string   `json:"destination"`
	Directories []string `json:"directories"`
	Rules       []rule   `json:"rules"`
}

// A rule is one permission rule of the host.
type rule struct {
	Tool    string `json:"toolName"`
	Content string `json:"ruleContent"`
}

// maxSuggested bounds the text about the host's suggestions, in bytes.
const maxSuggested = 300

// Always chooses the host's suggestions that *Always* covers. It returns a text that says
// all of them, and their places in the list. It prefers rules for calls of this tool. If
// there are none, it takes permission modes and directories, and beyond is true: the
// button then names them itself. A suggestion for which there are no words is left out.
func Always(tool string, raw json.RawMessage, home string) (words string, echo []int, beyond bool) {
	var list []suggestion
	if err := json.Unmarshal(raw, &list); err != nil {
		return "", nil, false
	}
	words, echo = choose(list, func(s suggestion) string { return s.rulesFor(tool) })
	if len(echo) > 0 {
		words = "stop asking " + words
	} else {
		words, echo = choose(list, func(s suggestion) string { return s.reach(home) })
		beyond = len(echo) > 0
	}
	if len(words) > maxSuggested {
		return "", nil, false
	}
	return words, echo, beyond
}

// choose returns the places of the suggestions for which wording returns words, and all
// these words. Changes that the host keeps in the same place are named together.
func choose(list []suggestion, wording func(suggestion) string) (words string, echo []int) {
	var where []string
	what := map[string][]string{}
	for i, s := range list {
		text, place := wording(s), places[s.Destination]
		if text == "" || place == "" {
			continue
		}
		echo = append(echo, i)
		if !slices.Contains(where, place) {
			where = append(where, place)
		}
		switch {
		case slices.Contains(what[place], text):
		case s.Type == "setMode": // a phone cuts off the end of a button
			what[place] = append([]string{text}, what[place]...)
		default:
			what[place] = append(what[place], text)
		}
	}
	for i, place := range where {
		where[i] = strings.Join(what[place], " and ") + " " + place
	}
	return text.Fold(redact.Clean(strings.Join(where, ", and "))), echo
}

// rulesFor says what the host stops asking for if it takes a suggestion of rules. It
// returns "" unless all rules are for this tool and none covers everything it does.
func (s suggestion) rulesFor(tool string) string {
	if s.Type != "addRules" || s.Behavior != "allow" {
		return ""
	}
	var what []string
	for _, r := range s.Rules {
		if r.Tool != tool || r.whole() {
			return ""
		}
		what = append(what, r.words())
	}
	return strings.Join(what, " and ")
}

// places maps where the host keeps a change to words for where it applies. A change that
// is kept anywhere else is not offered.
var places = map[string]string{
	"session":         "in this session",
	"localSettings":   "in this project",
	"projectSettings": "in this project, for everybody who works in it",
	"userSettings":    "in all projects",
}

// whole reports whether a rule covers all calls of a tool that can do many things.
func (r rule) whole() bool {
	return strings.Trim(r.Content, " :*") == "" && !strings.HasPrefix(r.Tool, "mcp__")
}

// words says what a rule permits.
func (r rule) words() string {
	content := strings.ReplaceAll(r.Content, "`", "'")
	switch {
	case r.Content == "":
		return "for " + r.Tool
	case r.Tool == "Bash":
		return "for `" + beginning(content) + "`"
	case r.Tool == "WebFetch":
		return "to fetch from " + strings.TrimPrefix(content, "domain:")
	case r.Tool == "Read":
		return "to read `" + strings.TrimPrefix(content, "/") + "`"
	}
	return "for " + r.Tool + " `" + content + "`"
}

// beginning returns a text for the commands that a rule of the host covers: "go test …"
// for all commands that begin with "go test", and a single command unchanged.
func beginning(content string) string {
	for _, wild := range []string{" *", ":*", "*"} {
		if head, ok := strings.CutSuffix(content, wild); ok {
			return head + " …"
		}
	}
	return content
}

// reach says what a suggestion changes that is not a rule: the session's permission mode,
// or the directories that it may use. It returns "" for other suggestions.
func (s suggestion) reach(home string) string {
	switch {
	case s.Type == "setMode" && s.Mode == "acceptEdits":
		return "stop asking for edits"
	case s.Type == "addDirectories" && len(s.Directories) > 0:
		var dirs []string
		for _, d := range s.Directories {
			dirs = append(dirs, tilde(home, d))
		}
		return "let it use " + strings.Join(dirs, ", ")
	}
	return ""
}

// tilde returns a path with ~ in place of the person's home directory.
func tilde(home, path string) string {
	if rest, ok := strings.CutPrefix(path+"/", home+"/"); ok && home != "" {
		return strings.TrimSuffix("~/"+rest, "/")
	}
	return path
}
