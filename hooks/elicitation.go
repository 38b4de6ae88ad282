package hooks

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/host/claude/hookoutput"
	"github.com/afar-sh/afar/coordinator/host/claude/hostjson"
	"github.com/afar-sh/afar/coordinator/wire"
)

// elicitation asks the person the question of an MCP server. The host opens its own
// dialog only after this hook has ended, and only if it printed nothing.
func elicitation(h *hook) error {
	a, err := h.ask("elicitation", "")
	if err != nil {
		return err
	}
	switch a.decision {
	case allowed:
		return h.printContent(a.said)
	case denied:
		return h.print(hookoutput.Elicitation("decline", nil))
	}
	return h.printUndecided(a.message)
}

// printContent accepts the elicitation with the person's answers.
func (h *hook) printContent(r reply) error {
	if h.str(claude.FieldElicitMode) == "url" {
		return h.print(hookoutput.Elicitation("accept", nil))
	}
	content, err := h.content(r.body.Get("choices").Items())
	if err != nil {
		return err
	}
	return h.print(hookoutput.Elicitation("accept", content.Bytes()))
}

// content returns the person's answers by the names of the server's fields. The
// choices are in the order of the fields. The values of options and defaults are
// taken from the hook's input, because the coordinator has them masked.
func (h *hook) content(choices []hostjson.Value) (*wire.Object, error) {
	content, i := wire.NewObject(), 0
	for name, property := range h.get(claude.FieldFormFields).Members() {
		if i == len(choices) || !fill(content, name, property, choices[i]) {
			return nil, errChoices
		}
		i++
	}
	if i != len(choices) {
		return nil, errChoices
	}
	return content, nil
}

// fill adds the answer to one field. It returns false if the answer does not fit
// the field.
func fill(content *wire.Object, name string, property, choice hostjson.Value) bool {
	said := choice.Get("said")
	switch picked := choice.Get("options").Items(); {
	case choice.Get("does").Str() == "leave":
		return true
	case choice.Get("does").Str() == "default":
		value := property.Get("default")
		content.Raw(name, []byte(value.Raw()))
		return value.Exists()
	case len(picked) > 0:
		return fillPicked(content, name, property, picked)
	case property.Get("type").Str() == "string":
		content.Str(name, said.Str())
		return said.Str() != ""
	}
	number, _ := hostjson.Parse(said.Str(), hostjson.MaxDepth)
	if number.Kind() != hostjson.Number {
		return false
	}
	content.Raw(name, []byte(number.Raw()))
	return true
}

// fillPicked adds the options that the person picked for one field.
func fillPicked(content *wire.Object, name string, property hostjson.Value, picked []hostjson.Value) bool {
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
