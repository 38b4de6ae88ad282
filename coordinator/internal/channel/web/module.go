package web

import (
	"net/http"

	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/wire"
)

// modules shows all modules.
func (c *Channel) modules(q *query) (page.View, error) {
	all, err := read(q.reader, wire.OpModules, wire.None{})
	return page.Modules{List: all.Modules, Closed: c.closed(), Folder: all.Folder, Home: c.cfg.Home}, err
}

// module shows one module.
func (c *Channel) module(q *query) (page.View, error) { return c.readModule(q) }

// enableModule shows what a person would enable.
func (c *Channel) enableModule(q *query) (page.View, error) {
	m, err := c.readModule(q)
	return page.ModuleEnable(m), err
}

func (c *Channel) readModule(q *query) (out page.Module, err error) {
	m, err := read(q.reader, wire.OpModule, wire.ModuleRequest{ID: q.PathValue("name")})
	return page.Module{Module: m, Closed: c.closed(), Home: c.cfg.Home}, err
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

// doModuleForm enables the folder of a module that the form names, disables the module, or starts its
// source again.
func doModuleForm(d *decision) (string, error) {
	named := wire.ModuleRequest{ID: d.PathValue("name")}
	switch d.PostForm.Get("do") {
	case "enable":
		in := wire.ModuleEnableRequest{ID: named.ID, Hash: d.PostForm.Get("hash")}
		if in.Hash == "" {
			return "", errButton
		}
		m, err := decide(d, wire.OpModuleEnable, in)
		return "Module " + m.ID + " is enabled.", err
	case "disable":
		m, err := decide(d, wire.OpModuleDisable, named)
		return "Module " + m.ID + " is disabled.", err
	case "restart":
		m, err := decide(d, wire.OpModuleRestart, named)
		return "The source of module " + m.ID + " is started again.", err
	}
	return "", errButton
}
