package ask

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
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

// An Input is what a tool call would do, as the host says it. Its texts are not masked.
type Input struct {
	Tool      string
	Bound     []byte         // what a decision on the call is bound to, in a canonical form
	Subject   string         // what the call works on: a command, a file, an address, a plan
	Purpose   string         // what the session says that the call is for
	Changes   []Change       // what it writes
	Several   bool           // the changes are shown with their numbers
	Replaces  bool           // the only change is the whole content of a file
	Plain     bool           // nothing besides the Subject changes what the call may do
	Fields    map[string]any // all else that it says, by name
	Questions []Question     // what it asks the person
	Whole     any            // the JSON value, shown for a call without Subject and Questions
}

// A Change replaces one text with another.
type Change struct {
	Old, New string
	Fields   map[string]any // all else that is said about it, by name
}

// NoPlan is the Subject of a plan that has no text.
const NoPlan = "The plan is empty."

// Hash returns the hash that binds a decision to the call.
func (in Input) Hash() string { return digest([]byte(in.Tool+"\x00"), in.Bound) }

func digest(parts ...[]byte) string {
	sum := sha256.New()
	for _, part := range parts {
		sum.Write(part)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Text returns what the call would do, masked, for people. old is what the file holds that
// the call replaces.
func (in Input) Text(old string) string {
	if f, err := NewForm(in.Questions); err == nil {
		if text := f.text(); text != "" {
			return keep(text)
		}
	}
	if in.Subject == "" {
		return keep(indent(in.Whole))
	}
	return keep(in.Subject + in.changes(old) + named(in.Fields))
}

func (in Input) changes(old string) string {
	var b strings.Builder
	for i, c := range in.Changes {
		switch {
		case in.Replaces:
			b.WriteString("\n" + cmp.Or(diff(old, c.New), "(an empty file)"))
		case in.Several:
			fmt.Fprintf(&b, "\n%d of %d\n%s", i+1, len(in.Changes), diff(c.Old, c.New))
		default:
			b.WriteString("\n" + diff(c.Old, c.New))
		}
		b.WriteString(named(c.Fields))
	}
	return b.String()
}

// named lists fields with their names.
func named(fields map[string]any) string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		fmt.Fprintf(&b, "\n%s: %s", key, indent(fields[key]))
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
