package judge

import "github.com/afar-sh/afar/coordinator/guard/pageaddr"

// Context is what is known about the place of the call. Every field may be
// empty. The judge then assumes the worse case.
type Context struct {
	Cwd, Project, Home string            // absolute, cleaned
	Env                map[string]string // statically known environment (HOME, TMPDIR, ...)
	Temp               []string          // temp directories
	// Own lists Afar's own directories and files (bin, config, state, runtime,
	// plugin root), which are protected.
	Own []string
	// Programs returns the files of the programs that Afar starts, such as git, as far as others may write
	// them. They are protected as Afar's own. Programs may be nil.
	Programs func() []string
	Path     []string // the folders in which programs are looked up by their names
	// Tasks is the folder with a folder for each task. It lies in one of Own. A session
	// whose project is in the folder of a task works on that task.
	Tasks   string
	Page    pageaddr.Page             // where Afar's page is served
	Resolve func(path string) string  // symlink resolution; nil = identity
	Git     func(dir string) GitFacts // lazy; nil = unknown. No deny depends on it alone
	// Merged reports whether a commit, such as HEAD, has all commits of branch, or there is no such
	// branch. It returns false if that is not known. Merged may be nil.
	Merged func(dir, commit, branch string) bool
	// Created reports whether the session made a tree and everything in it. It
	// returns false if that is not known. Created may be nil.
	Created func(path string) bool
	// FileText returns the text of a file that the call would run. It returns false
	// for a file that is missing, too large or no text. For a path with a slash at the
	// end it returns the names in a directory, one a line; those of directories end with a
	// slash. FileText may be nil: then the guard judges the words of the call alone.
	FileText func(path string) (string, bool)
	// Members returns the names of the files in an archive, one a line. It returns false if
	// the file is not a readable archive. Members may be nil.
	Members func(path string) (string, bool)
	// Skills reports whether the client puts the commands in the text of skills and commands to
	// the guard when it runs them. nil = it does not.
	Skills func() bool
	// Kept reports whether a file is as in the last commit before the session began.
	// It returns false if that is not known. Kept may be nil.
	Kept func(path string) bool
	// Exists reports whether a file is at a path; with a slash at the end, whether
	// anything is there. It returns true if that cannot be found out. nil = not known.
	Exists func(path string) bool
	// Older reports whether the file at a path was last changed before the session
	// began; with a slash at the end, whether anything in it was. nil = not known.
	Older func(path string) bool
	// Unsaved returns the files of the repository around a path that no commit has as they
	// are. It returns nil if that is not known. Unsaved may be nil.
	Unsaved func(path string) []Unsaved
	// Confirm asks about each act that reaches other machines or other people.
	Confirm bool
	// Amendments are the policy files in force, the person's before the project's.
	Amendments []Amendment
	// Broken says what is wrong with the broken policy files, "" if none is. The
	// person is told of it with each verdict.
	Broken string
	// ReadOnly denies every call that does more than read, or that may.
	ReadOnly bool
	// Walled says that the kernel bounds the files of the call, and that what it may destroy is saved first.
	Walled bool
	Steps  bool // Decision.Steps and Opinions are wanted
}

// An Unsaved is a file of a work tree that is changed, untracked or only in the index.
type Unsaved struct {
	Path      string // absolute; an untracked directory ends with a slash
	Untracked bool
	Staged    bool // the index has it as it is
}

// GitFacts describe the repository that holds a directory. If Known is false,
// the other fields mean nothing.
type GitFacts struct {
	Known           bool
	Dirty           bool // tracked files differ from the last commit
	Untracked       bool // files that git neither tracks nor ignores
	Branch, Default string
	HasRemote       bool
}
