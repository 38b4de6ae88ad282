package memory

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/text"
)

// A Change says what became of a fact that was added.
type Change string

// The changes.
const (
	Unchanged Change = "unchanged" // it is known already
	Added     Change = "added"
	Changed   Change = "changed" // a fact about the same subject said otherwise
)

// ErrForgotten says that the person has deleted what is to be added.
var ErrForgotten = errors.New("the person has deleted this from memory")

// Merge merges f into facts. It returns the result and its file. A fact with the same subject
// is changed; without one f gets a name of its own.
func Merge(facts []Fact, f Fact, taken func(Name) bool) (kept Fact, raw string, change Change, err error) {
	f.Title, f.Text, f.keys = tidyTitle(f.Title), plainText(f.Text), keys{}
	if err := f.Check(); err != nil {
		return f, "", "", err
	}
	facts, f.keys = Newest(facts), f.keysNow()
	says := func(known Fact) bool { return known.content() == f.content() }
	if i := slices.IndexFunc(facts, says); i >= 0 {
		return facts[i], "", Unchanged, nil
	}
	about := func(known Fact) bool { return known.subject() == f.subject() && f.subject() != "" }
	if i := slices.IndexFunc(facts, about); i >= 0 {
		f.Name = facts[i].Name
		raw, err = facts[i].changed(f)
		return f, raw, Changed, err
	}
	f.Name = FreeName(slug(f.Title), taken)
	raw, err = f.markdown()
	return f, raw, Added, err
}

// FreeName returns a name, or with a number behind it the first one that is not taken.
func FreeName(name string, taken func(Name) bool) Name {
	free := Name(name)
	for n := 2; taken(free); n++ {
		free = Name(name + "-" + strconv.Itoa(n))
	}
	return free
}

// Yours returns the name of the fact that holds what a person wrote while the file of another changed.
func Yours(name Name) string {
	return text.ClipBytes(string(name), maxName-len("…-yours-99")) + "-yours"
}

const maxSlug = 60

// slug returns the letters and digits of a title in lower case, with dashes between its words.
func slug(title string) string {
	var parts []string
	size := 0
	for _, word := range words(title) {
		word = fold(word)
		if size += len(word) + 1; size > maxSlug {
			break
		}
		parts = append(parts, word)
	}
	if name := strings.Join(parts, "-"); CheckName(name) == nil {
		return name
	}
	return "fact"
}

// Seen returns what Afar remembers of f when its file is gone: digests of what it says and said,
// and of its subject.
func (f Fact) Seen() []string { return f.keysOf().seen }

// Forgotten reports whether f was in memory once and is no more: its content, or all facts about
// its subject. Facts that said it before they changed count as there.
func Forgotten(f Fact, facts []Fact, seen func(string) bool) bool {
	f.former, f.keys = "", keys{}
	missing := slices.DeleteFunc(slices.Clone(f.Seen()), func(key string) bool { return !seen(key) })
	if len(missing) == 0 {
		return false
	}
	there := map[string]bool{}
	for _, known := range facts {
		for _, key := range known.Seen() {
			there[key] = true
		}
	}
	return slices.ContainsFunc(missing, func(key string) bool { return !there[key] })
}
