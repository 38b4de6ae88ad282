package server

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
)

// A suggestion is one change of its permissions that the host suggests.
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

// maxSuggested bounds the words for the host's suggestions, in bytes.
const maxSuggested = 300

// always chooses from the host's suggestions what *Always* covers, and says all of
// it in words. Rules for calls of this tool come alone. Only where there are none
// it is a permission mode or a directory, and beyond is true: the button then says
// it itself. What cannot be put into words is left out.
func always(tool string, raw json.RawMessage, home string) (words string, echo []int, beyond bool) {
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

// choose returns the suggestions that a wording has words for, by their places,
// and all the words: those that count in the same place stand together.
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

// rulesFor says for what a suggestion of rules lets the host stop asking, where all
// of them are for one tool and none for all that it does; "" otherwise.
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

// places says how long and how far a change counts, by where the host keeps it. A
// change that is kept anywhere else is not offered.
var places = map[string]string{
	"session":         "in this session",
	"localSettings":   "in this project",
	"projectSettings": "in this project, for everybody who works in it",
	"userSettings":    "in all projects",
}

// whole reports a rule for all calls of a tool that can do many things.
func (r rule) whole() bool {
	return strings.Trim(r.Content, " :*") == "" && !strings.HasPrefix(r.Tool, "mcp__")
}

// words says what a rule lets happen.
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

// beginning shows the commands that a rule of the host covers: "go test …" for all
// that begin so, and one command as it is.
func beginning(content string) string {
	for _, wild := range []string{" *", ":*", "*"} {
		if head, ok := strings.CutSuffix(content, wild); ok {
			return head + " …"
		}
	}
	return content
}

// reach says what a suggestion changes beyond calls like the one that is asked
// about: a permission mode of this session, or a directory that it may use.
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

// tilde shows a path with ~ for the person's home.
func tilde(home, path string) string {
	if rest, ok := strings.CutPrefix(path, home); ok && home != "" && (rest == "" || rest[0] == '/') {
		return "~" + rest
	}
	return path
}
