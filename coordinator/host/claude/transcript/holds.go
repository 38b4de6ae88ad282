package transcript

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
)

// holdsTail is how much of the end of a transcript Holds reads, in bytes.
const holdsTail = 16 << 20

// Holds reports whether a conversation has a text that was given to it at a time or later, as a
// prompt or by a hook. ok is false if the transcript cannot be read.
func Holds(path, text string, since time.Time) (held, ok bool) {
	f, size, err := openRegular(path)
	if err != nil {
		return false, false
	}
	defer f.Close()
	text, since = strings.TrimSpace(text), since.Truncate(time.Millisecond)
	for line := range bytes.Lines(readTail(f, size, holdsTail)) {
		if given(line, since) && mentions(line, text) {
			return true, true
		}
	}
	return false, true
}

// given reports whether a line holds something that was given to the model at a time or later.
func given(line []byte, since time.Time) bool {
	var e struct {
		Type string    `json:"type"`
		At   time.Time `json:"timestamp"`
	}
	if json.Unmarshal(line, &e) != nil {
		return false
	}
	switch e.Type {
	case "user", "attachment":
		return e.At.IsZero() || !e.At.Before(since)
	}
	return false
}

// mentions reports whether one of the texts in a line contains a text.
func mentions(line []byte, text string) bool {
	var v any
	return json.Unmarshal(line, &v) == nil && contains(v, text)
}

// contains reports whether a decoded value has a text in one of its strings.
func contains(v any, text string) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, text)
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return contains(item, text) })
	case map[string]any:
		return contains(slices.Collect(maps.Values(v)), text)
	}
	return false
}
