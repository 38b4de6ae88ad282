package ask

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// errField is returned for an answer that the field does not accept. The full error text
// says what it accepts.
var errField = errors.New("that does not fit")

// A Type is the type of values that a field accepts.
type Type string

// The types of fields. A field with a single choice has options and an empty type.
const (
	Words   Type = "string"
	Number  Type = "number"
	Whole   Type = "integer"
	YesNo   Type = "boolean"
	Choices Type = "choices"
)

// A Field says which answers an MCP server accepts to a question. The default value
// itself stays with the hook.
type Field struct {
	Type     Type     `json:"type"`
	Format   string   `json:"format,omitempty"` // for Words: email, uri, date, date-time
	Min      *float64 `json:"min,omitempty"`    // of a number, of the length of Words, or of the number of Choices
	Max      *float64 `json:"max,omitempty"`
	Required bool     `json:"required,omitempty"`
}

// property is one property of a requested schema.
type property struct {
	Type        string            `json:"type"`
	Title       string            `json:"title"`
	Description string            `json:"description"`
	Format      string            `json:"format"`
	Minimum     *float64          `json:"minimum"`
	Maximum     *float64          `json:"maximum"`
	MinLength   *float64          `json:"minLength"`
	MaxLength   *float64          `json:"maxLength"`
	MinItems    *float64          `json:"minItems"`
	MaxItems    *float64          `json:"maxItems"`
	Enum        []json.RawMessage `json:"enum"`
	EnumNames   []string          `json:"enumNames"`
	OneOf       []titled          `json:"oneOf"`
	Items       struct {
		Enum  []json.RawMessage `json:"enum"`
		AnyOf []titled          `json:"anyOf"`
	} `json:"items"`
	Default json.RawMessage `json:"default"`
}

type titled struct {
	Const json.RawMessage `json:"const"`
	Title string          `json:"title"`
}

// newField makes a question from one property.
func newField(name string, raw json.RawMessage, required bool) (q Question, err error) {
	var p property
	if err := json.Unmarshal(raw, &p); err != nil {
		return q, fmt.Errorf("the field %.40q: %w", name, err)
	}
	f := &Field{Type: Type(p.Type), Format: p.Format, Required: required}
	q = Question{Text: cleanText(p.Title), Header: cleanText(name), Field: f}
	if q.Text == "" {
		q.Text = q.Header
	}
	if err := q.options(p); err != nil {
		return q, fmt.Errorf("the field %.40q: %w", name, err)
	}
	switch {
	case !absent(p.Default):
		q.Options = append(q.Options, Option{Label: "Default: " + cleanText(spoken(p.Default)), Does: useDefault})
	case !required:
		q.Options = append(q.Options, Option{Label: "Leave it out", Does: leaveOut})
	}
	q.Hint = hint(p.Description, f.needs(), required)
	return q, nil
}

// options fills in the choices of q, or the bounds of a field without choices.
func (q *Question) options(p property) error {
	f := q.Field
	switch {
	case len(p.Enum) > 0:
		f.Type = ""
		q.offer(p.Enum, p.EnumNames)
	case len(p.OneOf) > 0:
		f.Type = ""
		q.offerTitled(p.OneOf)
	case p.Type == "array" && len(p.Items.Enum)+len(p.Items.AnyOf) > 0:
		f.Type, f.Min, f.Max, q.Multi = Choices, p.MinItems, p.MaxItems, true
		q.offer(p.Items.Enum, nil)
		q.offerTitled(p.Items.AnyOf)
	case f.Type == YesNo:
		q.Options = []Option{{Label: "Yes"}, {Label: "No"}}
	case f.Type == Number, f.Type == Whole:
		f.Min, f.Max = p.Minimum, p.Maximum
	case f.Type == Words:
		f.Min, f.Max = p.MinLength, p.MaxLength
	default:
		return fmt.Errorf("its type %.40q cannot be asked for", p.Type)
	}
	if slices.ContainsFunc(append(p.OneOf, p.Items.AnyOf...), func(t titled) bool { return len(t.Const) == 0 }) {
		return errors.New("it offers a choice without a value")
	}
	if len(q.Options) > maxChoices {
		return fmt.Errorf("it offers %d choices", len(q.Options))
	}
	return nil
}

func (q *Question) offer(values []json.RawMessage, names []string) {
	for i, v := range values {
		o := Option{Label: cleanText(spoken(v))}
		if i < len(names) && names[i] != "" {
			o = Option{Label: cleanText(names[i]), Description: o.Label}
		}
		q.Options = append(q.Options, o)
	}
}

func (q *Question) offerTitled(all []titled) {
	for _, t := range all {
		value := cleanText(spoken(t.Const))
		o := Option{Label: cmp.Or(cleanText(t.Title), value)}
		if o.Label != value {
			o.Description = value
		}
		q.Options = append(q.Options, o)
	}
}

// spoken formats a JSON value for people.
func spoken(raw json.RawMessage) string {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return string(raw)
	}
	switch x := v.(type) {
	case string:
		return x
	case bool:
		if x {
			return "Yes"
		}
		return "No"
	case []any:
		var all []string
		for _, item := range x {
			all = append(all, fmt.Sprint(item))
		}
		return strings.Join(all, ", ")
	}
	return string(raw)
}

func hint(description, needs string, required bool) string {
	var parts []string
	for _, part := range []string{cleanText(description), needs} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if !required {
		parts = append(parts, "not required")
	}
	return strings.Join(parts, " · ")
}

// formats are the formats that MCP defines, each with its name for people. The checks
// catch typing errors; the server itself decides whether a value is valid.
var formats = map[string]struct {
	name  string
	valid func(string) bool
}{
	"email":     {"an e-mail address", regexp.MustCompile(`^[^\s@<>,;"]+@[^\s@<>,;"]+$`).MatchString},
	"uri":       {"a whole web address", regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"]+$`).MatchString},
	"date":      {"a date like 2026-03-01", isTime(time.DateOnly)},
	"date-time": {"a time like 2026-03-01T12:00:00Z", isTime(time.RFC3339)},
}

// isTime returns a function that reports whether a text is a time in this layout.
func isTime(layout string) func(string) bool {
	return func(s string) bool { _, err := time.Parse(layout, s); return err == nil }
}

// needs says in words what the field accepts. It returns "" if it accepts anything.
func (f Field) needs() string {
	switch f.Type {
	case Whole:
		return "a whole number" + span(f.Min, f.Max, "")
	case Number:
		return "a number" + span(f.Min, f.Max, "")
	case Choices:
		return strings.TrimPrefix(span(f.Min, f.Max, "choices"), " of ")
	case Words:
		return strings.TrimPrefix(formats[f.Format].name+span(f.Min, f.Max, "characters"), " of ")
	}
	return ""
}

func span(low, high *float64, unit string) string {
	say := func(v *float64) string { return strconv.FormatFloat(*v, 'f', -1, 64) }
	text := ""
	switch {
	case low != nil && high != nil:
		text = " of " + say(low) + " to " + say(high)
	case low != nil:
		text = " of at least " + say(low)
	case high != nil:
		text = " of at most " + say(high)
	}
	if text != "" && unit != "" {
		text += " " + unit
	}
	return text
}

// take makes text the answer to q if the field accepts it.
func (q Question) take(text string) (Question, error) {
	var valid bool
	switch f := q.Field; f.Type {
	case Words:
		valid = f.acceptsWords(text)
	case Whole:
		valid = f.acceptsWhole(text)
	case Number:
		valid = f.acceptsNumber(text)
	default:
		return q.takeChoice(text)
	}
	if !valid {
		return q, fmt.Errorf("%w: it takes %s", errField, q.Field.needs())
	}
	q.Said, q.Picked = text, nil
	return q, nil
}

func (f Field) acceptsWords(text string) bool {
	if format, known := formats[f.Format]; known && !format.valid(text) {
		return false
	}
	return f.inBounds(float64(utf8.RuneCountInString(text)))
}

// acceptsWhole reports whether text is a whole number that f accepts.
func (f Field) acceptsWhole(text string) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	return err == nil && f.acceptsNumber(text)
}

// acceptsNumber reports whether text is a number in JSON notation and within the bounds.
func (f Field) acceptsNumber(text string) bool {
	v, err := strconv.ParseFloat(text, 64)
	return err == nil && json.Valid([]byte(text)) && f.inBounds(v)
}

func (f Field) inBounds(v float64) bool {
	low, high := math.Inf(-1), math.Inf(1)
	if f.Min != nil {
		low = *f.Min
	}
	if f.Max != nil {
		high = *f.Max
	}
	return low <= v && v <= high
}

// takeChoice reads the name of an option, or several names with commas if several options
// may be chosen.
func (q Question) takeChoice(text string) (Question, error) {
	parts := []string{text}
	if q.Multi {
		parts = strings.Split(text, ",")
	}
	var picked []int
	for _, part := range parts {
		i := slices.IndexFunc(q.Options, func(o Option) bool { return o.hasName(strings.TrimSpace(part)) })
		if i < 0 {
			return q, fmt.Errorf("%w: %w: %s", errField, errOption, part)
		}
		if !slices.Contains(picked, i) {
			picked = append(picked, i)
		}
	}
	slices.Sort(picked)
	q.Picked, q.Said = picked, ""
	return q, q.checkCount()
}

// synonyms lists other names of the options of a YesNo field, by their labels.
var synonyms = map[string][]string{"Yes": {"y", "true"}, "No": {"n", "false"}}

// hasName reports whether text names o.
func (o Option) hasName(text string) bool {
	if text == "" {
		return false
	}
	names := append([]string{o.Label, o.Description}, synonyms[o.Label]...)
	return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, text) })
}

// checkCount returns an error if too few or too many options are chosen, or if an option
// that excludes the others is not the only one.
func (q Question) checkCount() error {
	f := q.Field
	if f == nil {
		return nil
	}
	for _, i := range q.Picked {
		if q.Options[i].Does != "" {
			if len(q.Picked) > 1 {
				return ErrOne
			}
			return nil
		}
	}
	if f.Type == Choices && !f.inBounds(float64(len(q.Picked))) {
		return fmt.Errorf("%w: it takes %s", errField, f.needs())
	}
	return nil
}
