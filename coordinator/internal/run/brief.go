package run

import (
	"encoding/json"
	"strings"
)

// telling are the fields of a call that say most about it, the most telling first.
var telling = []string{"command", "cmd", "file_path", "path", "url", "pattern", "query", "prompt", "description"}

// Brief returns the value that says most about a call, of its input as the agent wrote it. It
// returns an input of another form as it is.
func Brief(input string) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(input), &fields) != nil {
		return input
	}
	for _, name := range telling {
		if s := brief(fields[name]); s != "" {
			return s
		}
	}
	if len(fields) == 0 {
		return ""
	}
	return input
}

// brief returns a text, or the texts of a list.
func brief(raw json.RawMessage) string {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return one
	}
	var words []string
	if json.Unmarshal(raw, &words) == nil {
		return strings.Join(words, " ")
	}
	return ""
}
