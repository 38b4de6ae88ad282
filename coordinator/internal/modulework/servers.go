package modulework

import (
	"github.com/afar-sh/afar/coordinator/internal/module"
	"github.com/afar-sh/afar/coordinator/wire"
)

// inFolder is a shell script that starts a command in a folder: agents start servers in their own.
const inFolder = `cd "$0" && exec "$@"`

// Servers returns the servers of tools of all modules that are enabled and whose folders are what
// the person enabled.
func (w *Worker) Servers() (all []wire.RunServer) {
	for _, m := range w.cfg.Core.Modules() {
		if !m.On {
			continue
		}
		c, err := w.cfg.Folder.Read(m.Name)
		if differs(m.Hash, c, err) != "" {
			continue // the watch holds it
		}
		dir, err := w.approved(m.Name, m.Hash)
		if err != nil {
			w.cfg.Log.Warn("leave out the servers of a module", "module", m.Name, "err", err)
			continue
		}
		for _, s := range c.Servers {
			v, err := w.server(m.Name, dir, s)
			if err != nil {
				w.cfg.Log.Warn("leave out a server of tools", "module", m.Name, "server", s.Name, "err", err)
				continue
			}
			all = append(all, v)
		}
	}
	return all
}

// Fault returns why runs do not get a server of tools, nil if they do.
func (w *Worker) Fault(name module.Name, s module.Server) error {
	v, err := w.server(name, w.cfg.Folder.Path(name), s)
	if err != nil {
		return err
	}
	_, err = w.cfg.Env(v.EnvFile)
	return err
}

// server returns a server whose programs are in dir.
func (w *Worker) server(name module.Name, dir string, s module.Server) (v wire.RunServer, err error) {
	v = wire.RunServer{Name: name.FullName(s), URL: s.URL, EnvFile: w.inHome(s.EnvFile)}
	if s.URL != "" {
		return v, nil
	}
	path, own, err := w.place(name, dir, s.Command[0])
	if err != nil {
		return v, err
	}
	v.Command = append([]string{"/bin/sh", "-c", inFolder, dir, path}, s.Command[1:]...)
	v.Env = append(w.cfg.Dirs.Env(), own...) // codex starts servers without most of its own variables
	return v, nil
}
