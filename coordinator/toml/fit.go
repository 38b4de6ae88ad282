package toml

import (
	"encoding"
	"fmt"
	"reflect"
	"strings"
)

// A Former is a type that a document writes as a text of a certain form. Form
// says which, as in `a time in quotes, such as "90s"`.
type Former interface{ Form() string }

// fit checks that a table has only keys of the struct type t, each with a value
// of the right kind. at is where the table stands, "" for the whole document.
func (t *Table) fit(at string, want reflect.Type) error {
	for _, k := range t.Keys {
		name := join(at, k.Name)
		field, ok := fieldOf(want, k.Name)
		if !ok {
			return fmt.Errorf("line %d: unknown key %q%s", k.Line, k.Value.inside(name), meant(name, want))
		}
		if err := k.Value.fit(name, field); err != nil {
			return err
		}
	}
	return nil
}

// inside is the name of the first key in a table that nobody knows, for that is
// what was written.
func (v Value) inside(name string) string {
	if v.Kind == Map && len(v.Table.Keys) > 0 && !v.Table.headed {
		return v.Table.Keys[0].Value.inside(join(name, v.Table.Keys[0].Name))
	}
	return name
}

func (v Value) fit(name string, want reflect.Type) error {
	switch {
	case want.Kind() == reflect.Struct && v.Kind == Map && !isText(want):
		return v.Table.fit(name, want)
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
	return fmt.Errorf("line %d: %s must be %s, not %s", v.Line, name, form(want), v.said())
}

// suits reports whether a plain value is of the kind that want needs.
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
		return v.Kind == Whole || v.Kind == Number
	}
	return false
}

// said is a value as it was written, or its kind.
func (v Value) said() string {
	if v.Kind == Whole || v.Kind == Number {
		return v.Text
	}
	return string(v.Kind)
}

// form says how a value of a type is written.
func form(want reflect.Type) string {
	if f, ok := reflect.New(want).Interface().(Former); ok {
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
	case reflect.Struct:
		return "a table of keys"
	}
	return "a text in quotes"
}

func isText(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

func fieldOf(t reflect.Type, name string) (reflect.Type, bool) {
	for i := range t.NumField() {
		if f := t.Field(i); strings.EqualFold(keyOf(f), name) {
			return f.Type, true
		}
	}
	return nil, false
}

// keyOf is the key of a field in a document: its tag, or its name.
func keyOf(f reflect.StructField) string {
	if tag, ok := f.Tag.Lookup("toml"); ok {
		return tag
	}
	return f.Name
}

// keysOf lists all keys of a struct type, and of the tables in it.
func keysOf(at string, t reflect.Type) (all []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name := join(at, keyOf(f))
		all = append(all, name)
		if f.Type.Kind() == reflect.Struct && !isText(f.Type) {
			all = append(all, keysOf(name, f.Type)...)
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

// meant guesses which key an unknown one was to be, and says so; "" for no idea.
// want is the type of the table that the key stands in.
func meant(name string, want reflect.Type) string {
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

// Distance returns how many bytes have to be added, removed or changed to make b
// of a. Its time grows with the product of both lengths.
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
