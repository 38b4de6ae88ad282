package redact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// MaskJSON returns a JSON value on one line, with every text in it masked and made
// visible. It leaves out a text of more than most bytes: if it cut the text, it could
// cut a secret in two and not recognize it. The result is for people and may not be
// valid JSON, because a mask can include a quote.
func MaskJSON(raw []byte, most int) (string, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return "", fmt.Errorf("mask JSON: %w", err)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(maskLeaves(v, most)); err != nil {
		return "", fmt.Errorf("mask JSON: %w", err)
	}
	return Mask(strings.TrimSpace(b.String())), nil // again, because now names precede their values
}

func maskLeaves(v any, most int) any {
	switch x := v.(type) {
	case string:
		if len(x) > most {
			return fmt.Sprintf("… %d bytes left out …", len(x))
		}
		return Visible(Mask(x))
	case []any:
		for i, item := range x {
			x[i] = maskLeaves(item, most)
		}
	case map[string]any:
		out := make(map[string]any, len(x))
		for key, item := range x {
			name, _ := maskLeaves(key, most).(string)
			out[name] = maskLeaves(item, most)
		}
		return out
	}
	return v
}
