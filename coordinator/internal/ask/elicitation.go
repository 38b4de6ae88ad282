package ask

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Elicitation is the kind of ask for a request of an MCP server: to fill in a form or to
// open a page. The host opens its own dialog for it only after Afar's hook has ended.
const Elicitation Kind = "elicitation"

// AnsweringFor is the time for the next field of an elicitation at a terminal, once somebody began to answer.
const AnsweringFor = 3 * time.Minute

// The bounds of a requested form.
const (
	maxFields  = 20
	maxChoices = 50
	maxServer  = 100 // bytes of a server's name
)

// A Request is what an MCP server asks the person for: to fill in a form, or to open a
// page.
type Request struct {
	Server  string
	Message string
	Page    bool
	URL     string          // of the page
	Schema  json.RawMessage // of the form, in the JSON Schema of MCP; may be empty
	// Bound is what an answer is bound to. It keeps the order of the fields, because they
	// are answered by position.
	Bound []byte
}

// NewElicitation returns the ask for a request: its text, its fields and the hash of both.
// It returns ErrForm for a form that cannot be answered field by field; such a form is
// left to the host's own dialog.
func NewElicitation(r Request) (a Ask, err error) {
	a = Ask{
		Kind: Elicitation,
		Tool: "MCP server " + Elide(cleanText(r.Server), maxServer),
		Text: keep(r.Message),
		Hash: digest(r.Bound),
	}
	if r.Page {
		a.Text = strings.TrimSpace(a.Text + "\n\n" + keep(r.URL))
		return a, nil
	}
	a.Form, err = newFields(r.Schema)
	return a, err
}

// newFields returns the form for a requested schema, or nil if the schema has no fields.
func newFields(raw json.RawMessage) (*Form, error) {
	var in struct {
		Type       string          `json:"type"`
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if len(raw) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrForm, err)
	}
	f := &Form{}
	err := eachMember(in.Properties, func(name string, raw json.RawMessage) error {
		q, err := newField(name, raw, slices.Contains(in.Required, name))
		f.Questions = append(f.Questions, q)
		if len(f.Questions) > maxFields {
			return errors.New("it has too many fields")
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrForm, err)
	}
	if len(f.Questions) == 0 {
		return nil, nil
	}
	return f, nil
}

// eachMember calls fn for each member of a JSON object, in the order of the text. A
// repeated name is an error, because JSON readers differ about which one counts.
func eachMember(raw json.RawMessage, fn func(string, json.RawMessage) error) error {
	if absent(raw) {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return errors.New("its properties are not a JSON object")
	}
	seen := map[string]bool{}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return err
		}
		name, _ := t.(string)
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return err
		}
		if seen[name] {
			return fmt.Errorf("two properties are named %.40q", name)
		}
		seen[name] = true
		if err := fn(name, value); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// absent reports whether a JSON value is missing or null.
func absent(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// hookFirst reports whether the dialog of a at the terminal opens only after its hook has
// ended.
func (a Ask) hookFirst() bool { return a.Attended && a.Kind == Elicitation }

// Hand leaves the form a to the dialog at the terminal, which opens when the hook ends.
func Hand(a Ask, why string, now time.Time) (Ask, error) {
	if !a.hookFirst() {
		return a.refuseStep("hand to the terminal")
	}
	return Local(a, why, now)
}

// prolong keeps a form open while somebody fills it in.
func prolong(a Ask, now time.Time) Ask {
	if end := now.Add(AnsweringFor); a.hookFirst() && a.ExpiresAt.Before(end) {
		a.ExpiresAt = end
	}
	return a
}
