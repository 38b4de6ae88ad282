package noun

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/module"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// Modules is what the server needs for modules.
type Modules struct {
	Path func(module.Name) string
	List func() ([]module.Name, error)
	// Read returns what a folder holds. Its hash may be known even if there is an error.
	Read func(module.Name) (module.Content, error)
	// File returns what a file holds in the folder with a hash, "" for the folder as it is.
	File    func(name module.Name, path, hash string) ([]byte, error)
	Source  func(module.Name) (module.Status, bool)
	Restart func(module.Name) bool
	// Fault returns why runs do not get a server of tools of an enabled module, nil if they do.
	Fault func(module.Name, module.Server) error
	// Servers returns the servers of tools that runs get now.
	Servers func() []wire.RunServer
}

func (s *Server) modules(*door.Call, wire.None) (out wire.ModulesReply, err error) {
	names, err := s.cfg.Modules.List()
	if err != nil {
		return out, err
	}
	for _, m := range s.cfg.Core.Modules() {
		if m.On || m.Held != "" { // its folder may be missing
			names = append(names, m.Name)
		}
	}
	slices.Sort(names)
	out.Modules, out.Folder = wire.List(slices.Compact(names), s.wireModule), s.cfg.Place.Dirs.Modules()
	return out, nil
}

func (s *Server) module(_ *door.Call, name module.Name) (out wire.Module, err error) {
	content, err := s.cfg.Modules.Read(name)
	out = s.moduleWith(name, content, err)
	for _, e := range content.Entries {
		if !e.Mode.IsDir() {
			out.Content = append(out.Content, wireEntry(e))
		}
	}
	return out, nil
}

func wireEntry(e module.Entry) wire.ModuleFile {
	return wire.ModuleFile{
		Path:    e.Path,
		Size:    e.Size,
		Link:    e.Link,
		Program: e.Mode.IsRegular() && e.Mode.Perm()&0o111 != 0,
	}
}

// moduleFile returns what a file of a module holds, so that a person can read what they enable.
func (s *Server) moduleFile(_ *door.Call, in wire.ModuleFileRequest) (out wire.ModuleFileReply, err error) {
	name, err := s.moduleNamed(in.ID)
	if err != nil {
		return out, err
	}
	if out.Data, err = s.cfg.Modules.File(name, in.Path, in.Hash); errors.Is(err, fs.ErrNotExist) {
		return out, fmt.Errorf("file %.80q of module %s: %w", in.Path, name, core.ErrNotFound)
	}
	return out, err
}

// moduleNamed returns the name of a module that has a folder, or that a person has enabled.
func (s *Server) moduleNamed(typed string) (module.Name, error) {
	if err := module.CheckName(typed); err != nil {
		return "", door.BadRequest("%v", err)
	}
	name := module.Name(typed)
	_, known := s.cfg.Core.Module(name)
	if _, err := os.Lstat(s.cfg.Modules.Path(name)); errors.Is(err, fs.ErrNotExist) && !known {
		return "", fmt.Errorf("module %q: %w", typed, core.ErrNotFound)
	}
	return name, nil
}

// moduleEnable enables the folder of a module as it is, for a person.
func (s *Server) moduleEnable(c *door.Call, in wire.ModuleEnableRequest) (out wire.Module, err error) {
	name, err := s.moduleNamed(in.ID)
	if err != nil {
		return out, err
	}
	content, err := s.cfg.Modules.Read(name)
	switch {
	case err != nil:
		return out, door.BadRequest("module %s cannot be enabled: %v", name, err)
	case in.Hash != "" && in.Hash != content.Hash:
		return out, door.BadRequest("the folder of module %s has changed since you looked; look at it again", name)
	}
	if _, err := s.cfg.Core.EnableModule(name, content.Hash, c.Decider()); err != nil {
		return out, err
	}
	return s.moduleWith(name, content, nil), nil
}

func (s *Server) moduleDisable(c *door.Call, name module.Name) (out wire.Module, err error) {
	if _, known := s.cfg.Core.Module(name); !known {
		return out, door.BadRequest("module %s was never enabled", name)
	}
	content, unread := s.cfg.Modules.Read(name)
	_, err = s.cfg.Core.DisableModule(name, c.Decider())
	return s.moduleWith(name, content, unread), err
}

func (s *Server) moduleRestart(_ *door.Call, name module.Name) (out wire.Module, err error) {
	if !s.cfg.Modules.Restart(name) {
		return out, door.BadRequest("module %s has no source that is kept running", name)
	}
	return s.wireModule(name), nil
}

// wireModule returns a module as its folder is, and what Afar keeps of it.
func (s *Server) wireModule(name module.Name) wire.Module {
	content, err := s.cfg.Modules.Read(name)
	return s.moduleWith(name, content, err)
}

// moduleWith is wireModule for a folder that was read already, with the error of that.
func (s *Server) moduleWith(name module.Name, content module.Content, err error) wire.Module {
	m, _ := s.cfg.Core.Module(name)
	w := wire.Module{
		ID:     string(name),
		Title:  string(name),
		State:  moduleStates[m.File.State(content.Hash, err)],
		Folder: s.cfg.Modules.Path(name),
		Hash:   content.Hash,
		Files:  content.Files,
		Held:   m.Held,
		By:     m.By,
		At:     wire.Millis(m.At),
	}
	if err != nil {
		w.Fault = err.Error()
		return w
	}
	if content.Title != "" {
		w.Title = content.Title
	}
	for _, v := range content.Servers {
		w.Servers = append(w.Servers, s.wireModuleServer(name, v, w.State == wire.ModuleEnabled))
	}
	if len(content.Source.Command) > 0 {
		w.Source = s.wireSource(m, name, content.Source)
	}
	return w
}

func (s *Server) wireModuleServer(name module.Name, v module.Server, enabled bool) wire.ModuleServer {
	w := wire.ModuleServer{Name: name.FullName(v), Command: v.Command, URL: v.URL, EnvFile: v.EnvFile}
	if !enabled {
		return w
	}
	if err := s.cfg.Modules.Fault(name, v); err != nil {
		w.Fault = fmt.Sprintf("runs do not get the tools of %s: %v", w.Name, err)
	}
	return w
}

// moduleChecks returns what `afar doctor` says about modules: a line about all, and one for each that
// does not do what its person wants.
func (s *Server) moduleChecks() []wire.Check {
	all, err := s.modules(nil, wire.None{})
	switch {
	case err != nil:
		return []wire.Check{{ID: "modules", State: "bad", Text: err.Error()}}
	case len(all.Modules) == 0:
		return nil
	}
	enabled, checks := 0, []wire.Check{}
	for _, m := range all.Modules {
		if m.State == wire.ModuleEnabled {
			enabled++
		}
		checks = append(checks, moduleFaults(m)...)
	}
	about := fmt.Sprintf("%s, %d enabled", text.Count(len(all.Modules), "module"), enabled)
	return append([]wire.Check{{ID: "modules", State: "ok", Text: about}}, checks...)
}

// moduleFaults returns a check for each thing that keeps a module from doing what its person wants.
func moduleFaults(m wire.Module) (checks []wire.Check) {
	add := func(said, fix string) {
		checks = append(checks, wire.Check{ID: "module " + m.ID, State: "bad", Text: said, Fix: fix})
	}
	if m.Held != "" {
		add("Afar has disabled it: "+m.Held, fmt.Sprintf(
			"look at it (afar module show %s), then: afar module enable %s, or: afar module disable %s", m.ID,
			m.ID, m.ID))
	}
	if m.State != wire.ModuleEnabled {
		return checks
	}
	if m.Source != nil && m.Source.Ends >= module.TellAfter {
		add(fmt.Sprintf("its source has ended %d times in a row: %s", m.Source.Ends, m.Source.Why),
			"mend what it says, then: afar module restart "+m.ID)
	}
	for _, v := range m.Servers {
		if v.Fault != "" {
			add(v.Fault, "mend what it says; the next turn gets the tools")
		}
	}
	return checks
}

func (s *Server) wireSource(m module.Module, name module.Name, of module.Source) *wire.ModuleSource {
	now, _ := s.cfg.Modules.Source(name)
	return &wire.ModuleSource{
		Command: of.Command,
		EnvFile: of.EnvFile,
		PID:     now.PID,
		Since:   wire.Millis(now.Since),
		Next:    wire.Millis(now.Next),
		Ends:    now.Ends,
		Why:     strings.TrimSpace(now.Why),
		Events:  m.Events,
		Last:    wire.Millis(m.Last),
		Bad:     m.Bad,
		BadLine: m.BadLine,
	}
}

// moduleStates are the words for the states of a module, by approved.State.
var moduleStates = [...]string{wire.ModuleProposed, wire.ModuleEnabled, wire.ModuleDisabled, wire.ModuleBroken}
