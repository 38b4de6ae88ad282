package trigger

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/text"
)

// A Payload is what came with a firing. It is data: an agent must not follow it.
type Payload struct {
	Text string `json:"text,omitempty"` // as it came
	// Fields are those of a form; those of JSON are read from Text.
	Fields map[string]string `json:"fields,omitempty"`
}

// empty reports whether nothing came.
func (p Payload) empty() bool { return p.Text == "" && len(p.Fields) == 0 }

// Field returns a field by its path: the names of fields of JSON, or numbers in a list, with
// dots between them. "" is the whole payload. A text is returned without its quotes.
func (p Payload) Field(path string) (value string, ok bool) {
	if path == "" {
		return p.Text, true
	}
	if p.Fields != nil {
		value, ok = p.Fields[path]
		return value, ok
	}
	raw := json.RawMessage(p.Text)
	for name := range strings.SplitSeq(path, ".") {
		if raw, ok = member(raw, name); !ok {
			return "", false
		}
	}
	if json.Unmarshal(raw, &value) == nil && raw[0] == '"' {
		return value, true
	}
	return string(raw), string(raw) != "null"
}

// member returns the value with a name or a number in an object or a list.
func member(raw json.RawMessage, name string) (json.RawMessage, bool) {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) == nil {
		value, ok := object[name]
		return value, ok
	}
	var list []json.RawMessage
	n, err := strconv.Atoi(name)
	if err != nil || json.Unmarshal(raw, &list) != nil || n < 0 || n >= len(list) {
		return nil, false
	}
	return list[n], true
}

// place is where a prompt names the payload or a field of it.
var place = regexp.MustCompile(`\{\{ *payload((?:\.[A-Za-z0-9_-]+)*) *\}\}`)

// Text returns what a rule sends for a payload. Each value of the payload stands between two
// marks that it cannot contain, because nobody can guess the nonce. A payload that the
// prompt does not name comes last. A value has at most most bytes. A field that the payload does
// not have stays as the prompt names it, and the text says so.
func (r Rule) Text(p Payload, nonce string, most int) string {
	if p.empty() {
		return place.ReplaceAllLiteralString(r.Prompt, "")
	}
	prompt := r.Prompt
	if !place.MatchString(prompt) {
		prompt += "\n\n{{payload}}"
	}
	lacks := ""
	said := p.fillIn(prompt, func(found, value string, ok bool) string {
		if !ok {
			lacks += " It has no " + found + "."
			return found
		}
		return fence(value, nonce, most)
	})
	return message.From(r.Name, lacks, said, nonce)
}

// fillIn returns a prompt with what put makes of each place in it, of the value there, and of
// whether p has the value.
func (p Payload) fillIn(prompt string, put func(found, value string, ok bool) string) string {
	return place.ReplaceAllStringFunc(prompt, func(found string) string {
		value, ok := p.Field(strings.TrimPrefix(place.FindStringSubmatch(found)[1], "."))
		return put(found, value, ok)
	})
}

func fence(value, nonce string, most int) string {
	value = cut(strings.ToValidUTF8(value, "\ufffd"), most)
	if strings.Contains(value, "\n") {
		value = "\n" + value + "\n"
	}
	return "<data-" + nonce + ">" + value + "</data-" + nonce + ">"
}

// cut bounds a value, and says so.
func cut(value string, most int) string {
	if len(value) <= most {
		return value
	}
	end := most
	for !utf8.RuneStart(value[end]) {
		end--
	}
	return value[:end] + fmt.Sprintf("\n[cut: these are the first %d of %d bytes]", end, len(value))
}

// Notice returns what a rule tells the person for a payload, in at most most characters.
func (r Rule) Notice(p Payload, most int) string {
	prompt := r.Prompt
	if !p.empty() && !place.MatchString(prompt) {
		prompt += "\n\n{{payload}}"
	}
	return text.Clip(p.fillIn(prompt, func(found, value string, ok bool) string {
		if !ok {
			return found
		}
		return strings.ToValidUTF8(value, "\ufffd")
	}), most)
}
