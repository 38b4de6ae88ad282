package module

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Bounds of what a source prints.
const (
	MaxLine = 64 << 10 // in bytes, without its end
	maxID   = 200      // in bytes
)

// An Event is what one line of a source says.
type Event struct {
	ID   string // by which the source knows it, "" for none
	Text string
}

// errForm says what a line must be.
var errForm = errors.New(`it is no JSON object; want {"id": "7", "text": "what happened"}`)

// ParseEvent reads a line of a source: a JSON object. Its field id may be a text or a whole
// number. The text of the event is the field text, if there is no other one, and otherwise the
// object without its id.
func ParseEvent(line []byte) (e Event, err error) {
	var fields map[string]json.RawMessage
	switch {
	case len(line) > MaxLine:
		return e, fmt.Errorf("it is longer than %d bytes", MaxLine)
	case !utf8.Valid(line):
		return e, errors.New("it is not UTF-8")
	case json.Unmarshal(line, &fields) != nil, fields == nil:
		return e, errForm
	}
	if e.ID, err = idOf(fields["id"]); err != nil {
		return e, err
	}
	delete(fields, "id")
	if e.Text, err = textOf(fields); err != nil {
		return e, err
	}
	if strings.TrimSpace(e.Text) == "" {
		return e, errors.New("it says nothing beside its id")
	}
	return e, nil
}

// idOf returns the id in a field, "" for no field.
func idOf(raw json.RawMessage) (id string, err error) {
	var number json.Number
	switch {
	case len(raw) == 0, bytes.Equal(raw, []byte("null")):
		return "", nil
	case json.Unmarshal(raw, &id) == nil:
	case json.Unmarshal(raw, &number) == nil && !strings.ContainsAny(number.String(), ".eE"):
		id = number.String()
	default:
		return "", errors.New("its id is neither a text nor a whole number")
	}
	if id == "" || len(id) > maxID {
		return "", fmt.Errorf("its id must have 1 to %d bytes", maxID)
	}
	return id, nil
}

func textOf(fields map[string]json.RawMessage) (text string, err error) {
	if len(fields) == 0 {
		return "", nil
	}
	if raw, ok := fields["text"]; ok && len(fields) == 1 && json.Unmarshal(raw, &text) == nil {
		return text, nil
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err = enc.Encode(fields)
	return strings.TrimSuffix(out.String(), "\n"), err
}

// SeenKey names an event of a module by its id.
type SeenKey string

// A Seen is an event that has come once. It keeps the same one from counting again.
type Seen struct {
	Key SeenKey   `json:"key"`
	At  time.Time `json:"at"` // when it came first
}

// seenFor is how long an id stands for the same event.
const seenFor = 7 * 24 * time.Hour

// KeyOf returns the key of an event.
func KeyOf(name Name, id string) SeenKey {
	sum := sha256.Sum256([]byte(string(name) + "\x00" + id))
	return SeenKey(hex.EncodeToString(sum[:]))
}

// Covers reports whether an event with the same key that comes now is the same event.
func (s Seen) Covers(now time.Time) bool { return s.Key != "" && now.Sub(s.At) < seenFor }
