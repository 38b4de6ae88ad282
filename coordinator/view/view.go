// Package view says once for each noun what people see of it and what they can do with it, whatever they see it
// on: its columns, how its state looks, its details, and its deeds with their operations. The terminal, the phone
// and the page each render a Thing in one way for all nouns. The package is pure and knows none of them. Texts
// may hold what a session wrote: whoever renders them makes that harmless. What --json prints is never made here.
package view

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// A Tone says how something stands, for its colour.
type Tone string

// The tones. Plain needs no colour.
const (
	Plain Tone = ""
	Muted Tone = "muted" // it rests
	Good  Tone = "ok"    // it worked, or allows something
	Ask   Tone = "ask"   // it waits for the person
	Bad   Tone = "bad"
)

// A Mark is how a state looks. It is written once for each state of a noun.
type Mark struct {
	Tone Tone
	Sign string // for a surface without colours
}

// A Span is a piece of a Line: a text, or a time or a path that each surface writes in its own way.
type Span struct {
	Text string
	At   int64 // a time in unix milliseconds instead of a text, 0 for none
	Code bool  // the text is a command or a name
	Path bool  // the text is a path on this machine
	Run  bool  // the text is the name of a run
	Day  bool  // of the time, only the day is meant
	Ago  bool  // of the time, how long ago it was is meant
	Left bool  // of the time, how long it is until then is meant
}

// A Line is one line of a text.
type Line []Span

// Join returns the spans of a line, as a surface has written them, in one text.
func Join(spans []string) string {
	var b strings.Builder
	for i, s := range spans {
		if i > 0 && !strings.HasPrefix(s, ";") && !strings.HasPrefix(s, ",") {
			b.WriteByte(' ')
		}
		b.WriteString(s)
	}
	return b.String()
}

// A Row is a line with a name.
type Row struct {
	Name string // "" for a line that says enough
	Tone Tone
	Line Line
}

// A Text is a longer text of a thing.
type Text struct {
	Title string // "" for the only one
	Body  string
	Prose bool // it is Markdown and not data
}

// A Thing is one of a noun.
type Thing struct {
	ID, Title string
	URL       string // of its page, "" where none is served
	State     string // in words
	About     string // what it is about, in Markdown; lists show its beginning
	Mark      Mark
	Level     int    // how many things of its list it is below
	Columns   []Line // what it is, in a few words each
	Notes     []Row  // what else is to know in a list
	Details   []Row  // what is to know of it alone, beside its notes
	Texts     []Text
	Foot      Line   // what a person should know before they decide
	Deeds     []Deed // what can be done with it now
	Seen      string // names what a person has seen of it, for deeds that hold for just that
	Machine   string // of the fleet that it is on, "" for this one
}

// on shows a thing of another machine: it rests while that is away.
func on(o wire.Origin, t Thing) Thing {
	if t.Machine = o.Machine; t.Machine == "" {
		return t
	}
	if o.AwayAt != 0 {
		t.Mark = Mark{Muted, "💤"}
		t.Notes = append(t.Notes, Row{"", Muted, when(o.Machine+" is not reachable since", o.AwayAt)})
	}
	return t
}

// Deed returns the deed with a key, the zero Deed if it cannot be done now.
func (t Thing) Deed(key string) Deed {
	for _, d := range t.Deeds {
		if d.Key == key {
			return d
		}
	}
	return Deed{}
}

// A Deed is something that a person can do with a thing.
type Deed struct {
	Key   string // names it in its noun's Does
	Label string
	Sign  string // goes with the label on a phone
	Tone  Tone   // Good and Bad are the answers to a question
	Alone bool   // lists do not offer it
	// Look says what the person must look at before they do it, "" for nothing. First says so on a button that
	// leads there, and Command does it at a terminal.
	Look, First, Command string
	Words                string // asks for words that may go with it, "" for none
	Reach                string // what it permits beyond this once, "" for nothing
}

// A Caller carries out an operation for whoever asks. It returns the reply of the type that the operation names.
type Caller = func(op string, in any) (any, error)

// An Input is what comes with a deed.
type Input struct {
	Key   string // names this one time, for operations that are done once
	Seen  string // see Thing
	Words string
	// Options of the question that is asked are picked, counted from 1.
	Options []int
}

// Done says what a deed led to.
type Done struct {
	Said   string
	Secret string // is shown this once, and on no phone
	Task   string // that there is now, "" for none
	Runs   bool   // that task is worked on
}

// An Act carries out a deed.
type Act func(c Caller, id string, in Input) (Done, error)

// A Noun is a kind of thing.
type Noun struct {
	Name  string
	Empty string // said where there is none, with commands between backticks
	Named bool   // the person writes to its things by their IDs, so that each list has them
	Inner bool   // the title stands in the row of a table, and not below it
	List  func(c Caller) ([]Thing, error)
	Read  func(c Caller, id string) (Thing, error) // nil for one that is shown in lists alone
	Does  map[string]Act                           // by the keys of deeds
	Page  bool                                     // the page shows and does all that is said here
	About string                                   // of the phone's command that lists its things, "" for none
	Phone []string                                 // the keys of the deeds that a button on a phone offers
}

// nouns are filled by the files of the nouns, before any function runs.
var nouns []Noun

func add(n Noun) Noun {
	nouns = append(nouns, n)
	return n
}

// Nouns returns all nouns.
func Nouns() []Noun { return slices.Clone(nouns) }

func said(s string) Line { return line(Span{Text: s}) }
func code(s string) Line { return line(Span{Text: s, Code: true}) }
func path(s string) Line { return line(Span{Text: s, Path: true}) }

func line(s Span) Line {
	if s.Text == "" {
		return nil
	}
	return Line{s}
}

// when returns a line that ends with a time, nil for no time.
func when(said string, ms int64) Line {
	if ms == 0 {
		return nil
	}
	return append(line(Span{Text: said}), Span{At: ms})
}

// ago returns a line that says how long ago a time was, nil for no time.
func ago(ms int64) Line {
	if ms == 0 {
		return nil
	}
	return Line{{At: ms, Ago: true}}
}

// day returns a line of one day, nil for no time.
func day(ms int64) Line {
	if ms == 0 {
		return nil
	}
	return Line{{At: ms, Day: true}}
}

// wrong returns the rows that say what is wrong with a file.
func wrong(file string, faults []string) []Row {
	return Each(faults, func(fault string) Row { return Row{"", Bad, said(file + ", " + fault)} })
}

// facts returns the rows that say anything.
func facts(all ...Row) []Row {
	return slices.DeleteFunc(all, func(r Row) bool { return len(r.Line) == 0 })
}

// lines returns the lines that say anything.
func lines(all ...Line) []Line {
	return slices.DeleteFunc(all, func(l Line) bool { return len(l) == 0 })
}

// whole returns a text that is longer than a title, nil for one that a title shows.
func whole(s string) []Text {
	if strings.TrimSpace(s) == text.Clip(text.Fold(s), maxTitle) {
		return nil
	}
	return []Text{{Body: text.ClipBytes(s, maxText)}}
}

// The most characters of a title that every surface shows, and bytes of a text in a list.
const (
	maxTitle = 80
	maxText  = 2 << 10
)

// Each returns the things for the values of a list.
func Each[T, Shown any](all []T, thing func(T) Shown) (out []Shown) {
	for _, one := range all {
		out = append(out, thing(one))
	}
	return out
}

// list returns how the things of a noun are read.
func list[In, Reply any](op wire.Op[In, Reply], in In, things func(Reply) []Thing) func(Caller) ([]Thing, error) {
	return func(c Caller) ([]Thing, error) {
		out, err := op.With(in).Through(c)
		return things(out), err
	}
}

// one returns how one thing of a noun is read.
func one[Reply any](op wire.Op[wire.Named, Reply], thing func(Reply) Thing) func(Caller, string) (Thing, error) {
	return func(c Caller, id string) (Thing, error) {
		out, err := op.With(wire.Named{ID: id}).Through(c)
		return thing(out), err
	}
}

// named is the request of an Act that needs nothing but the name of its thing.
func named(id string, _ Input) wire.Named { return wire.Named{ID: id} }

// says returns the Act that carries out an operation and says so, with the name of the thing.
func says[In, Reply any](op wire.Op[In, Reply], in func(id string, by Input) In, format string) Act {
	return func(c Caller, id string, by Input) (Done, error) {
		_, err := op.With(in(id, by)).Through(c)
		return Done{Said: fmt.Sprintf(format, id)}, err
	}
}

// seen returns an Act that is refused to whoever does not name what they have seen.
func seen(do Act) Act {
	return func(c Caller, id string, in Input) (Done, error) {
		if in.Seen == "" {
			return Done{}, errors.New("nothing says what you have seen of it; look at it again")
		}
		return do(c, id, in)
	}
}

// act returns the Act that carries out an operation and says what it led to.
func act[In, Reply any](op wire.Op[In, Reply], in func(id string, by Input) In, done func(Reply) Done) Act {
	return func(c Caller, id string, by Input) (Done, error) {
		out, err := op.With(in(id, by)).Through(c)
		if err != nil {
			return Done{}, err
		}
		return done(out), nil
	}
}
