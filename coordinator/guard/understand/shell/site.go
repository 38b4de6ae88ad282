package shell

import "github.com/afar-sh/afar/coordinator/guard/pageaddr"

// A Site is the part of the place of a call that influences what the call does.
// Every field may be empty.
type Site struct {
	Cwd, Project, Home string
	Env                map[string]string // statically known environment
	Own                []string          // Afar's own directories and files
	Page               pageaddr.Page     // where Afar's page is served
	// FileText returns the text of a file that the call would run. It returns false
	// for a file that cannot be read. nil = no file can be read.
	FileText func(path string) (string, bool)
	ReadOnly bool // report everything that does more than read
	Confirm  bool // acts that reach other machines or people are reported, with Record
	Record   bool // keep the tree of commands
}
