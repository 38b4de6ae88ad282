package hostjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// ErrNotObject says that a value is not an object.
var ErrNotObject = errors.New("it is not one JSON object in UTF-8")

// A Decoder decodes many objects into structs of one type.
type Decoder[T any] struct{ names map[string][]int }

// NewDecoder returns a Decoder.
func NewDecoder[T any]() Decoder[T] { return Decoder[T]{names(reflect.TypeFor[T]())} }

// Decode is like the function Decode.
func (d Decoder[T]) Decode(v Value) (out T, err error) {
	err = fill(reflect.ValueOf(&out).Elem(), v, d.names)
	return out, err
}

// Decode decodes an object into the struct that out points to, by the JSON names of its
// fields. The fields of an embedded struct count as fields of the outer one. Decode does
// what json.Unmarshal does, except that names are case-sensitive. It is for what a host
// waits for: with cold caches, json.Unmarshal takes three times as long.
func Decode(v Value, out any) error {
	to := reflect.ValueOf(out).Elem()
	return fill(to, v, names(to.Type()))
}

func names(t reflect.Type) map[string][]int {
	all := map[string][]int{}
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); !f.Anonymous {
			all[name] = f.Index
		}
	}
	return all
}

func fill(to reflect.Value, object Value, names map[string][]int) error {
	if !object.IsObject() {
		return ErrNotObject
	}
	for name, value := range object.Members() {
		field, ok := names[name]
		if !ok {
			continue
		}
		if err := set(to.FieldByIndex(field), value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// isRaw reports whether a type holds JSON as it is, such as json.RawMessage. Plain bytes are a text in base 64.
func isRaw(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 && t != reflect.TypeFor[[]byte]()
}

// set gives a field a value. A null changes only a field of raw text.
func set(field reflect.Value, value Value) error {
	kind, is := field.Kind(), value.Kind()
	switch {
	case isRaw(field.Type()):
		field.SetBytes([]byte(value.Raw())) // passed on as it is
	case is == Null:
	case kind == reflect.String && is == String:
		field.SetString(value.Str())
	case kind == reflect.Bool && (is == False || is == True):
		field.SetBool(value.Bool())
	case field.CanInt() && is == Number:
		n, err := strconv.ParseInt(value.Raw(), 10, 64)
		field.SetInt(n)
		return err
	default:
		return json.Unmarshal([]byte(value.Raw()), field.Addr().Interface())
	}
	return nil
}
