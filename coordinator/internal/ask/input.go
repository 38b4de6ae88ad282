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

// An input of up to twice maskText bytes is kept whole. Of a longer one no more
// than maskText is masked at each end, for masking takes a second a megabyte,
// and keepText is kept: the difference, in which a secret could be cut in two,
// is never shown.
const (
	keepText = 128 << 10
	maskText = 96 << 10
)

// Input describes the exact input of a tool call: its masked, visible text for
// people, and the hash that binds a decision to it. Two inputs have the same
// hash exactly when they are the same JSON value.
func Input(tool string, raw []byte) (text, hash string, err error) { return InputOver(tool, raw, "") }

// InputOver is Input of a call that writes over a file which holds old.
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
	canonical, err := json.Marshal(bound(tool, v)) // maps are marshalled with sorted keys
	if err != nil {
		return "", "", fmt.Errorf("read tool input: %w", err)
	}
	sum := sha256.Sum256(append([]byte(tool+"\x00"), canonical...))
	return keep(describe(tool, v, old)), hex.EncodeToString(sum[:]), nil
}

// described names the text fields of a tool that describe shows in its words.
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

// emptyPlan reports a plan without any text: the host sends nothing of it, or its file.
func emptyPlan(in map[string]any) bool {
	for key, v := range in {
		if text, is := v.(string); key != "planFilePath" && (key != "plan" || !is || strings.TrimSpace(text) != "") {
			return false
		}
	}
	return true
}

// describe says what a call would do, in the words of its tool. A field that
// those words leave out is added by name: nothing that is allowed stays unseen.
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

// edits shows the changes of one call that makes several, "" where they have
// another form.
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

// idle names the fields that change nothing about what a call does.
var idle = []string{"description", "timeout", "timeout_ms"}

// rest lists the fields that are not shown yet; a false one is the default.
func rest(in map[string]any, shown []string) string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(in)) {
		v := in[key]
		_, isText := v.(string)
		if isText && slices.Contains(shown, key) || slices.Contains(idle, key) || v == nil || v == false {
			continue
		}
		fmt.Fprintf(&b, "\n%s: %s", key, indent(v))
	}
	return b.String()
}

// indent writes a value as JSON. Its texts are masked before they are quoted:
// behind an escaped line break no secret is recognised.
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

// masked returns v with every text in it masked. One that is not kept anyway
// stays as it is: masking is slow.
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

// keep masks text, makes it visible and bounds it.
func keep(text string) string {
	total := len(text)
	if total <= 2*maskText {
		return redact.Visible(redact.Mask(text))
	}
	text = fmt.Sprintf("%s\n… the middle of %d bytes left out …\n%s", text[:maskText], total, text[total-maskText:])
	return elide(redact.Visible(redact.Mask(text)), keepText, total)
}

// Elide shortens text to about max bytes by leaving out its middle, and says
// how long the whole is. It cuts between runes.
func Elide(text string, max int) string { return elide(text, max, len(text)) }

func elide(text string, most, total int) string {
	if len(text) <= most {
		return text
	}
	total = max(total, len(text)) // what was made visible is longer
	head := strings.ToValidUTF8(text[:most*2/3], "")
	tail := strings.ToValidUTF8(text[len(text)-most/4:], "")
	return fmt.Sprintf("%s\n… %d of %d bytes left out …\n%s", head, total-len(head)-len(tail), total, tail)
}
