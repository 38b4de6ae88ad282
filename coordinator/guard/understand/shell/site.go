package shell

// A Site is where a call runs, as far as it matters for what the call does. Every
// field may be empty.
type Site struct {
	Cwd, Project, Home string
	Env                map[string]string // statically known environment
	Own                []string          // Afar's own directories and files
	ReadOnly           bool              // report what does more than read
	Record             bool              // keep the tree of commands
}
