package web

import (
	"net/http"

	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
)

// module shows one module.
func (c *Channel) module(q *query) (page.View, error) { return q.module() }

// enableModule shows what a person would enable.
func (c *Channel) enableModule(q *query) (page.View, error) {
	m, err := q.module()
	return page.ModuleEnable(m), err
}

func (q *query) module() (page.Module, error) {
	m, err := read(q.reader, wire.OpModule, wire.Named{ID: q.PathValue("id")})
	one := page.Alone{Noun: view.Modules, Thing: view.Module(m), Closed: q.page.closed(), Home: q.page.cfg.Home}
	return page.Module{Alone: one, Content: m.Content}, err
}

// moduleFile answers with a file of a module, so that a person can read what they enable.
func (c *Channel) moduleFile(w http.ResponseWriter, r *http.Request) {
	q, name := c.query(r), r.PathValue("path")
	in := wire.ModuleFileRequest{ID: r.PathValue("name"), Path: name, Hash: r.URL.Query().Get("hash")}
	out, err := read(q.reader, wire.OpModuleFile, in)
	if err != nil {
		c.fail(w, q, err)
		return
	}
	sendFile(w, name, out.Data)
}
