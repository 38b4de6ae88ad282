package toml

import (
	"encoding"
	"fmt"
	"reflect"
	"strings"
)

// A former is a type whose values are texts of a certain form in a document. Form
// describes it, such as `a time in quotes, such as "90s"`.
type former interface{ Form() string }

// fit checks that a table has only keys of the struct type want, each with a
// value of the right kind. at is the key of the table, "" for the whole document.
func (t *Table) fit(at string, want reflect.Type) error {
	for _, k := range t.Keys {
		name := join(at, k.Name)
		field, ok := fieldOf(want, k.Name)
		if !ok {
			return fmt.Errorf("line %d: unknown key %q%s", k.Line, k.Value.firstKey(name), suggestion(name, want))
		}
		if err := k.Value.fit(name, field); err != nil {
			return err
		}
	}
	return nil
}

// firstKey returns the full key that the document wrote to make the value v of
// name: for a.b.c = 1, it is "a.b.c" and not "a".
func (v Value) firstKey(name string) string {
	if v.Kind == Map && len(v.Table.Keys) > 0 && !v.Table.headed {
		return v.Table.Keys[0].Value.firstKey(join(name, v.Table.Keys[0].Name))
	}
	return name
}

// fit checks that a value can be stored in the type want. name is the key, for
// errors.
func (v Value) fit(name string, want reflect.Type) error {
	switch {
	case want.Kind() == reflect.Struct && v.Kind == Map && !isText(want):
		return v.Table.fit(name, want)
	case want.Kind() == reflect.Map && v.Kind == Map:
		for _, k := range v.Table.Keys {
			if err := k.Value.fit(join(name, k.Name), want.Elem()); err != nil {
				return err
			}
		}
		return nil
	case want.Kind() == reflect.Slice && v.Kind == List:
		for _, one := range v.List {
			if err := one.fit("each of "+name, want.Elem()); err != nil {
				return err
			}
		}
		return nil
	case v.suits(want):
		return nil
	}
	return fmt.Errorf("line %d: %s must be %s, not %s", v.Line, name, form(want), v.describe())
}

// suits reports whether a plain value has the kind that the type want needs.
func (v Value) suits(want reflect.Type) bool {
	if isText(want) {
		return v.Kind == String
	}
	switch want.Kind() {
	case reflect.String:
		return v.Kind == String
	case reflect.Bool:
		return v.Kind == Bool
	case reflect.Int, reflect.Int64:
		return v.Kind == Whole
	case reflect.Float64:
		return v.isNumber()
	}
	return false
}

// isNumber reports whether a value is a number of any kind.
func (v Value) isNumber() bool { return v.Kind == Whole || v.Kind == Number }

// describe returns a number as it was written, and the kind of any other value.
func (v Value) describe() string {
	if v.isNumber() {
		return v.Text
	}
	return string(v.Kind)
}

// form describes how a value of a type is written.
func form(want reflect.Type) string {
	if f, ok := reflect.New(want).Interface().(former); ok {
		return f.Form()
	}
	switch want.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return `a list, such as ["one", "two"]`
	case reflect.Struct, reflect.Map:
		return "a table of keys"
	}
	return "a text in quotes"
}

// isText reports whether a type is decoded from a text.
func isText(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// fieldOf returns the type of the field of t with that key.
func fieldOf(t reflect.Type, name string) (reflect.Type, bool) {
	for i := range t.NumField() {
		if f := t.Field(i); strings.EqualFold(keyOf(f), name) {
			return f.Type, true
		}
	}
	return nil, false
}

// keyOf returns the key of a field in a document: its tag, or its name.
func keyOf(f reflect.StructField) string {
	if tag, ok := f.Tag.Lookup("toml"); ok {
		return tag
	}
	return f.Name
}

// keysOf returns all keys of a struct type and of the structs in it.
func keysOf(at string, t reflect.Type) (all []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name := join(at, keyOf(f))
		all = append(all, name)
		switch {
		case f.Type.Kind() == reflect.Struct && !isText(f.Type):
			all = append(all, keysOf(name, f.Type)...)
		case f.Type.Kind() == reflect.Map:
			all = append(all, keysOf(name, f.Type.Elem())...)
		}
	}
	return all
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

// suggestion returns "; did you mean ...?" with the key that is nearest to an
// unknown one, or "" if none is near. want is the type of the table with the key.
func suggestion(name string, want reflect.Type) string {
	at, last := "", name
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		at, last = name[:i], name[i+1:]
	}
	best, least := "", max(2, len(last)/3)+1
	for _, key := range keysOf("", want) {
		if d := Distance(strings.ToLower(last), key[strings.LastIndexByte(key, '.')+1:]); d < least {
			best, least = join(at, key), d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// Distance returns how many bytes must be added, removed or changed to turn a
// into b. Its time grows with the product of both lengths.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
