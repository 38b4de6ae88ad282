package page

import (
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// Modules shows the folders that bring events for triage, and tools for runs.
type Modules struct {
	List   []wire.Module
	Closed string // why this page cannot decide about them, "" if it can
	Folder string // that holds the folders of all modules
	Home   string
}

// Module shows one module.
type Module struct {
	Module wire.Module // with its content
	Closed string      // why this page cannot decide about it, "" if it can
	Home   string
}

// ModuleEnable shows what a person enables, and the button that does so. It stands still, so that
// the button enables the folder that the page shows, or nothing.
type ModuleEnable Module

const modulesPath = "/modules"

func (m Modules) shape() shape {
	return shape{
		name: "modules", title: "Modules", path: modulesPath, entry: triggersPath, home: m.Home,
		parts: []string{"tabs", "list"},
	}
}

func (m Module) shape() shape {
	return shape{
		name: "module", title: m.Module.Title, path: modulePath(m.Module.ID), entry: triggersPath, home: m.Home,
		parts: []string{"head", "brings", "act", "content"},
	}
}

func (m ModuleEnable) shape() shape {
	return shape{
		name: "moduleenable", title: "Enable " + m.Module.Title, path: modulePath(m.Module.ID), entry: triggersPath,
		home: m.Home, still: true, parts: []string{"brings", "content", "enable"},
	}
}

func modulePath(name string) string { return "/module/" + url(name) }

// moduleFile returns the path of a file of a module, as it is in the folder with a hash.
func moduleFile(name, file, hash string) string {
	return filePath(modulePath(name), file) + "?hash=" + hash
}

// Off reports whether the module has a folder that can be enabled, and is not.
func (m Module) Off() bool { return isOff(m.Module) }

// Off reports whether the module has a folder that can be enabled, and is not.
func (m ModuleEnable) Off() bool { return isOff(m.Module) }

func isOff(m wire.Module) bool {
	return m.State == wire.ModuleProposed || m.State == wire.ModuleDisabled
}

// Path returns the path of the module.
func (m ModuleEnable) Path() string { return modulePath(m.Module.ID) }

// eventTabs returns the links to the pages about what comes by itself, for the page with a path.
func eventTabs(path string) []tab {
	return current([]tab{{Path: triggersPath, Name: "Triggers"}, {Path: modulesPath, Name: "Modules"}}, path)
}

// Source says what the source of a module does.
func (s sheet) Source(of wire.ModuleSource) string { return wording.ModuleSource(of, s.clock) }

// moduleMood is the colour of a module's state.
func moduleMood(m wire.Module) string {
	switch m.State {
	case wire.ModuleEnabled:
		return "ok"
	case wire.ModuleBroken:
		return "bad"
	case wire.ModuleProposed:
		return "ask"
	}
	return ""
}
