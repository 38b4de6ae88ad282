package wire

// Operations of modules.
const (
	OpModules       Op[None, ModulesReply]                 = "modules"
	OpModule        Op[Named, Module]                      = "module"
	OpModuleFile    Op[ModuleFileRequest, ModuleFileReply] = "module.file"
	OpModuleEnable  Op[ModuleEnableRequest, Module]        = "module.enable"
	OpModuleDisable Op[Named, Module]                      = "module.disable"
	// OpModuleRestart ends the source of a module, and starts it again at once.
	OpModuleRestart Op[Named, Module] = "module.restart"
)

// The states of a module.
const (
	ModuleEnabled  = "enabled"
	ModuleDisabled = "disabled" // by a person
	ModuleProposed = "proposed" // no person has enabled its folder as it is
	ModuleBroken   = "broken"   // its folder cannot be used
)

// A Module is a folder that brings servers of tools for runs, or a source of events.
type Module struct {
	ID      string         `json:"id"` // its name, and that of its folder
	Title   string         `json:"title"`
	State   string         `json:"state"`
	Folder  string         `json:"folder"`
	Hash    string         `json:"hash,omitempty"` // of the folder as it is
	Files   int            `json:"files"`
	Fault   string         `json:"fault,omitempty"`   // why the folder cannot be used
	Held    string         `json:"held,omitempty"`    // why Afar has disabled it
	By      string         `json:"by,omitempty"`      // who enabled or disabled it
	At      int64          `json:"at,omitempty"`      // when
	Source  *ModuleSource  `json:"source,omitempty"`  // nil for none
	Servers []ModuleServer `json:"servers,omitempty"` // of tools for runs
	Content []ModuleFile   `json:"content,omitempty"` // only where one module is asked for
}

// A ModuleFile is a file or a link in the folder of a module.
type ModuleFile struct {
	Path    string `json:"path"` // from the folder
	Size    int64  `json:"size"`
	Program bool   `json:"program,omitempty"` // it is executable
	Link    string `json:"link,omitempty"`    // where a link leads
}

// A ModuleSource is a command that prints one event per line.
type ModuleSource struct {
	Command []string `json:"command"`
	EnvFile string   `json:"env_file,omitempty"`
	PID     int      `json:"pid,omitempty"`   // of its process, 0 if none runs
	Since   int64    `json:"since,omitempty"` // when that was started
	Next    int64    `json:"next,omitempty"`  // when it is started again
	Ends    int      `json:"ends,omitempty"`  // how often in a row it has ended by itself
	Why     string   `json:"why,omitempty"`   // it ended last
	Events  int      `json:"events"`          // that came of it, in all
	Last    int64    `json:"last,omitempty"`  // when the newest one came
	// Bad counts the lines that were no events since the module was enabled, and BadLine says what was
	// wrong with the newest one.
	Bad     int    `json:"bad,omitempty"`
	BadLine string `json:"bad_line,omitempty"`
}

// A ModuleServer offers tools to runs over MCP. It has a command or an address.
type ModuleServer struct {
	Name    string   `json:"name"` // as runs know it
	Command []string `json:"command,omitempty"`
	URL     string   `json:"url,omitempty"`
	EnvFile string   `json:"env_file,omitempty"`
	Fault   string   `json:"fault,omitempty"` // why runs do not get it although the module is enabled
}

// ModulesReply lists modules by name.
type ModulesReply struct {
	Modules []Module `json:"modules"`
	Folder  string   `json:"folder"` // that holds the folders of all modules
}

// ModuleFileRequest names a file of a module.
type ModuleFileRequest struct {
	ID   string `json:"id"`
	Path string `json:"path"`           // as in Module.Content
	Hash string `json:"hash,omitempty"` // of the folder that the file must belong to; "" is as it is
}

// ModuleFileReply is what the file holds.
type ModuleFileReply struct {
	Data []byte `json:"data"`
}

// ModuleEnableRequest enables the folder of a module as it is.
type ModuleEnableRequest struct {
	ID   string `json:"id"`
	Hash string `json:"hash,omitempty"` // of the folder that the person has seen; "" is as it is
}
