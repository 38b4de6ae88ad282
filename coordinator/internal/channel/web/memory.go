package web

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

const (
	mostFacts = 100 // on a page of their list
	mostFound = 20
)

// memory shows the facts, or what a search finds.
func (c *Channel) memory(q *query) (page.View, error) {
	v := page.Memory{Find: strings.TrimSpace(q.FormValue("find")), Closed: c.closed(), Home: c.cfg.Home}
	if v.Find == "" {
		return q.facts(v)
	}
	in := wire.MemorySearchRequest{Query: v.Find, Most: mostFound}
	out, err := read(q.reader, wire.OpMemorySearch, in)
	v.Found = out.Results
	return v, err
}

// archivedFacts shows the facts that agents have put away.
func (c *Channel) archivedFacts(q *query) (page.View, error) {
	return q.facts(page.Memory{Archived: true, Closed: c.closed(), Home: c.cfg.Home})
}

// facts returns the view with the part of the facts that the query names.
func (q *query) facts(v page.Memory) (page.Memory, error) {
	from, err := q.from()
	if err != nil {
		return v, err
	}
	list, err := read(q.reader, wire.OpMemory, wire.MemoryRequest{Archived: v.Archived})
	v.Facts, v.Broken, v.Count = list.Facts, list.Broken, len(list.Facts)+len(list.Broken)
	v.Facts = v.Facts[min(from, len(v.Facts)):]
	if from > 0 {
		v.Further.Newest = q.URL.Path
	}
	if len(v.Facts) > mostFacts {
		v.Facts = v.Facts[:mostFacts]
		v.Further.Earlier = q.URL.Path + "?from=" + strconv.Itoa(from+mostFacts)
	}
	return v, err
}

// fact shows one fact.
func (c *Channel) fact(q *query) (page.View, error) {
	f, err := read(q.reader, wire.OpMemoryFact, wire.Named{ID: q.PathValue("name")})
	return page.Fact{Fact: f, Closed: c.closed(), Home: c.cfg.Home}, err
}

// editFact shows the form for the file of a fact.
func (c *Channel) editFact(q *query) (page.View, error) {
	f, err := read(q.reader, wire.OpMemoryFact, wire.Named{ID: q.PathValue("name")})
	return page.FactEdit{Fact: f, Closed: c.closed(), Home: c.cfg.Home}, err
}

// journal shows the journals of the newest days, or of those up to the day that the query names.
func (c *Channel) journal(q *query) (page.View, error) {
	in := wire.MemoryDaysRequest{Until: q.FormValue("until")}
	out, err := read(q.reader, wire.OpMemoryDays, in)
	v := page.Journal{Days: out.Days, Home: c.cfg.Home}
	if in.Until != "" {
		v.Further.Newest = q.URL.Path
	}
	if out.Next != "" {
		v.Further.Earlier = q.URL.Path + "?until=" + out.Next
	}
	return v, err
}

func factPath(name string) string { return "/fact/" + url.PathEscape(name) }

// addFactForm adds a fact, and leads to its page.
func addFactForm(d *decision) (string, error) {
	in := wire.MemoryAddRequest{Title: d.PostForm.Get("title"), Text: d.PostForm.Get("text")}
	out, err := decide(d, wire.OpMemoryAdd, in)
	if err != nil {
		return "", err
	}
	d.PostForm.Set("back", factPath(out.ID))
	return wording.FactChange(out.Change) + ".", nil
}

// forgetForm deletes a fact, and leads to the list.
func forgetForm(d *decision) (string, error) {
	in := wire.Named{ID: d.PathValue("name")}
	if _, err := decide(d, wire.OpMemoryForget, in); err != nil {
		return "", err
	}
	d.PostForm.Set("back", "/memory")
	return in.ID + " is deleted.", nil
}

// editFactForm saves the file of a fact. Where the file has changed meanwhile, both texts are kept.
func editFactForm(d *decision) (string, error) {
	in := wire.MemoryEditRequest{ID: d.PathValue("name"), Base: d.PostForm.Get("base"), Text: d.PostForm.Get("text")}
	out, err := decide(d, wire.OpMemoryEdit, in)
	if err != nil {
		return "", err
	}
	d.PostForm.Set("back", factPath(in.ID))
	if out.Kept != "" {
		d.PostForm.Set("back", factPath(out.Kept))
		return in.ID + ".md has changed while you wrote, so it was left as it is. " +
			"Your text is kept beside it, in " + out.Kept + ".md.", nil
	}
	if out.Fault != "" {
		return in.ID + ".md is saved. It cannot be read as a fact: " + out.Fault + ".", nil
	}
	return in.ID + ".md is saved.", nil
}
