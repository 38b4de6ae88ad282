package wording

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/wire"
)

// MemoryPlace returns where a result of a search is, as it is given to a command.
func MemoryPlace(r wire.MemoryResult) string {
	switch r.Kind {
	case "fact":
		return r.ID
	case "journal":
		return "journal " + r.ID
	}
	return r.Kind + ":" + r.ID
}

// FactNote returns what a list says about a fact besides its title, "" for nothing.
func FactNote(f wire.Fact) string {
	var notes []string
	add := func(is bool, note string) {
		if is {
			notes = append(notes, note)
		}
	}
	add(f.Archived, "in the archive")
	add(f.Rival != "", "⚠ "+f.Rival+" is newer and says otherwise")
	add(f.Changed, "⚠ changed: it said otherwise before")
	add(f.Over, "true until "+f.Until)
	add(f.Source != "", "from "+f.Source)
	return strings.Join(notes, " · ")
}

// FactSince returns what a list says about the kind, the days and the source of a fact, "" for nothing.
func FactSince(f wire.Fact) string {
	notes := slices.DeleteFunc([]string{
		f.Type, prefixed("since ", f.From), prefixed("until ", f.Until), prefixed("from ", f.Source),
		strings.Join(f.Tags, ", "),
	}, func(note string) bool { return note == "" })
	return strings.Join(notes, " · ")
}

// prefixed returns a text behind a word, "" for no text.
func prefixed(word, text string) string {
	if text == "" {
		return ""
	}
	return word + text
}

// FactChange returns the word for what became of a fact that was added.
func FactChange(change string) string {
	switch change {
	case "added":
		return "Added"
	case "changed":
		return "Changed; the old text stays in the file, below Earlier"
	case "unchanged":
		return "Known already"
	}
	return change
}
