package wire

import (
	"reflect"
	"strings"
	"time"
)

// List returns what of makes of each value. Without values it is a list too, and no null in JSON.
func List[From, To any](values []From, of func(From) To) []To {
	all := make([]To, len(values))
	for i, v := range values {
		all[i] = of(v)
	}
	return all
}

// Millis returns a time in unix milliseconds, 0 for the zero time.
func Millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// Encode returns a struct of this package as a JSON object, the same as json.Marshal does.
// It avoids the extra work of json.Marshal's first call for a type. A hook would do that
// work again in each of its processes.
func Encode(v any) []byte {
	o := NewObject()
	o.fields(reflect.ValueOf(v))
	return o.Bytes()
}

func (o *Object) fields(v reflect.Value) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if field.Anonymous {
			o.fields(v.Field(i))
			continue
		}
		name, option, _ := strings.Cut(field.Tag.Get("json"), ",")
		if option != "omitempty" || !empty(v.Field(i)) {
			o.value(name, v.Field(i))
		}
	}
}

// empty reports whether omitempty leaves a value out.
func empty(v reflect.Value) bool {
	if v.Kind() == reflect.Slice {
		return v.Len() == 0
	}
	return v.IsZero()
}

func (o *Object) value(name string, v reflect.Value) {
	switch x := v.Interface().(type) {
	case string:
		o.Str(name, x)
	case bool:
		o.Bool(name, x)
	case int, int64:
		o.Int(name, v.Int())
	case []string:
		o.Strs(name, x)
	case Raw:
		if len(x) == 0 {
			x = Raw("null")
		}
		o.Raw(name, x)
	default:
		o.Raw(name, Encode(reflect.Indirect(v).Interface()))
	}
}
