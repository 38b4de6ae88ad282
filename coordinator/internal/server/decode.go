package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/host/claude/hostjson"
)

// maxNesting leaves room for a call around a hook's input.
const maxNesting = hostjson.MaxDepth + 8

var errNotJSON = errors.New("it is not one JSON object in UTF-8")

// decode is json.Unmarshal of an object into a struct of known, but that names count
// as they are written. The host waits for it at every hook: with caches as cold as a
// daemon's are between two turns, json.Unmarshal takes three times as long.
func decode[T any](text []byte) (out T, err error) {
	object, err := hostjson.ParseLenient(string(text), maxNesting)
	if err != nil || !object.IsObject() {
		return out, errNotJSON
	}
	to, names := reflect.ValueOf(&out).Elem(), known[reflect.TypeFor[T]()]
	for name, value := range object.Members() {
		field, ok := names[name]
		if !ok {
			continue
		}
		if err := set(to.FieldByIndex(field), value); err != nil {
			return out, fmt.Errorf("%s: %w", name, err)
		}
	}
	return out, nil
}

// known holds the fields of what decode decodes, by their JSON names: of the requests,
// which row adds, and of the host's input.
var known = map[reflect.Type]map[string][]int{
	reflect.TypeFor[payload](): fields(reflect.TypeFor[payload]()),
}

// fields returns the indexes of a struct's fields by their JSON names. The fields of an
// embedded struct are its own.
func fields(t reflect.Type) map[string][]int {
	out := map[string][]int{}
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); !f.Anonymous {
			out[name] = f.Index
		}
	}
	return out
}

// set gives a field a value; null leaves all but raw text as it is.
func set(field reflect.Value, value hostjson.Value) error {
	kind, is := field.Kind(), value.Kind()
	switch {
	case kind == reflect.Slice && field.Type().Elem().Kind() == reflect.Uint8:
		field.SetBytes([]byte(value.Raw())) // passed on as it is
	case is == hostjson.Null:
	case kind == reflect.String && is == hostjson.String:
		field.SetString(value.Str())
	case kind == reflect.Bool && (is == hostjson.True || is == hostjson.False):
		field.SetBool(value.Bool())
	case field.CanInt() && is == hostjson.Number:
		n, err := strconv.ParseInt(value.Raw(), 10, 64)
		field.SetInt(n)
		return err
	default:
		return json.Unmarshal([]byte(value.Raw()), field.Addr().Interface())
	}
	return nil
}
