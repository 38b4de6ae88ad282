// Package hostjson reads the JSON that Claude Code writes: hook inputs, tool
// inputs and settings. The guard owns it, because it must read what will run; the rest
// of Afar reads with it too.
//
// It is the only user of gjson, and makes promises that gjson alone does not make. A
// text is checked before anything is read from it. Its nesting is bounded before
// anything recurses over it. An object that names a member twice is refused. Only an
// object has members. A string decodes as in encoding/json.
package hostjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// MaxDepth bounds the nesting of a hook's input. Each level costs another walk over its
// content.
const MaxDepth = 64

// ErrInvalid says that a text is not one JSON value in UTF-8. Like the other
// errors of Parse it completes a sentence that begins with the name of the text.
var ErrInvalid = errors.New("is not valid JSON in UTF-8")

// Parse returns the one value in text. It refuses text that is not valid or is nested
// deeper than depth levels, and objects that name a member twice, because another reader
// may take the other one.
func Parse(text string, depth int) (Value, error) {
	v, err := ParseLenient(text, depth)
	if err != nil {
		return Value{}, err
	}
	if path := repeated(v); path != nil {
		slices.Reverse(path)
		return Value{}, fmt.Errorf("names %q twice", clip(strings.Join(path, ".")))
	}
	return v, nil
}

// ParseLenient is Parse of text in which an object may name a member twice, as in
// a file that people edit. Get returns the first of those, Members all.
func ParseLenient(text string, depth int) (Value, error) {
	if deeper(text, depth) {
		return Value{}, fmt.Errorf("is nested deeper than %d levels", depth)
	}
	if !utf8.ValidString(text) || !gjson.Valid(text) {
		return Value{}, ErrInvalid
	}
	return Value{gjson.Parse(strings.Trim(text, " \t\r\n"))}, nil
}

// Kind is the type of a JSON value.
type Kind byte

// The kinds of values. Absent is the kind of a value that is not there.
const (
	Absent Kind = iota
	Null
	False
	True
	Number
	String
	Array
	Object
)

// A Value is a part of a text that was parsed. The zero value is absent.
type Value struct{ r gjson.Result }

// Kind returns the type of the value.
func (v Value) Kind() Kind {
	switch v.r.Type {
	case gjson.False:
		return False
	case gjson.True:
		return True
	case gjson.Number:
		return Number
	case gjson.String:
		return String
	case gjson.JSON:
		if strings.HasPrefix(v.r.Raw, "[") {
			return Array
		}
		return Object
	}
	if v.r.Raw == "" {
		return Absent
	}
	return Null
}

// Exists reports whether the value is in the text. It is true for null.
func (v Value) Exists() bool { return v.Kind() != Absent }

// IsObject reports whether the value is an object.
func (v Value) IsObject() bool { return v.Kind() == Object }

// IsArray reports whether the value is an array.
func (v Value) IsArray() bool { return v.Kind() == Array }

// Bool reports whether the value is true.
func (v Value) Bool() bool { return v.Kind() == True }

// Raw returns the value as it is written.
func (v Value) Raw() string { return v.r.Raw }

// Str returns what a string says, "" for any other value. Half a surrogate pair
// becomes U+FFFD.
func (v Value) Str() string {
	if v.r.Type != gjson.String {
		return ""
	}
	return decode(v.r)
}

// Get returns the value at a path: names of members with dots between them. It
// finds no name with U+FFFD: gjson takes the half of a surrogate pair for it.
func (v Value) Get(path string) Value {
	for more := true; more; {
		var name string
		name, path, more = strings.Cut(path, ".")
		if !v.IsObject() || strings.ContainsRune(name, utf8.RuneError) { // gjson would search the text of a string
			return Value{}
		}
		v = Value{v.r.Get(gjson.Escape(name))}
	}
	return v
}

// Members returns the members of an object in their order; any other value has
// none.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if v.IsObject() {
			v.r.ForEach(func(name, member gjson.Result) bool { return yield(decode(name), Value{member}) })
		}
	}
}

// Items returns the elements of an array; any other value has none.
func (v Value) Items() (items []Value) {
	if v.IsArray() {
		v.r.ForEach(func(_, item gjson.Result) bool { items = append(items, Value{item}); return true })
	}
	return items
}

// decode decodes a string. gjson alone drops the escape that follows half a surrogate pair,
// so the judged text would differ from what runs.
func decode(r gjson.Result) string {
	if !strings.Contains(r.Raw, `\ud`) && !strings.Contains(r.Raw, `\uD`) {
		return r.Str
	}
	var text string
	_ = json.Unmarshal([]byte(r.Raw), &text) // a valid string always decodes
	return text
}

// repeated returns the path of the first member that an object in a value names
// twice, the member first and the outermost last, nil if there is none.
func repeated(v Value) (path []string) {
	if v.IsArray() {
		for i, item := range v.Items() {
			if path = repeated(item); path != nil {
				return append(path, strconv.Itoa(i))
			}
		}
		return nil
	}
	seen := map[string]bool{}
	for name, member := range v.Members() {
		if seen[name] {
			return []string{name}
		}
		seen[name] = true
		if path = repeated(member); path != nil {
			return append(path, name)
		}
	}
	return nil
}

// clip shortens the path of a member for an error.
func clip(path string) string {
	const most = 100
	if len(path) <= most {
		return path
	}
	return strings.ToValidUTF8(path[:most], "") + "…"
}

// deeper reports whether a text is nested deeper than a number of levels. It takes one
// pass and no memory. Its result has no meaning for text that is not JSON.
func deeper(text string, levels int) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		if quoted {
			if c == '\\' {
				i++
			}
			quoted = c != '"'
			continue
		}
		switch c {
		case '"':
			quoted = true
		case '{', '[':
			if depth++; depth > levels {
				return true
			}
		case '}', ']':
			depth--
		}
	}
	return false
}
