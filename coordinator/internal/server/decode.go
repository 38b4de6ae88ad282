package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/afar-sh/afar/coordinator/wire"
)

// maxNesting is what encoding/json takes as well.
const maxNesting = 10_000

var errNotJSON = errors.New("it is not one JSON object in UTF-8")

// decode is json.Unmarshal of an object into a struct of known, but that names count
// as they are written. The host waits for it at every hook: with caches as cold as a
// daemon's are between two turns, json.Unmarshal takes three times as long.
func decode[T any](text []byte) (out T, err error) {
	if wire.Deeper(text, maxNesting) || !utf8.Valid(text) || !gjson.ValidBytes(text) {
		return out, errNotJSON
	}
	return unpack[T](text)
}

// unpack is decode for what stands in a text that was decoded: it is JSON in UTF-8.
func unpack[T any](text []byte) (out T, err error) {
	object := gjson.ParseBytes(text)
	if !object.IsObject() {
		return out, errNotJSON
	}
	to, names := reflect.ValueOf(&out).Elem(), known[reflect.TypeFor[T]()]
	object.ForEach(func(name, value gjson.Result) bool {
		field, ok := names[name.Str]
		if !ok {
			return true
		}
		if err = set(to.Field(field), value); err != nil {
			err = fmt.Errorf("%s: %w", name.Str, err)
		}
		return err == nil
	})
	return out, err
}

// known holds the fields of what decode decodes, by their JSON names.
var known = map[reflect.Type]map[string]int{
	reflect.TypeFor[wire.HookCall](): fields(reflect.TypeFor[wire.HookCall]()),
	reflect.TypeFor[payload]():       fields(reflect.TypeFor[payload]()),
}

// fields returns the indexes of a struct's fields by their JSON names.
func fields(t reflect.Type) map[string]int {
	out := map[string]int{}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		out[name] = i
	}
	return out
}

// set gives a field a value; null leaves all but raw text as it is.
func set(field reflect.Value, value gjson.Result) error {
	kind, is := field.Kind(), value.Type
	switch {
	case kind == reflect.Slice && field.Type().Elem().Kind() == reflect.Uint8:
		field.SetBytes([]byte(value.Raw)) // passed on as it is
	case is == gjson.Null:
	case kind == reflect.String && is == gjson.String:
		field.SetString(value.Str)
	case kind == reflect.Bool && value.IsBool():
		field.SetBool(value.Bool())
	case field.CanInt() && is == gjson.Number:
		n, err := strconv.ParseInt(value.Raw, 10, 64)
		field.SetInt(n)
		return err
	default:
		return json.Unmarshal([]byte(value.Raw), field.Addr().Interface())
	}
	return nil
}
