// Package toml reads the TOML files that people write. It is the only package
// that uses the TOML library. Decode fills a struct, for programs that start
// once. Parse returns a tree with the line of each key, for the hook, which
// starts on every tool call and reports the line of a rule. Both are strict, and
// their errors begin with the line number.
package toml

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/afar-sh/afar/coordinator/text"
)

// Decode reads a document into the struct that into points to. Fields without a
// key keep their values. A key without a field, and a value of another kind than
// its field, are errors.
func Decode(raw []byte, into any) error {
	tree, err := Parse(raw)
	if err != nil {
		return err
	}
	if err := tree.fit("", reflect.TypeOf(into).Elem()); err != nil {
		return err
	}
	return explain(toml.Unmarshal(raw, into))
}

// DecodePart is Decode for a struct that has only some of the keys. It ignores
// the others.
func DecodePart(raw []byte, into any) error { return explain(toml.Unmarshal(raw, into)) }

// explain adds the line and the key to an error of the library. It keeps the
// message of a type about its own text, and replaces the library's messages.
func explain(err error) error {
	var bad *toml.DecodeError
	if !errors.As(err, &bad) {
		return err
	}
	row, _ := bad.Position()
	why := strings.TrimPrefix(bad.Error(), "toml: ")
	if strings.Contains(why, "toml") || strings.Contains(why, "decode") {
		why = "this value cannot be used here"
	}
	if key := strings.Join(bad.Key(), "."); !strings.Contains(why, key) {
		why = key + ": " + why
	}
	return fmt.Errorf("line %d: %s", row, why)
}

// A Kind is the kind of a value, in words for the person who wrote it.
type Kind string

// The kinds of values.
const (
	String Kind = "a text"
	Bool   Kind = "true or false"
	List   Kind = "a list"
	Map    Kind = "a table"
	Whole  Kind = "a whole number"
	Number Kind = "a number"
	Other  Kind = "a date or a time"
)

// A Value is the value of a key, or an item of a list.
type Value struct {
	Kind  Kind
	Line  int
	Text  string // of a String; of a number, as it was written
	Yes   bool   // of a Bool
	List  []Value
	Table *Table // of a Map

	headed bool // it is a List that headers [[name]] made
}

// Str returns the text of a String, or "" for any other value.
func (v Value) Str() string {
	if v.Kind != String {
		return ""
	}
	return v.Text
}

// A Key is a name with its value.
type Key struct {
	Name  string
	Line  int
	Value Value
}

// A Table holds keys in the order of the text. No name occurs twice.
type Table struct {
	Line   int
	Keys   []Key
	headed bool // it has a header, so it may not get a second one
	inline bool // it is an inline table, so nothing may be added to it
}

// maxKeys bounds the keys of a table, because each look-up walks through them.
const maxKeys = 1000

// Parse returns the tree of a document, which must be UTF-8.
func Parse(raw []byte) (*Table, error) {
	if !utf8.Valid(raw) {
		return nil, fmt.Errorf("line %d: not UTF-8", badLine(raw))
	}
	p := &parser{text: raw, root: &Table{Line: 1}}
	p.at = p.root
	p.Reset(raw)
	for p.NextExpression() {
		if err := p.take(p.Expression()); err != nil {
			return nil, err
		}
	}
	return p.root, p.failed()
}

// badLine returns the number of the first line that is not UTF-8.
func badLine(raw []byte) int {
	line := 1
	for _, l := range bytes.SplitAfter(raw, []byte{'\n'}) {
		if !utf8.Valid(l) {
			break
		}
		line++
	}
	return line
}

type parser struct {
	unstable.Parser
	text []byte
	root *Table
	at   *Table // the table of the last header

	seen  uint32 // the offset up to which lines are counted ...
	lines int    // ... and the number of line breaks before it
}

// failed returns the syntax error of the document, with its line.
func (p *parser) failed() error {
	err := p.Error()
	var bad *unstable.ParserError
	if !errors.As(err, &bad) {
		return err
	}
	line := 1
	if len(bad.Highlight) > 0 {
		line = p.line(p.Range(bad.Highlight))
	}
	return fmt.Errorf("line %d: %q cannot be read: %s", line, p.written(line), whatIsExpected)
}

// whatIsExpected is the message for every syntax error.
const whatIsExpected = `expected [table] or key = value, with a text in quotes, such as hold = "90s"`

// maxWritten bounds the part of a line that an error quotes, in bytes.
const maxWritten = 60

// written returns a line of the document, shortened for an error.
func (p *parser) written(line int) string {
	lines := bytes.SplitN(p.text, []byte{'\n'}, line+1)
	return text.ClipBytes(strings.TrimSpace(string(lines[min(line, len(lines))-1])), maxWritten)
}

// line returns the number of the line where a range begins.
func (p *parser) line(r unstable.Range) int {
	if r.Offset < p.seen {
		p.seen, p.lines = 0, 0
	}
	p.lines += bytes.Count(p.text[p.seen:r.Offset], []byte{'\n'})
	p.seen = r.Offset
	return 1 + p.lines
}

// take adds one expression, a header or a key with its value, to the tree.
func (p *parser) take(n *unstable.Node) error {
	switch n.Kind {
	case unstable.Table, unstable.ArrayTable:
		return p.header(n)
	case unstable.KeyValue:
		return p.keyValue(p.at, n)
	}
	return nil
}

// A name is one part of a dotted key.
type name struct {
	text string
	line int
}

func (p *parser) names(it unstable.Iterator) (out []name) {
	for it.Next() {
		k := it.Node()
		out = append(out, name{string(k.Data), p.line(k.Raw)})
	}
	return out
}

// header opens [a.b] or adds to [[a.b]].
func (p *parser) header(n *unstable.Node) error {
	names := p.names(n.Key())
	last := len(names) - 1
	t, err := p.descend(p.root, names[:last])
	if err != nil {
		return err
	}
	if n.Kind == unstable.ArrayTable {
		p.at, err = t.grow(names[last])
		return err
	}
	p.at, err = t.table(names[last])
	if err != nil {
		return err
	}
	if p.at.headed || p.at.inline {
		n := names[last]
		return fmt.Errorf("line %d: the table %q is there already, from line %d", n.line, n.text, p.at.Line)
	}
	p.at.headed, p.at.Line = true, names[last].line
	return nil
}

// descend returns the table that names lead to from t. It creates the tables that
// are missing.
func (p *parser) descend(t *Table, names []name) (_ *Table, err error) {
	for _, n := range names {
		if t, err = t.table(n); err != nil {
			return nil, err
		}
		if t.inline {
			return nil, fmt.Errorf("line %d: the table %q is complete since line %d", n.line, n.text, t.Line)
		}
	}
	return t, nil
}

func (p *parser) keyValue(t *Table, n *unstable.Node) error {
	names := p.names(n.Key())
	last := names[len(names)-1]
	t, err := p.descend(t, names[:len(names)-1])
	if err != nil {
		return err
	}
	if old := t.find(last.text); old != nil {
		return fmt.Errorf("line %d: %q is there already, in line %d", last.line, last.text, old.Line)
	}
	if len(t.Keys) == maxKeys {
		return fmt.Errorf("line %d: more than %d keys in one table", last.line, maxKeys)
	}
	v, err := p.value(n.Value(), last.line)
	if err != nil {
		return err
	}
	t.Keys = append(t.Keys, Key{last.text, last.line, v})
	return nil
}

// value converts a value. line is the line of the key or list that holds it, for
// the kinds whose position the library does not give.
func (p *parser) value(n *unstable.Node, line int) (v Value, err error) {
	if n.Raw.Length > 0 {
		line = p.line(n.Raw)
	}
	v = Value{Kind: Other, Line: line}
	switch n.Kind {
	case unstable.String:
		v.Kind, v.Text = String, string(n.Data)
	case unstable.Integer:
		v.Kind, v.Text = Whole, string(n.Data)
	case unstable.Float:
		v.Kind, v.Text = Number, string(n.Data)
	case unstable.Bool:
		v.Kind, v.Yes = Bool, n.Data[0] == 't'
	case unstable.Array:
		v.Kind = List
		for it := n.Children(); it.Next(); {
			one, err := p.value(it.Node(), line)
			if err != nil {
				return v, err
			}
			v.List = append(v.List, one)
		}
	case unstable.InlineTable:
		v.Kind, v.Table = Map, &Table{Line: line}
		for it := n.Children(); it.Next(); {
			if err := p.keyValue(v.Table, it.Node()); err != nil {
				return v, err
			}
		}
		v.Table.inline = true
	}
	return v, nil
}

// find returns the key of that name, or nil.
func (t *Table) find(name string) *Key {
	for i := range t.Keys {
		if t.Keys[i].Name == name {
			return &t.Keys[i]
		}
	}
	return nil
}

// table returns the table of that name, the last one of a list of tables, or a
// new one.
func (t *Table) table(n name) (*Table, error) {
	k := t.find(n.text)
	if k == nil && len(t.Keys) == maxKeys {
		return nil, fmt.Errorf("line %d: more than %d keys in one table", n.line, maxKeys)
	}
	if k == nil {
		sub := &Table{Line: n.line}
		t.Keys = append(t.Keys, Key{n.text, n.line, Value{Kind: Map, Line: n.line, Table: sub}})
		return sub, nil
	}
	v := k.Value
	if v.Kind == List && len(v.List) > 0 {
		v = v.List[len(v.List)-1]
	}
	if v.Kind != Map {
		return nil, fmt.Errorf("line %d: %q is %s since line %d", n.line, n.text, v.Kind, k.Line)
	}
	return v.Table, nil
}

// grow adds a table to the list of that name.
func (t *Table) grow(n name) (*Table, error) {
	sub := &Table{Line: n.line, headed: true}
	v := Value{Kind: Map, Line: n.line, Table: sub}
	k := t.find(n.text)
	if k == nil {
		list := Value{Kind: List, Line: n.line, List: []Value{v}, headed: true}
		t.Keys = append(t.Keys, Key{n.text, n.line, list})
		return sub, nil
	}
	if !k.Value.headed {
		return nil, fmt.Errorf("line %d: %q is not a list of [[%[2]s]] tables, see line %[3]d", n.line, n.text, k.Line)
	}
	k.Value.List = append(k.Value.List, v)
	return sub, nil
}
