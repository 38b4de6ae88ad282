// Package rawjson reads JSON where it stands, without decoding what nobody asks
// for. The hooks and the guard read their input with it: encoding/json costs
// each start of a hook, and a hook starts before every tool call.
package rawjson

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

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

// A Value is a piece of a valid JSON text. The zero value is absent.
type Value struct {
	Type Kind
	Raw  string // as it stands in the text
	Str  string // of a string, decoded
}

// Parse returns the value of a text. It never panics; the value means something
// only if the text is Valid.
func Parse(text string) Value {
	v, _ := valueAt(text, skipSpace(text, 0))
	return v
}

func (v Value) Exists() bool   { return v.Type != Absent }
func (v Value) IsObject() bool { return v.Type == Object }
func (v Value) IsArray() bool  { return v.Type == Array }
func (v Value) Bool() bool     { return v.Type == True }

// Int is the integer part of a number; anything else is 0.
func (v Value) Int() int64 {
	if v.Type != Number {
		return 0
	}
	if n, err := strconv.ParseInt(v.Raw, 10, 64); err == nil {
		return n
	}
	f, _ := strconv.ParseFloat(v.Raw, 64)
	return int64(f)
}

// Get returns the value at a path of member names with dots between them. Of
// members of one name it is the first.
func (v Value) Get(path string) Value {
	for more := true; more; {
		var name string
		name, path, more = strings.Cut(path, ".")
		v = v.member(name)
	}
	return v
}

func (v Value) member(name string) Value {
	if !v.IsObject() {
		return Value{}
	}
	for i := skipSpace(v.Raw, 1); i < len(v.Raw)-1; i = next(v.Raw, i) {
		var key Value
		key, i = valueAt(v.Raw, i)
		if i = next(v.Raw, i); key.Str == name {
			found, _ := valueAt(v.Raw, i)
			return found
		}
		i = valueEnd(v.Raw, i) // what nobody asks for is not decoded
	}
	return Value{}
}

// Array returns the elements of an array; anything else has none.
func (v Value) Array() (all []Value) {
	if v.IsArray() {
		v.ForEach(func(_, element Value) bool { all = append(all, element); return true })
	}
	return all
}

// ForEach calls f with each member of an object and its key, or with each
// element of an array and no key, until f returns false.
func (v Value) ForEach(f func(key, value Value) bool) {
	if !v.IsObject() && !v.IsArray() {
		return
	}
	for i := skipSpace(v.Raw, 1); i < len(v.Raw)-1; {
		var key, value Value
		if v.IsObject() {
			key, i = valueAt(v.Raw, i)
			i = next(v.Raw, i)
		}
		value, i = valueAt(v.Raw, i)
		if !value.Exists() || !f(key, value) {
			return
		}
		i = next(v.Raw, i)
	}
}

// valueAt reads the value that begins at i and returns where it ends.
func valueAt(text string, i int) (Value, int) {
	if i >= len(text) {
		return Value{}, i
	}
	end := valueEnd(text, i)
	v := Value{Raw: text[i:end]}
	switch c := text[i]; {
	case c == '"':
		v.Type, v.Str = String, decoded(v.Raw)
	case c == '{':
		v.Type = Object
	case c == '[':
		v.Type = Array
	case c == 't':
		v.Type = True
	case c == 'f':
		v.Type = False
	case c == 'n':
		v.Type = Null
	case c == '-' || c >= '0' && c <= '9':
		v.Type = Number
	}
	return v, end
}

// next skips the colon or comma behind the value that ends at i.
func next(text string, i int) int { return skipSpace(text, skipSpace(text, i)+1) }

// valueEnd is the end of the value that begins at i.
func valueEnd(text string, i int) int {
	if i >= len(text) {
		return len(text)
	}
	switch text[i] {
	case '"':
		return stringEnd(text, i)
	case '{', '[':
		return nestEnd(text, i)
	}
	if n := strings.IndexAny(text[i:], ",]} \t\n\r"); n >= 0 {
		return i + n
	}
	return len(text)
}

func stringEnd(text string, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

func nestEnd(text string, i int) int {
	for depth := 0; i < len(text); {
		switch text[i] {
		case '"':
			i = stringEnd(text, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if i++; depth == 0 {
			return i
		}
	}
	return len(text)
}

func skipSpace(text string, i int) int {
	for i < len(text) && strings.IndexByte(" \t\n\r", text[i]) >= 0 {
		i++
	}
	return i
}

// decoded decodes a string with its quotes.
func decoded(raw string) string {
	s := strings.TrimSuffix(raw[1:], `"`)
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			out = append(out, s[i])
			i++
			continue
		}
		var n int
		out, n = appendEscape(out, s[i:])
		i += n
	}
	return string(out)
}

// appendEscape appends what the escape at the start of s stands for and returns
// its length.
func appendEscape(out []byte, s string) ([]byte, int) {
	if s[1] == 'u' {
		r := escapedRune(s)
		if !utf16.IsSurrogate(r) {
			return utf8.AppendRune(out, r), min(6, len(s))
		}
		if pair := utf16.DecodeRune(r, escapedRune(s[min(6, len(s)):])); pair != utf8.RuneError {
			return utf8.AppendRune(out, pair), 12
		}
		return utf8.AppendRune(out, utf8.RuneError), min(6, len(s))
	}
	if i := strings.IndexByte("bfnrt", s[1]); i >= 0 {
		return append(out, "\b\f\n\r\t"[i]), 2
	}
	return append(out, s[1]), 2
}

// escapedRune is the code of an escape \uXXXX, -1 if there is none.
func escapedRune(s string) rune {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return -1
	}
	code, err := strconv.ParseUint(s[2:6], 16, 16)
	if err != nil {
		return -1
	}
	return rune(code)
}
