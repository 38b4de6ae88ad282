package page

import (
	"github.com/afar-sh/afar/coordinator/wire"
)

// Module shows one module.
type Module struct {
	Alone
	Content []wire.ModuleFile
}

// ModuleEnable shows what a person enables, and the button that does so. It stands still, so that
// the button enables the folder that the page shows, or nothing.
type ModuleEnable Module

func (m Module) shape() shape {
	return shape{
		name: "module", title: m.Thing.Title, path: m.Row().Path(), entry: triggersPath, home: m.Home,
		parts: []string{"head", "content"},
	}
}

func (m ModuleEnable) shape() shape {
	return shape{
		name: "moduleenable", title: "Enable " + m.Thing.Title, path: m.Row().Path(), entry: triggersPath,
		home: m.Home, still: true, parts: []string{"brings", "content", "enable"},
	}
}

// moduleFile returns the path of a file of a module, as it is in the folder with a hash.
func moduleFile(name, file, hash string) string {
	return filePath("/module/"+url(name), file) + "?hash=" + hash
}

// Off reports whether the module has a folder that can be enabled, and is not.
func (m ModuleEnable) Off() bool { return m.Closed == "" && m.Thing.Deed("enable").Key != "" }
