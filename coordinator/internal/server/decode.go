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

// decode decodes a JSON object into a struct whose type is in known. It does what
// json.Unmarshal does, except that names are case-sensitive. The host waits for it at
// every hook. With the cold caches of a daemon between two turns, json.Unmarshal takes
// three times as long.
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

// known holds the fields of each type that decode can decode, by their JSON names. These
// types are the host's input and the requests; row adds the requests.
var known = map[reflect.Type]map[string][]int{
	reflect.TypeFor[payload](): fields(reflect.TypeFor[payload]()),
}

// fields returns the indexes of a struct's fields by their JSON names. The fields of an
// embedded struct count as fields of the outer one.
func fields(t reflect.Type) map[string][]int {
	out := map[string][]int{}
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); !f.Anonymous {
			out[name] = f.Index
		}
	}
	return out
}

// set gives a field a value. A null changes only a field of raw text.
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
