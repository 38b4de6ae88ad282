package ask

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Elicitation is what an MCP server asks the person: form fields, or to open a
// page. The host's own dialog for it opens only after our hook.
const Elicitation Kind = "elicitation"

// The times of an elicitation at a terminal, where the dialog waits for us.
const (
	ElicitFor    = SubagentFor     // without an answer it is handed to the terminal
	AnsweringFor = 3 * time.Minute // somebody answers field by field
)

// The bounds of a requested form.
const (
	maxFields  = 20
	maxChoices = 50
	maxServer  = 100 // bytes of a server's name
)

// elicited is the host's Elicitation input, as far as we read it.
type elicited struct {
	Server  string          `json:"mcp_server_name"`
	Message string          `json:"message"`
	Mode    string          `json:"mode"`
	URL     string          `json:"url"`
	Schema  json.RawMessage `json:"requested_schema"`
}

// NewElicitation reads what an MCP server asks: its words, its fields and the
// hash of all of it. A form that cannot be put to a person field by field is
// ErrForm: it is left to the host's own dialog.
func NewElicitation(raw []byte) (a Ask, err error) {
	var in elicited
	if err := json.Unmarshal(raw, &in); err != nil {
		return a, fmt.Errorf("%w: %w", ErrForm, err)
	}
	if in.Server == "" || in.Mode != "" && in.Mode != "form" && in.Mode != "url" {
		return a, fmt.Errorf("%w: no server, or mode %.20q", ErrForm, in.Mode)
	}
	a = Ask{Kind: Elicitation, Tool: "MCP server " + Elide(words(in.Server), maxServer), Text: keep(in.Message)}
	if in.Mode == "url" {
		a.Text = strings.TrimSpace(a.Text + "\n\n" + keep(in.URL))
	} else if a.Form, err = newFields(in.Schema); err != nil {
		return a, err
	}
	canonical, err := json.Marshal(in) // the schema in the server's own order: the fields are answered by place
	if err != nil {
		return a, fmt.Errorf("%w: %w", ErrForm, err)
	}
	sum := sha256.Sum256(canonical)
	a.Hash = hex.EncodeToString(sum[:])
	return a, nil
}

// newFields makes the form of a requested schema; nil where it wants no field.
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
	err := members(in.Properties, func(name string, raw json.RawMessage) error {
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

// members calls fn for each member of a JSON object, in the order of the text.
// A name that comes twice is an error: readers differ about which one counts.
func members(raw json.RawMessage, fn func(string, json.RawMessage) error) error {
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return errors.New("the properties are no object")
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

// hookFirst reports whether the person at the terminal sees nothing of a while
// its hook waits.
func (a Ask) hookFirst() bool { return a.Attended && a.Kind == Elicitation }

// Hand gives a, a form, to the dialog at the terminal, which opens when the hook ends.
func Hand(a Ask, why string, now time.Time) (Ask, error) {
	if !a.hookFirst() {
		return a.unfit("hand to the terminal")
	}
	return Local(a, why, now)
}

// prolong keeps a form open that somebody is filling in.
func prolong(a Ask, now time.Time) Ask {
	if end := now.Add(AnsweringFor); a.hookFirst() && a.ExpiresAt.Before(end) {
		a.ExpiresAt = end
	}
	return a
}
