package policy

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/toml"
	"github.com/afar-sh/afar/coordinator/wire"
)

// A Case is a call, and the verdict on it that a team expects.
type Case struct {
	Line     int
	Call     guard.Call
	Dir      string // where it runs, as written; "" is the project's root
	Want     guard.Verdict
	Rule     string // "" for any
	ReadOnly bool   // the call is made by an agent that may only read
	Git      guard.GitFacts
}

// String returns the call in one line.
func (c Case) String() string {
	if c.Call.Tool == "Bash" && len(c.Call.Args) == 1 {
		return c.Call.Args[0].Value
	}
	var b strings.Builder
	b.WriteString(c.Call.Tool)
	for _, a := range c.Call.Args {
		fmt.Fprintf(&b, " %s=%q", a.Path, a.Value)
	}
	return b.String()
}

// Cases parses a file of cases. An error begins with the line number.
func Cases(raw []byte) ([]Case, error) {
	doc, err := toml.Parse(raw)
	if err != nil {
		return nil, err
	}
	d, out := &decoder{}, []Case{}
	d.read(doc, []field{{"case", d.each(func(t *toml.Table) { out = append(out, d.testCase(t)) })}})
	if d.err == nil && len(out) == 0 {
		return nil, fmt.Errorf("line 1: the file has no [[case]]")
	}
	return out, d.err
}

// testCase reads one [[case]].
func (d *decoder) testCase(t *toml.Table) Case {
	c := Case{Line: t.Line}
	call := func(toml.Key) { c.Call = d.call(t) }
	d.read(t, []field{
		{"command", func(k toml.Key) { c.Call = guard.ShellCall(d.literal(k)) }},
		{"tool", call},
		{"input", call},
		{"dir", set(&c.Dir, d.text)},
		{"want", set(&c.Want, d.wanted)},
		{"rule", set(&c.Rule, d.text)},
		{"reads-only", set(&c.ReadOnly, d.yes)},
		{"branch", func(k toml.Key) { c.Git.Known, c.Git.Branch = true, d.text(k) }},
		{"clean", func(k toml.Key) {
			clean := d.yes(k)
			c.Git.Known, c.Git.Dirty, c.Git.Untracked = true, !clean, !clean
		}},
	})
	d.wholeCase(c, t)
	return c
}

// wholeCase reports what is missing in a case, or does not belong together.
func (d *decoder) wholeCase(c Case, t *toml.Table) {
	has := func(name string) bool {
		return slices.ContainsFunc(t.Keys, func(k toml.Key) bool { return k.Name == name })
	}
	switch {
	case has("command") == has("tool"):
		d.wrong(c.Line, "a case needs a command, or a tool with its input")
	case has("command") && has("input"):
		d.wrong(c.Line, "input goes with tool, not with command")
	case !has("want"):
		d.wrong(c.Line, "a case needs want: \"deny\", \"ask\" or \"pass\"")
	case c.Want == guard.None && c.Rule != "":
		d.wrong(c.Line, "a case that passes has no rule")
	case has("branch") && !has("clean"):
		d.wrong(c.Line, "branch goes with clean, which says whether the work tree has changes")
	}
}

// wanted reads the verdict that a case expects.
func (d *decoder) wanted(k toml.Key) guard.Verdict {
	if k.Value.Str() == "pass" {
		return guard.None
	}
	v, ok := verdictOf(k.Value.Str(), false)
	if !ok {
		d.wrong(k.Line, "want is \"deny\", \"ask\" or \"pass\", not %s", shown(k.Value))
	}
	return v
}

// literal returns a text unchanged, with its line breaks.
func (d *decoder) literal(k toml.Key) string {
	if k.Value.Str() == "" {
		d.wrong(k.Line, "%s is a text, not %s", k.Name, shown(k.Value))
	}
	return k.Value.Str()
}

// call returns the call of a case that names a tool. It reads the input in the
// same way as the JSON of the host.
func (d *decoder) call(t *toml.Table) guard.Call {
	tool, input := "", []byte("{}")
	for _, k := range t.Keys {
		switch {
		case k.Name == "tool":
			tool = d.text(k)
		case k.Name == "input" && k.Value.Kind != toml.Map:
			d.wrong(k.Line, "input is a table: input.NAME = \"text\"")
		case k.Name == "input":
			input = hostValue(k.Value)
		}
	}
	if tool == "" {
		return guard.Call{} // wholeCase reports the missing tool
	}
	call, err := guard.ReadCall(tool, string(input))
	if err != nil {
		d.wrong(t.Line, "%v", err)
	}
	return call
}

// hostValue returns a value in JSON, as the host would write it.
func hostValue(v toml.Value) []byte {
	switch v.Kind {
	case toml.String:
		return wire.AppendString(nil, v.Text)
	case toml.Bool:
		return strconv.AppendBool(nil, v.Yes)
	case toml.Map:
		object := wire.NewObject()
		for _, k := range v.Table.Keys {
			object.Raw(k.Name, hostValue(k.Value))
		}
		return object.Bytes()
	case toml.List:
		items := make([][]byte, len(v.List))
		for i, one := range v.List {
			items[i] = hostValue(one)
		}
		return slices.Concat([]byte{'['}, bytes.Join(items, []byte{','}), []byte{']'})
	}
	return hostNumber(v)
}

// hostNumber returns a number in JSON. What JSON has no number for is 0, as is a time, which the guard
// does not read.
func hostNumber(v toml.Value) []byte {
	if v.Kind == toml.Whole {
		n, _ := strconv.ParseInt(v.Text, 0, 64)
		return strconv.AppendInt(nil, n, 10)
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(v.Text, "_", ""), 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		f = 0
	}
	return strconv.AppendFloat(nil, f, 'g', -1, 64)
}
