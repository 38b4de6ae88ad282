package hooks

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// The hooks read JSON where it stands, without decoding what they do not need.
// The libraries for that would be a tenth of each hook, which is loaded on
// every tool call.

// jsonKind is what a JSON value is.
type jsonKind byte

const (
	jsonAbsent jsonKind = iota
	jsonNull
	jsonFalse
	jsonTrue
	jsonNumber
	jsonString
	jsonArray
	jsonObject
)

// jsonValue is a piece of a valid JSON text; the zero value is absent.
type jsonValue struct {
	Type jsonKind
	Raw  string // as it stands in the text
	Str  string // of a string, decoded
}

// parseJSON returns the value of a text that validJSON took.
func parseJSON(text string) jsonValue {
	v, _ := jsonAt(text, jsonSpace(text, 0))
	return v
}

func (v jsonValue) Exists() bool   { return v.Type != jsonAbsent }
func (v jsonValue) IsObject() bool { return v.Type == jsonObject }
func (v jsonValue) IsArray() bool  { return v.Type == jsonArray }
func (v jsonValue) Bool() bool     { return v.Type == jsonTrue }

// Int is the integer part of a number; anything else is 0.
func (v jsonValue) Int() int64 {
	if v.Type != jsonNumber {
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
func (v jsonValue) Get(path string) jsonValue {
	for more := true; more; {
		var name string
		name, path, more = strings.Cut(path, ".")
		v = v.member(name)
	}
	return v
}

func (v jsonValue) member(name string) jsonValue {
	if !v.IsObject() {
		return jsonValue{}
	}
	for i := jsonSpace(v.Raw, 1); i < len(v.Raw)-1; i = jsonNext(v.Raw, i) {
		var key jsonValue
		key, i = jsonAt(v.Raw, i)
		if i = jsonNext(v.Raw, i); key.Str == name {
			found, _ := jsonAt(v.Raw, i)
			return found
		}
		i = jsonEnd(v.Raw, i) // what nobody asks for is not decoded
	}
	return jsonValue{}
}

// Array returns the elements of an array; anything else has none.
func (v jsonValue) Array() (all []jsonValue) {
	if v.IsArray() {
		v.ForEach(func(_, element jsonValue) bool { all = append(all, element); return true })
	}
	return all
}

// ForEach calls f with each member of an object and its key, or with each
// element of an array and no key, until f returns false.
func (v jsonValue) ForEach(f func(key, value jsonValue) bool) {
	if !v.IsObject() && !v.IsArray() {
		return
	}
	for i := jsonSpace(v.Raw, 1); i < len(v.Raw)-1; {
		var key, value jsonValue
		if v.IsObject() {
			key, i = jsonAt(v.Raw, i)
			i = jsonNext(v.Raw, i)
		}
		value, i = jsonAt(v.Raw, i)
		if !value.Exists() || !f(key, value) {
			return
		}
		i = jsonNext(v.Raw, i)
	}
}

// jsonAt reads the value that begins at i and returns where it ends.
func jsonAt(text string, i int) (jsonValue, int) {
	if i >= len(text) {
		return jsonValue{}, i
	}
	end := jsonEnd(text, i)
	v := jsonValue{Raw: text[i:end]}
	switch c := text[i]; {
	case c == '"':
		v.Type, v.Str = jsonString, jsonText(v.Raw)
	case c == '{':
		v.Type = jsonObject
	case c == '[':
		v.Type = jsonArray
	case c == 't':
		v.Type = jsonTrue
	case c == 'f':
		v.Type = jsonFalse
	case c == 'n':
		v.Type = jsonNull
	case c == '-' || c >= '0' && c <= '9':
		v.Type = jsonNumber
	}
	return v, end
}

// jsonNext skips the colon or comma behind the value that ends at i.
func jsonNext(text string, i int) int { return jsonSpace(text, jsonSpace(text, i)+1) }

// jsonEnd is the end of the value that begins at i.
func jsonEnd(text string, i int) int {
	if i >= len(text) {
		return len(text)
	}
	switch text[i] {
	case '"':
		return jsonStringEnd(text, i)
	case '{', '[':
		return jsonNestEnd(text, i)
	}
	if n := strings.IndexAny(text[i:], ",]} \t\n\r"); n >= 0 {
		return i + n
	}
	return len(text)
}

func jsonStringEnd(text string, i int) int {
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

func jsonNestEnd(text string, i int) int {
	for depth := 0; i < len(text); {
		switch text[i] {
		case '"':
			i = jsonStringEnd(text, i)
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

func jsonSpace(text string, i int) int {
	for i < len(text) && strings.IndexByte(" \t\n\r", text[i]) >= 0 {
		i++
	}
	return i
}

// jsonText decodes a string with its quotes.
func jsonText(raw string) string {
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
		out, n = jsonEscape(out, s[i:])
		i += n
	}
	return string(out)
}

// jsonEscape appends what the escape at the start of s stands for and returns
// its length.
func jsonEscape(out []byte, s string) ([]byte, int) {
	if s[1] == 'u' {
		r := jsonRune(s)
		if !utf16.IsSurrogate(r) {
			return utf8.AppendRune(out, r), min(6, len(s))
		}
		if pair := utf16.DecodeRune(r, jsonRune(s[min(6, len(s)):])); pair != utf8.RuneError {
			return utf8.AppendRune(out, pair), 12
		}
		return utf8.AppendRune(out, utf8.RuneError), min(6, len(s))
	}
	if i := strings.IndexByte("bfnrt", s[1]); i >= 0 {
		return append(out, "\b\f\n\r\t"[i]), 2
	}
	return append(out, s[1]), 2
}

// jsonRune is the code of an escape \uXXXX, -1 if there is none.
func jsonRune(s string) rune {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return -1
	}
	code, err := strconv.ParseUint(s[2:6], 16, 16)
	if err != nil {
		return -1
	}
	return rune(code)
}
