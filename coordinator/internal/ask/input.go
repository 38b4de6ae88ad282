package ask

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/secret"
)

// keepText bounds the masked text that is kept of one input, in bytes. No more
// than maskText is masked at each end: masking takes a second a megabyte. The
// difference, in which a secret could be cut in two, is never shown.
const (
	keepText = 64 << 10
	maskText = 96 << 10
)

// Input describes the exact input of a tool call: its masked, visible text for
// people, and the hash that binds a decision to it. Two inputs have the same
// hash exactly when they are the same JSON value.
func Input(tool string, raw []byte) (text, hash string, err error) {
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
	return keep(describe(tool, v), kept(tool)), hex.EncodeToString(sum[:]), nil
}

// described names the text fields of a tool that describe shows in its words.
var described = map[string][]string{
	"Bash":         {"command"},
	"Monitor":      {"command"},
	"Write":        {"file_path", "content"},
	"Edit":         {"file_path", "old_string", "new_string"},
	"NotebookEdit": {"notebook_path", "new_source"},
	"Read":         {"file_path"},
	"WebFetch":     {"url"},
	"ExitPlanMode": {"plan", "planFilePath"},
}

// describe says what a call would do, in the words of its tool. A field that
// those words leave out is added by name: nothing that is allowed stays unseen.
func describe(tool string, v any) string {
	in, _ := v.(map[string]any)
	str := func(key string) string { s, _ := in[key].(string); return s }
	if tool == "AskUserQuestion" {
		if text := describeQuestions(v); text != "" {
			return text
		}
	}
	shown := described[tool]
	if len(shown) == 0 || str(shown[0]) == "" {
		return indent(v)
	}
	var body string
	switch tool {
	case "Write":
		body = "\n" + lines("+", str("content"))
	case "Edit":
		body = "\n" + lines("-", str("old_string")) + lines("+", str("new_string"))
	case "NotebookEdit":
		body = "\n" + lines("+", str("new_source"))
	}
	return str(shown[0]) + body + rest(in, shown)
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

func lines(mark, text string) string {
	if text == "" {
		return ""
	}
	var b strings.Builder
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		fmt.Fprintf(&b, "%s %s\n", mark, line)
	}
	return b.String()
}

func indent(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSpace(b.String())
}

// kept is how much of a tool's text is kept: a plan is there to be read whole.
func kept(tool string) int {
	if tool == "ExitPlanMode" {
		return 3 * maskText
	}
	return keepText
}

// keep masks text, makes it visible and bounds it.
func keep(text string, most int) string {
	total := len(text)
	if total > 2*maskText {
		text = fmt.Sprintf("%s\n… the middle of %d bytes left out …\n%s", text[:maskText], total, text[total-maskText:])
	}
	return elide(secret.Visible(secret.Mask(text)), most, total)
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
