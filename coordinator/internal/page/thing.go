package page

import (
	"html/template"
	"strings"

	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/view"
)

// A List shows the things of a noun. It is a page, or a part of one.
type List struct {
	Noun   view.Noun
	Things []view.Thing
	Tabs   Tabs
	Closed string // why this page cannot decide about them, "" if it can
	Home   string
}

// An Alone shows one thing of a noun. It is a page, or a part of one.
type Alone struct {
	Noun   view.Noun
	Thing  view.Thing
	Closed string // why this page cannot decide about it, "" if it can
	Home   string
}

// A shown is a thing as templates show it.
type shown struct {
	view.Thing
	Noun   view.Noun
	Closed string
	Alone  bool // on the page of the thing
}

func (l List) shape() shape {
	name := l.Noun.Name + "s"
	return shape{
		name: name, of: "things", title: text.Capital(name), path: "/" + name, entry: entryOf(l.Noun), home: l.Home,
		parts: []string{"tabs", "list"},
	}
}

func (a Alone) shape() shape {
	return shape{
		name: a.Noun.Name, of: "thing", title: a.Thing.Title, path: a.Row().Path(), entry: entryOf(a.Noun), home: a.Home,
		parts: []string{"head"},
	}
}

// Links returns the tabs of the list, none where it belongs to no others.
func (l List) Links() []tab { return current(tabsOf(l.Noun, l.Tabs), "/"+l.Noun.Name+"s") }

// entryOf returns the path of the entry in the menu below which the pages of a noun are.
func entryOf(n view.Noun) string {
	if all := tabsOf(n, Tabs{}); len(all) > 0 {
		return all[0].Path
	}
	return "/" + n.Name + "s"
}

// Rows returns the things of the list.
func (l List) Rows() (rows []shown) {
	for _, t := range l.Things {
		rows = append(rows, shown{Thing: t, Noun: l.Noun, Closed: l.Closed})
	}
	return rows
}

// Icon names the picture of an empty list.
func (l List) Icon() string {
	return map[string]string{"trigger": "bolt", "module": "plug", "suggestion": "plan", "text": "chat"}[l.Noun.Name]
}

// Row returns the thing.
func (a Alone) Row() shown { return shown{Thing: a.Thing, Noun: a.Noun, Closed: a.Closed, Alone: true} }

// Path returns the path of the thing's page. Its forms go below it.
func (r shown) Path() string { return "/" + url(r.Noun.Name) + "/" + url(r.ID) }

// Listed reports whether the row shows all that there is of the thing, in a list.
func (r shown) Listed() bool { return r.Noun.Read == nil }

// Buttons returns the deeds that are done here.
func (r shown) Buttons() []view.Deed { return r.offers(func(path string) bool { return path == "" }) }

// Links returns the deeds for which a person looks at another page first.
func (r shown) Links() []view.Deed { return r.offers(func(path string) bool { return path != "" }) }

func (r shown) offers(isSo func(path string) bool) (deeds []view.Deed) {
	for _, d := range r.Deeds {
		if isSo(r.Leads(d)) && (r.Alone || !d.Alone) {
			deeds = append(deeds, d)
		}
	}
	return deeds
}

// Leads returns where the button of a deed leads, "" for one that does the deed. A thing that can change under
// the reader's eyes has a page for the deed, which stands still.
func (r shown) Leads(d view.Deed) string {
	switch {
	case d.First == "" || r.Alone && r.Seen == "":
		return ""
	case r.Seen == "":
		return r.Path()
	}
	return r.Path() + "/" + url(d.Key)
}

// deedClass is how the button of a deed looks.
func deedClass(d view.Deed) string {
	return map[view.Tone]string{view.Good: "yes", view.Bad: "no", view.Muted: "quiet"}[d.Tone]
}

// tone is the class of what has a tone.
func tone(t view.Tone) string { return line(9, string(t)) }

// Said shows a line of a thing, each span in at most most characters.
func (s sheet) Said(most int, of view.Line) template.HTML {
	var words []string
	for _, span := range of {
		shown := template.HTMLEscapeString(line(most, span.Text))
		switch {
		case span.Day:
			shown = string(s.Day(span.At))
		case span.Run:
			shown = `<a href="` + runPath(span.Text) + `">` + shown + "</a>"
		case span.Ago:
			shown = string(s.Ago(span.At))
		case span.Left:
			shown = string(s.Left(span.At))
		case span.At != 0:
			shown = string(s.Clock(span.At))
		case span.Path:
			shown = template.HTMLEscapeString(s.Path(span.Text))
		case span.Code:
			shown = "<code>" + shown + "</code>"
		}
		words = append(words, shown)
	}
	return template.HTML(view.Join(words))
}

// ticks shows a text with commands between backticks.
func ticks(s string) template.HTML {
	parts := strings.Split(template.HTMLEscapeString(s), "`")
	for i := 1; i < len(parts); i += 2 {
		parts[i] = "<code>" + parts[i] + "</code>"
	}
	return template.HTML(strings.Join(parts, ""))
}
