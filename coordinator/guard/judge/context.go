package judge

// Context is what is known about the place of the call. Every field may be
// empty; the judge then assumes the worse case.
type Context struct {
	Cwd, Project, Home string            // absolute, cleaned
	Env                map[string]string // statically known environment (HOME, TMPDIR, ...)
	Temp               []string          // temp directories
	// Own names Afar's own directories and files (bin, config, state, runtime,
	// plugin root): they are protected.
	Own     []string
	Resolve func(path string) string  // symlink resolution; nil = identity
	Git     func(dir string) GitFacts // lazy; nil = unknown. Never needed for a deny in itself
	// Merged says whether all commits of a branch are in the current one; false
	// when nobody looked, and nil = unknown.
	Merged func(dir, branch string) bool
	// Created says whether the session made a tree and all that lies in it; false
	// when nobody looked, and nil = unknown.
	Created func(path string) bool
	// Amendments are the policy files in force, the person's before the project's.
	Amendments []Amendment
	// Broken says what is wrong with policy files that are void, "" for nothing.
	// The person reads of it with each verdict.
	Broken string
	// ReadOnly denies what does more than read, or is not known to do no more.
	ReadOnly bool
	Steps    bool // Decision.Steps and Opinions are wanted
}

// GitFacts describe the repository that holds a directory. Known is false
// when nobody looked; every other field is then meaningless.
type GitFacts struct {
	Known           bool
	Dirty           bool // tracked files differ from the last commit
	Untracked       bool // files that git neither tracks nor ignores
	Branch, Default string
	HasRemote       bool
}
