package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/toml"
)

// Bounds of one file, because each pattern is compared on every tool call.
const (
	maxPattern  = 256
	maxPatterns = 300
)

// Parse parses the text of a policy file. The amendment that it returns may not
// turn an ask off yet: Loosens is false. An error begins with the line number.
func Parse(raw []byte) (guard.Amendment, error) {
	doc, err := toml.Parse(raw)
	if err != nil {
		return guard.Amendment{}, err
	}
	d := &decoder{}
	d.read(doc, []field{{"rules", d.changes}, {"rule", d.each(d.rule)}, {"protect", d.each(d.protect)}})
	return d.out, d.err
}

// A decoder fills an amendment and keeps the first error.
type decoder struct {
	out      guard.Amendment
	patterns int
	err      error
}

// wrong reports an error in a line, unless an earlier one was reported.
func (d *decoder) wrong(line int, format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("line %d: "+format, append([]any{line}, args...)...)
	}
}

// A field is a key that a table may have, with what reads it.
type field struct {
	name string
	read func(toml.Key)
}

// set returns what reads a key into a variable.
func set[T any](to *T, read func(toml.Key) T) func(toml.Key) {
	return func(k toml.Key) { *to = read(k) }
}

// read reads the keys of a table in their order. One that is none of the fields is wrong.
func (d *decoder) read(t *toml.Table, fields []field) {
	for _, k := range t.Keys {
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == k.Name })
		if i < 0 {
			d.unknown(k, fields)
			continue
		}
		fields[i].read(k)
	}
}

func (d *decoder) unknown(k toml.Key, known []field) {
	var names []string
	for _, f := range known {
		names = append(names, f.name)
	}
	d.wrong(k.Line, "unknown key %q%s", k.Name, suggestion(k.Name, names))
}

// each returns what calls do for every table of a list [[name]].
func (d *decoder) each(do func(*toml.Table)) func(toml.Key) {
	return func(k toml.Key) {
		if k.Value.Kind != toml.List {
			d.wrong(k.Line, "%q is a list of tables: write [[%s]]", k.Name, k.Name)
		}
		for _, v := range k.Value.List {
			if v.Kind != toml.Map {
				d.wrong(v.Line, "%q is a list of tables: write [[%s]]", k.Name, k.Name)
				return
			}
			do(v.Table)
		}
	}
}

// changes reads [rules]: a built-in rule's id and its new verdict.
func (d *decoder) changes(k toml.Key) {
	if k.Value.Kind != toml.Map {
		d.wrong(k.Line, "%q is a table: write [rules]", k.Name)
		return
	}
	for _, c := range k.Value.Table.Keys {
		if c.Value.Kind == toml.Map {
			d.wrong(c.Line, "put the rule's id in quotes: \"%s.…\" = \"deny\"", c.Name)
			return
		}
		d.change(c)
	}
}

// change reads one line of [rules].
func (d *decoder) change(k toml.Key) {
	to, ok := verdictOf(k.Value.Str(), true)
	denies, asks, known := guard.VerdictsOf(k.Name)
	switch {
	case !known:
		d.wrong(k.Line, "no rule has the id %q%s; `afar guard rules` lists them", k.Name, suggestion(k.Name, ruleIDs()))
	case !ok:
		d.wrong(k.Line, "a rule is set to \"off\", \"ask\" or \"deny\", not to %s", shown(k.Value))
	case to == guard.None && guard.Keeps(k.Name):
		d.wrong(k.Line, "%s keeps the guard itself safe, so it cannot be turned off", k.Name)
	case denies && !asks && to != guard.Deny:
		d.wrong(k.Line, "%s denies, and a policy file cannot make a deny milder", k.Name)
	default:
		d.out.Changes = append(d.out.Changes, guard.Change{Rule: k.Name, Verdict: to, Line: k.Line})
	}
}

// verdictOf returns the verdict that a word stands for. "off" is a valid word
// only if off is true.
func verdictOf(word string, off bool) (guard.Verdict, bool) {
	switch word {
	case "deny":
		return guard.Deny, true
	case "ask":
		return guard.Ask, true
	case "off":
		return guard.None, off
	}
	return guard.None, false
}

// shown returns a value as error messages quote it: a text in quotes, or the kind.
func shown(v toml.Value) string {
	if v.Kind == toml.String {
		return fmt.Sprintf("%q", v.Text)
	}
	return string(v.Kind)
}

// defaultAdvice tells the model what to do if the rule has no advice of its own.
const defaultAdvice = "A policy file of this project or its person says so. " +
	"Do not try it in another form: write down what you need, and go on without it."

// rule reads one [[rule]].
func (d *decoder) rule(t *toml.Table) {
	r := guard.AddedRule{Line: t.Line}
	r.Instead = defaultAdvice
	d.read(t, []field{
		{"id", set(&r.ID, d.id)},
		{"verdict", set(&r.Verdict, d.verdict)},
		{"why", set(&r.Why, d.text)},
		{"instead", set(&r.Instead, d.text)},
		{"effect", set(&r.Kinds, d.kinds)},
		{"target", set(&r.Target, d.onePattern)},
		{"path", set(&r.Paths, d.oneOrMore)},
		{"command", set(&r.Command, d.words)},
		{"args", set(&r.Args, d.oneOrMore)},
		{"tool", set(&r.Tool, d.onePattern)},
		{"input", set(&r.Input, d.input)},
	})
	d.complete(r)
}

// complete adds a rule. It reports an error if the rule lacks a key or has more
// than one subject.
func (d *decoder) complete(r guard.AddedRule) {
	hasTarget := r.Target != "" || len(r.Paths) > 0
	switch {
	case r.ID == "":
		d.wrong(r.Line, "the rule needs an id, such as id = \"team.deploy\"")
	case r.Verdict == guard.None:
		d.wrong(r.Line, "the rule %s needs a verdict: \"ask\" or \"deny\"", r.ID)
	case r.Why == "":
		d.wrong(r.Line, "the rule %s needs a why: one line for the person", r.ID)
	case subjects(r) != 1:
		d.wrong(r.Line, "the rule %s needs one of effect, command and tool: what it is about", r.ID)
	case len(r.Kinds) == 0 && hasTarget:
		d.wrong(r.Line, "target and path of the rule %s go with effect; to protect a path, write [[protect]]", r.ID)
	case len(r.Command) == 0 && len(r.Args) > 0:
		d.wrong(r.Line, "args of the rule %s go with command", r.ID)
	case r.Tool == "" && len(r.Input) > 0:
		d.wrong(r.Line, "input of the rule %s goes with tool", r.ID)
	case r.Tool == "Bash" && len(r.Input) > 0:
		d.wrong(r.Line, "a shell command is not compared as a text: the rule %s needs command or effect", r.ID)
	}
	d.out.Added = append(d.out.Added, r)
}

// subjects returns how many of effect, command and tool a rule has.
func subjects(r guard.AddedRule) (n int) {
	for _, has := range []bool{len(r.Kinds) > 0, len(r.Command) > 0, r.Tool != ""} {
		if has {
			n++
		}
	}
	return n
}

// protect reads one [[protect]]: paths that must not be changed.
func (d *decoder) protect(t *toml.Table) {
	r := guard.AddedRule{Line: t.Line, Kinds: guard.Changing()}
	r.ID, r.Verdict, r.Why, r.Instead = "protected", guard.Deny, "Changes a protected path", defaultAdvice
	d.read(t, []field{
		{"path", set(&r.Paths, d.oneOrMore)},
		{"verdict", set(&r.Verdict, d.verdict)},
		{"why", set(&r.Why, d.text)},
		{"instead", set(&r.Instead, d.text)},
		{"read", func(k toml.Key) {
			if d.yes(k) {
				r.Kinds = append(r.Kinds, guard.ReadFile)
				r.Why = strings.Replace(r.Why, "Changes a", "Reads or changes a", 1)
			}
		}},
	})
	if len(r.Paths) == 0 {
		d.wrong(t.Line, "[[protect]] needs a path, such as path = [\"infra/prod\"]")
	}
	d.out.Added = append(d.out.Added, r)
}

func (d *decoder) verdict(k toml.Key) guard.Verdict {
	v, ok := verdictOf(k.Value.Str(), false)
	if !ok {
		d.wrong(k.Line, "the verdict is \"ask\" or \"deny\", not %s", shown(k.Value))
	}
	return v
}

func (d *decoder) id(k toml.Key) string {
	id := d.text(k)
	_, _, taken := guard.VerdictsOf(id)
	switch {
	case taken:
		d.wrong(k.Line, "%s is a built-in rule: change it under [rules]", id)
	case strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789.-") != "" || len(id) > 64:
		d.wrong(k.Line, "an id has at most 64 small letters, digits, dots and dashes, not %q", id)
	case slices.ContainsFunc(d.out.Added, func(r guard.AddedRule) bool { return r.ID == id }):
		d.wrong(k.Line, "the id %s is there already", id)
	}
	return id
}

func (d *decoder) text(k toml.Key) string {
	s := text.Fold(k.Value.Str())
	if s == "" || len(s) > 1000 {
		d.wrong(k.Line, "%s is a text of at most 1000 characters, not %s", k.Name, shown(k.Value))
	}
	return s
}

func (d *decoder) yes(k toml.Key) bool {
	if k.Value.Kind != toml.Bool {
		d.wrong(k.Line, "%s is true or false, not %s", k.Name, shown(k.Value))
	}
	return k.Value.Yes
}

func (d *decoder) pattern(v toml.Value) string {
	d.patterns++
	switch {
	case v.Str() == "":
		d.wrong(v.Line, "a pattern is a text such as \"infra/*\", not %s", shown(v))
	case len(v.Text) > maxPattern:
		d.wrong(v.Line, "a pattern has at most %d characters", maxPattern)
	case d.patterns > maxPatterns:
		d.wrong(v.Line, "more than %d patterns", maxPatterns)
	}
	return v.Text
}

func (d *decoder) onePattern(k toml.Key) string { return d.pattern(k.Value) }

// oneOrMore reads one pattern or a list of patterns.
func (d *decoder) oneOrMore(k toml.Key) (out []string) {
	if k.Value.Kind != toml.List {
		return []string{d.pattern(k.Value)}
	}
	for _, v := range k.Value.List {
		out = append(out, d.pattern(v))
	}
	if len(out) == 0 {
		d.wrong(k.Line, "%s is empty", k.Name)
	}
	return out
}

// words reads the words of a command: a list, or a text that is split at blanks.
func (d *decoder) words(k toml.Key) []string {
	if k.Value.Kind != toml.String {
		return d.oneOrMore(k)
	}
	d.pattern(k.Value)
	words := strings.Fields(k.Value.Text)
	if len(words) == 0 {
		d.wrong(k.Line, "command is empty")
	}
	return words
}

func (d *decoder) kinds(k toml.Key) (out []guard.Kind) {
	for _, text := range d.oneOrMore(k) {
		if !guard.KnownKind(guard.Kind(text)) {
			d.unknownKind(k.Line, text)
		}
		out = append(out, guard.Kind(text))
	}
	return out
}

// unknownKind reports an effect that the guard does not know.
func (d *decoder) unknownKind(line int, text string) {
	var names []string
	for _, kind := range guard.Kinds() {
		names = append(names, string(kind))
	}
	d.wrong(line, "unknown effect %q%s; want %s", text, suggestion(text, names), strings.Join(names, ", "))
}

func (d *decoder) input(k toml.Key) (out []guard.ArgMatch) {
	if k.Value.Kind != toml.Map {
		d.wrong(k.Line, "input is a table: input.NAME = \"pattern\"")
		return nil
	}
	for _, one := range k.Value.Table.Keys {
		out = append(out, guard.ArgMatch{Name: one.Name, Pattern: d.pattern(one.Value)})
	}
	return out
}

func ruleIDs() (ids []string) {
	for _, r := range guard.Rules() {
		ids = append(ids, r.ID)
	}
	return ids
}

// suggestion returns "; did you mean ...?" with the known word that is nearest to
// typed, or "" if none is near.
func suggestion(typed string, known []string) string {
	best, at := "", len(typed)/3+2
	for _, k := range known {
		if d := distance(typed, k); d < at {
			best, at = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// distance is toml.Distance, except that it returns maxPattern if a word is
// longer than that.
func distance(a, b string) int {
	if len(a) > maxPattern || len(b) > maxPattern {
		return maxPattern
	}
	return toml.Distance(a, b)
}
