package wire

import (
	"strconv"
	"unicode/utf8"
)

// An Object builds one JSON object, field by field, in the order of the calls.
// The hook binaries use it instead of encoding/json, which costs them start-up
// time on every tool call.
type Object struct{ buf []byte }

// NewObject returns an empty object.
func NewObject() *Object { return newObject(1 << 10) }

// newObject returns an empty object with room for size bytes. Each time it has to grow,
// that costs a new process two pages of memory.
func newObject(size int) *Object { return &Object{buf: append(make([]byte, 0, size), '{')} }

// Str adds a string. Invalid UTF-8 becomes U+FFFD.
func (o *Object) Str(key, value string) *Object {
	o.key(key)
	o.buf = AppendString(o.buf, value)
	return o
}

// OptStr adds a string unless it is empty.
func (o *Object) OptStr(key, value string) *Object {
	if value == "" {
		return o
	}
	return o.Str(key, value)
}

// Int adds a number.
func (o *Object) Int(key string, value int64) *Object {
	o.key(key)
	o.buf = strconv.AppendInt(o.buf, value, 10)
	return o
}

// Bool adds true or false.
func (o *Object) Bool(key string, value bool) *Object {
	o.key(key)
	o.buf = strconv.AppendBool(o.buf, value)
	return o
}

// Raw adds value, which must be valid JSON. It replaces line breaks with blanks;
// valid JSON has line breaks only between tokens.
func (o *Object) Raw(key string, value []byte) *Object {
	o.key(key)
	at := len(o.buf)
	o.buf = append(o.buf, value...)
	for i, c := range o.buf[at:] {
		if c == '\n' || c == '\r' {
			o.buf[at+i] = ' '
		}
	}
	return o
}

// Strs adds a list of strings.
func (o *Object) Strs(key string, values []string) *Object {
	o.key(key)
	o.buf = append(o.buf, '[')
	for i, v := range values {
		if i > 0 {
			o.buf = append(o.buf, ',')
		}
		o.buf = AppendString(o.buf, v)
	}
	o.buf = append(o.buf, ']')
	return o
}

// Bytes returns the object's text. The builder must not be used afterwards.
func (o *Object) Bytes() []byte { return append(o.buf, '}') }

func (o *Object) key(key string) {
	if len(o.buf) > 1 {
		o.buf = append(o.buf, ',')
	}
	o.buf = append(AppendString(o.buf, key), ':')
}

const hexDigits = "0123456789abcdef"

// AppendString appends a string as JSON, in quotes.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		dst = appendRune(dst, r, s[i:i+n])
		i += n
	}
	return append(dst, '"')
}

// appendRune appends a character and escapes it if JSON demands that. It also escapes
// U+2028 and U+2029, which line-based readers take for line ends.
func appendRune(dst []byte, r rune, raw string) []byte {
	switch {
	case r == '"' || r == '\\':
		return append(dst, '\\', byte(r))
	case r < 0x20:
		return append(dst, '\\', 'u', '0', '0', hexDigits[r>>4], hexDigits[r&15])
	case r == utf8.RuneError && len(raw) == 1:
		return append(dst, "\ufffd"...)
	case r == '\u2028' || r == '\u2029':
		return append(dst, '\\', 'u', '2', '0', '2', hexDigits[r&15])
	}
	return append(dst, raw...)
}
