// Package page renders the local page: typed views in, HTML out. It is pure: it reads no
// clock, touches nothing outside, and knows no core and no server.
//
// A page is a list of sections. Each can change on its own: the server renders a page again
// and sends the sections that differ.
package page

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// A Section is one part of a page that can change on its own.
type Section struct {
	ID   string
	HTML []byte
}

// Static holds the style, the scripts and the icon. Their names carry a hash of their
// content as the parameter v, see asset: they may be kept for ever.
var Static fs.FS = mustSub(files, "static")

//go:embed static templates
var files embed.FS

// Sections renders all sections of a page, in their order. The page shows the things of the chosen machine, "" for all.
func (t Templates) Sections(v View, now time.Time, chosen string) ([]Section, error) {
	s := v.shape()
	if chosen != "" {
		path, _, _ := strings.Cut(s.path, "?")
		s.path = path + "?machine=" + url(chosen)
	}
	var out []Section
	for _, id := range s.parts {
		one, err := t.section(id, cmp.Or(s.of, s.name)+"/"+id, sheet{V: v, Now: now, Home: s.home, Back: s.path})
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// Beat renders the section that each page has, whatever it shows. The server sends it with
// the sections of the page.
func (t Templates) Beat(p Pulse, now time.Time) (Section, error) {
	return t.section("pulse", "pulse", sheet{V: p, Now: now, Back: "/"})
}

// section renders one template inside its element.
func (t Templates) section(id, name string, s sheet) (Section, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "<section id=\"%s\">", id)
	if err := t.all.ExecuteTemplate(&b, name, s); err != nil {
		return Section{}, fmt.Errorf("render %s: %w", name, err)
	}
	b.WriteString("</section>\n")
	return Section{ID: id, HTML: visible(b.Bytes())}, nil
}

// A document is what the layout shows.
type document struct {
	Frame
	Title     string
	Name      string // of the page
	Menu      []group
	Machines  []tab
	PulseHTML template.HTML
	Sections  []template.HTML
	Now       int64 // the time of the machine, whatever the browser's clock says
	Reload    bool  // a small script loads the page again, once
	Live      bool  // the page has a stream of changes
}

// An entry is one line of the menu.
type entry struct {
	Path, Name, Icon string
	Current          bool
}

// Render writes the whole document of a page.
func (t Templates) Render(w io.Writer, v View, f Frame, now time.Time) error {
	shape := v.shape()
	d := document{
		Frame: f,
		Title: shape.title,
		Name:  shape.name,
		Now:   now.UnixMilli(),
		Menu:  menu(shape, f),
		Live:  f.SignedIn && !shape.still,
	}
	d.Machines = machinesOf(shape, f)
	if in, ok := v.(SignIn); ok {
		d.Reload = in.Reload
	}
	parts, err := t.Sections(v, now, f.Chosen)
	if err != nil {
		return err
	}
	for _, s := range parts {
		d.Sections = append(d.Sections, template.HTML(s.HTML))
	}
	pulse, err := t.Beat(f.Pulse, now)
	if err != nil {
		return err
	}
	d.PulseHTML = template.HTML(pulse.HTML)
	var b bytes.Buffer
	if err := t.all.ExecuteTemplate(&b, "layout", d); err != nil {
		return fmt.Errorf("render the page %s: %w", d.Title, err)
	}
	_, err = w.Write(visible(b.Bytes()))
	return err
}

// Partial writes what the stream sends for one section: it takes the place of the section
// with its id and keeps what the person typed or opened in it.
func Partial(w io.Writer, s Section) error {
	_, err := fmt.Fprintf(w, "<hx-partial hx-target=\"#%s\" hx-swap=\"outerMorph\">%s</hx-partial>\n", s.ID, s.HTML)
	return err
}

// A group is a part of the menu. Its entries are behind a button on a small screen, but for a group of one.
type group struct {
	Name    string
	Entries []entry
}

// Current reports whether one of the group's pages is shown.
func (g group) Current() bool {
	return slices.ContainsFunc(g.Entries, func(e entry) bool { return e.Current })
}

// menu lists the pages. It returns nil for a browser that is not signed in.
func menu(s shape, f Frame) []group {
	if !f.SignedIn {
		return nil
	}
	all := []group{
		{"Now", []entry{{Path: "/", Name: "Now", Icon: "now"}}},
		{"Work", []entry{
			{Path: tasksPath, Name: "Tasks", Icon: "task"}, {Path: "/runs", Name: "Runs", Icon: "run"},
			{Path: "/loops", Name: "Loops", Icon: "loop"}, {Path: triggersPath, Name: "Triggers", Icon: "bolt"},
		}},
		{"Knowledge", []entry{
			{Path: memoryPath, Name: "Memory", Icon: "book"}, {Path: inboxPath, Name: "Inbox", Icon: "chat"},
		}},
		{"Safety", []entry{
			{Path: "/questions", Name: "Questions", Icon: "ask"}, {Path: "/guard", Name: "Guard", Icon: "shield"},
			{Path: "/report", Name: "Report", Icon: "report"},
		}},
		{"Settings", []entry{{Path: "/settings", Name: "Settings", Icon: "settings"}}},
	}
	if len(f.Fleet) > 0 {
		all[1].Entries = append(all[1].Entries, entry{Path: "/machines", Name: "Machines", Icon: "plug"})
	}
	for _, g := range all {
		for i := range g.Entries {
			g.Entries[i].Current = g.Entries[i].Path == s.entry
		}
	}
	return all
}

func mustSub(files embed.FS, dir string) fs.FS {
	sub, err := fs.Sub(files, dir)
	if err != nil {
		panic(err) // the name is a constant
	}
	return sub
}
