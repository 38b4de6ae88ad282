package hookinput

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/internal/ask"
)

// ReadTool reads the raw input of a call. Two inputs are bound to the same decision exactly
// when they are the same JSON value.
func ReadTool(tool string, raw []byte) (in ask.Input, err error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return in, fmt.Errorf("read tool input: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return in, errors.New("read tool input: something follows its JSON value")
	}
	fields, _ := v.(map[string]any)
	in = ask.Input{Tool: tool, Whole: v}
	if in.Bound, err = json.Marshal(bound(tool, fields, v)); err != nil { // keys are sorted
		return ask.Input{}, fmt.Errorf("read tool input: %w", err)
	}
	switch {
	case tool == claude.QuestionTool:
		in.Questions, _ = Questions(raw) // without them the whole input is shown
	case tool == claude.PlanTool && emptyPlan(fields):
		in.Subject = ask.NoPlan
	default:
		describe(&in, fields)
	}
	return in, nil
}

// bound returns the part of an input that a decision is bound to. For AskUserQuestion
// that is only the questions, because the client adds the answers to the input before it
// reports the call.
func bound(tool string, fields map[string]any, whole any) any {
	if q, found := fields["questions"]; found && tool == claude.QuestionTool {
		return q
	}
	return whole
}

// shown lists for each tool the text fields that are shown without their names. The first
// one says what the call works on.
var shown = map[string][]string{
	"Bash":          {"command"},
	"Monitor":       {"command"},
	"Write":         {"file_path", "content"},
	"Edit":          {"file_path", "old_string", "new_string"},
	"MultiEdit":     {"file_path"},
	"NotebookEdit":  {"notebook_path", "new_source"},
	"Read":          {"file_path"},
	"WebFetch":      {"url"},
	claude.PlanTool: {"plan", "planFilePath"},
}

// describe fills in what the call works on and what it writes. Every other field is kept
// with its name, so that the person sees everything that they allow.
func describe(in *ask.Input, fields map[string]any) {
	str := func(key string) string { s, _ := fields[key].(string); return s }
	names := shown[in.Tool]
	if len(names) > 0 {
		in.Subject = str(names[0])
	}
	others := fields
	switch in.Tool {
	case "Bash", "Monitor":
		in.Purpose = str("description")
		in.Plain = plain(fields)
	case "Write":
		in.Replaces = true
		in.Changes = []ask.Change{{New: str("content")}}
	case "Edit":
		in.Changes = []ask.Change{{Old: str("old_string"), New: str("new_string")}}
	case "MultiEdit":
		if in.Changes = changes(fields["edits"]); in.Changes != nil {
			others, in.Several = maps.Clone(fields), true
			delete(others, "edits")
		}
	case "NotebookEdit":
		in.Changes = []ask.Change{{New: str("new_source")}}
	}
	in.Fields = rest(others, names)
}

// changes reads the changes of a call that makes several. It returns nil if v has another
// form.
func changes(v any) (all []ask.Change) {
	list, _ := v.([]any)
	for _, item := range list {
		fields, _ := item.(map[string]any)
		old, isOld := fields["old_string"].(string)
		new, isNew := fields["new_string"].(string)
		if !isOld || !isNew {
			return nil
		}
		c := ask.Change{Old: old, New: new, Fields: rest(fields, []string{"old_string", "new_string"})}
		all = append(all, c)
	}
	return all
}

// idle lists the fields that do not change what a call does.
var idle = []string{"description", "timeout", "timeout_ms"}

// rest returns the fields that are not shown without their names. It leaves out false,
// which is the default.
func rest(fields map[string]any, shown []string) map[string]any {
	out := map[string]any{}
	for key, v := range fields {
		_, isText := v.(string)
		switch {
		case v == nil, v == false, slices.Contains(idle, key):
		case isText && slices.Contains(shown, key):
		default:
			out[key] = v
		}
	}
	return out
}

// plainFields are the fields of a command that do not change what it may do.
var plainFields = []string{"command", "description", "timeout", "run_in_background"}

// plain reports whether no field besides the command changes what the call may do.
func plain(fields map[string]any) bool {
	for key, v := range fields {
		if !slices.Contains(plainFields, key) && v != nil && v != false {
			return false
		}
	}
	return true
}

// emptyPlan reports whether a plan has no text. Its input then holds nothing but, perhaps,
// the path of its file.
func emptyPlan(fields map[string]any) bool {
	for key, v := range fields {
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

// Questions reads the questions of a call of AskUserQuestion. It returns ask.ErrForm for
// an input that has another form.
func Questions(raw []byte) ([]ask.Question, error) {
	var in struct {
		Questions []struct {
			Question string `json:"question"`
			Header   string `json:"header"`
			Multi    bool   `json:"multiSelect"`
			Options  []struct {
				Label       string `json:"label"`
				Description string `json:"description"`
			} `json:"options"`
		} `json:"questions"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, fmt.Errorf("%w: %w", ask.ErrForm, err)
	}
	var all []ask.Question
	for _, q := range in.Questions {
		own := ask.Question{Text: q.Question, Header: q.Header, Multi: q.Multi}
		for _, o := range q.Options {
			own.Options = append(own.Options, ask.Option{Label: o.Label, Description: o.Description})
		}
		all = append(all, own)
	}
	return all, nil
}
