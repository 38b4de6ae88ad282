package hookoutput

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/wire"
)

// Content returns the person's answers by the names of a form's fields. The
// choices are in the order of the fields. The values of options and defaults are
// taken from the client's input, because the coordinator has them masked.
func Content(fields hostjson.Value, choices []wire.Choice) ([]byte, error) {
	content, i := wire.NewObject(), 0
	for name, property := range fields.Members() {
		if i == len(choices) || !fill(content, name, property, choices[i]) {
			return nil, errChoices
		}
		i++
	}
	if i != len(choices) {
		return nil, errChoices
	}
	return content.Bytes(), nil
}

// fill adds the answer to one field. It returns false if the answer does not fit
// the field.
func fill(content *wire.Object, name string, property hostjson.Value, choice wire.Choice) bool {
	switch {
	case choice.Does == "leave":
		return true
	case choice.Does == "default":
		value := property.Get("default")
		content.Raw(name, []byte(value.Raw()))
		return value.Exists()
	case len(choice.Options) > 0:
		return fillPicked(content, name, property, choice.Options)
	case property.Get("type").Str() == "string":
		content.Str(name, choice.Said)
		return choice.Said != ""
	}
	number, _ := hostjson.Parse(choice.Said, hostjson.MaxDepth)
	if number.Kind() != hostjson.Number {
		return false
	}
	content.Raw(name, []byte(number.Raw()))
	return true
}

// fillPicked adds the options that the person picked for one field.
func fillPicked(content *wire.Object, name string, property hostjson.Value, picked []int) bool {
	all := values(property)
	var chosen []string
	for _, index := range picked {
		value, ok := pick(all, index)
		if !ok {
			return false
		}
		chosen = append(chosen, value)
	}
	list := strings.Join(chosen, ",")
	if takesList(property) {
		content.Raw(name, []byte("["+list+"]"))
		return true
	}
	content.Raw(name, []byte(list))
	return len(chosen) == 1
}

// values returns the possible values of a field, in the order in which the person
// sees them.
func values(property hostjson.Value) (all []string) {
	for _, list := range []string{"enum", "oneOf", "items.enum", "items.anyOf"} {
		for _, v := range property.Get(list).Items() {
			if v.IsObject() {
				v = v.Get("const")
			}
			if v.Exists() {
				all = append(all, v.Raw())
			}
		}
		if len(all) > 0 && list != "items.enum" {
			return all
		}
	}
	if len(all) == 0 && property.Get("type").Str() == "boolean" {
		return []string{"true", "false"}
	}
	return all
}

// takesList reports whether a field takes a list.
func takesList(property hostjson.Value) bool {
	return property.Get("items").Exists() && !property.Get("enum").Exists() && !property.Get("oneOf").Exists()
}
