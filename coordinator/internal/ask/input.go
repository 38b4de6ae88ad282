package ask

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/redact"
)

// The limits of an input's text, in bytes. An input of up to twice maskText is kept whole.
// Of a longer input only maskText at each end is masked, because masking takes a second
// per megabyte. Of the result only keepText is kept. The bytes next to the cut, where a
// secret could be cut in two, are therefore never shown.
const (
	keepText = 128 << 10
	maskText = 96 << 10
)

// Input returns the masked text of a tool call's input, for people, and the hash that
// binds a decision to it. Two inputs have the same hash exactly when they are the same
// JSON value.
func Input(tool string, raw []byte) (text, hash string, err error) { return InputOver(tool, raw, "") }

// InputOver is like Input for a call that overwrites a file with the content old.
func InputOver(tool string, raw []byte, old string) (text, hash string, err error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return "", "", fmt.Errorf("read tool input: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return "", "", errors.New("read tool input: something follows its JSON value")
	}
	canonical, err := json.Marshal(hashedInput(tool, v)) // maps are marshalled with sorted keys
	if err != nil {
		return "", "", fmt.Errorf("read tool input: %w", err)
	}
	sum := sha256.Sum256(append([]byte(tool+"\x00"), canonical...))
	return keep(describe(tool, v, old)), hex.EncodeToString(sum[:]), nil
}

// described lists for each tool the text fields that describe shows without their names.
var described = map[string][]string{
	"Bash":         {"command"},
	"Monitor":      {"command"},
	"Write":        {"file_path", "content"},
	"Edit":         {"file_path", "old_string", "new_string"},
	"MultiEdit":    {"file_path"},
	"NotebookEdit": {"notebook_path", "new_source"},
	"Read":         {"file_path"},
	"WebFetch":     {"url"},
	"ExitPlanMode": {"plan", "planFilePath"},
}

// emptyPlan reports whether a plan has no text. Its input then holds nothing but, perhaps,
// the path of its file.
func emptyPlan(in map[string]any) bool {
	for key, v := range in {
		switch key {
		case "planFilePath":
		case "plan":
			if text, isText := v.(string); !isText || strings.TrimSpace(text) != "" {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// describe says what a call would do, in a form that suits its tool. Every other field is
// added with its name, so that the person sees everything that they allow.
func describe(tool string, v any, old string) string {
	in, _ := v.(map[string]any)
	str := func(key string) string { s, _ := in[key].(string); return s }
	if tool == "AskUserQuestion" {
		if text := describeQuestions(v); text != "" {
			return text
		}
	}
	if tool == "ExitPlanMode" && emptyPlan(in) {
		return "The plan is empty."
	}
	shown := described[tool]
	if len(shown) == 0 || str(shown[0]) == "" {
		return indent(v)
	}
	var body string
	switch tool {
	case "Write":
		body = "\n" + cmp.Or(diff(old, str("content")), "(an empty file)")
	case "Edit":
		body = "\n" + diff(str("old_string"), str("new_string"))
	case "MultiEdit":
		if body = edits(in["edits"]); body != "" {
			in = maps.Clone(in)
			delete(in, "edits")
		}
	case "NotebookEdit":
		body = "\n" + diff("", str("new_source"))
	}
	return str(shown[0]) + body + rest(in, shown)
}

// edits shows the changes of a call that makes several. It returns "" if v has another
// form.
func edits(v any) string {
	list, _ := v.([]any)
	var b strings.Builder
	for i, item := range list {
		in, _ := item.(map[string]any)
		old, isOld := in["old_string"].(string)
		new, isNew := in["new_string"].(string)
		if !isOld || !isNew {
			return ""
		}
		fmt.Fprintf(&b, "\n%d of %d\n%s%s", i+1, len(list), diff(old, new), rest(in, []string{"old_string", "new_string"}))
	}
	return b.String()
}

// idle lists the fields that do not change what a call does.
var idle = []string{"description", "timeout", "timeout_ms"}

// rest lists the fields that are not shown yet. It leaves out false, which is the default.
func rest(in map[string]any, shown []string) string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(in)) {
		v := in[key]
		_, isText := v.(string)
		switch {
		case v == nil, v == false, slices.Contains(idle, key):
		case isText && slices.Contains(shown, key):
		default:
			fmt.Fprintf(&b, "\n%s: %s", key, indent(v))
		}
	}
	return b.String()
}

// indent writes a value as JSON. It masks the texts before it quotes them, because a
// secret after an escaped line break would not be recognised.
func indent(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(masked(v)); err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSpace(b.String())
}

// masked returns v with its texts masked. It does not mask a text that is too long to be
// kept whole, because masking is slow; keep does that.
func masked(v any) any {
	switch x := v.(type) {
	case string:
		if len(x) <= 2*maskText {
			return redact.Mask(x)
		}
	case []any:
		out := make([]any, len(x))
		for i, item := range x {
			out[i] = masked(item)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(x))
		for key, item := range x {
			out[key] = masked(item)
		}
		return out
	}
	return v
}

// keep masks text, makes hidden characters visible and bounds its length.
func keep(text string) string {
	total := len(text)
	if total <= 2*maskText {
		return redact.Clean(text)
	}
	text = fmt.Sprintf("%s\n… the middle of %d bytes left out …\n%s", text[:maskText], total, text[total-maskText:])
	return elide(redact.Clean(text), keepText, total)
}

// Elide shortens text to about max bytes. It leaves out the middle, cuts between runes and
// says how long the whole text is.
func Elide(text string, max int) string { return elide(text, max, len(text)) }

func elide(text string, most, total int) string {
	if len(text) <= most {
		return text
	}
	total = max(total, len(text)) // making characters visible may have lengthened the text
	head := strings.ToValidUTF8(text[:most*2/3], "")
	tail := strings.ToValidUTF8(text[len(text)-most/4:], "")
	return fmt.Sprintf("%s\n… %d of %d bytes left out …\n%s", head, total-len(head)-len(tail), total, tail)
}
