// Package callsite tells the guard where a call happens: which directories are
// Afar's own, which file a path names, and what git says about the work tree. The
// hooks and `afar guard explain` both use it, so that they see the same.
package callsite

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/policy"
)

// tempDirs lists the systems' directories for temporary files.
var tempDirs = []string{
	"/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/var/folders", "/private/var/folders",
}

// Context returns what is known about a call in cwd, in a session of project. bin
// is the directory of Afar's binaries. It reads only the policy files; everything
// else is read when the guard asks.
func Context(dirs home.Dirs, bin, cwd, project string) guard.Context {
	policies, files := policy.Files(dirs, cwd, project), newReader(dirs, cwd, project)
	git := repository{dirs: dirs}
	return guard.Context{
		Cwd:        cwd,
		Project:    project,
		Home:       dirs.User,
		Env:        map[string]string{"HOME": dirs.User, "PWD": cwd},
		Temp:       tempDirs,
		Own:        ownPaths(dirs, bin),
		Programs:   programs(dirs, project),
		Path:       folders(dirs.Path),
		Tasks:      dirs.Tasks(),
		Confirm:    confirms(dirs, project),
		Page:       page(dirs),
		Resolve:    newResolver().resolve,
		Git:        git.facts,
		Merged:     git.merged,
		FileText:   files.text,
		Members:    files.members,
		Kept:       git.kept(time.Now()),
		Exists:     exists,
		Older:      Older(""),
		Unsaved:    (&worktrees{git: git}).unsaved,
		Amendments: append([]guard.Amendment{guard.Self()}, policy.Amendments(policies)...),
		Broken:     policy.Warning(policies),
	}
}

// confirms reports whether the task in whose folder a project lies has each outward act
// confirmed. The coordinator makes the mark before the task's run starts.
func confirms(dirs home.Dirs, project string) bool {
	if !strings.Contains(filepath.ToSlash(project), "/tasks/") {
		return false // as nearly always: nothing is looked up
	}
	links := newResolver()
	for _, tasks := range [...]string{dirs.Tasks(), links.resolve(dirs.Tasks())} {
		for _, p := range [...]string{project, links.resolve(project)} {
			below, ok := strings.CutPrefix(p, tasks+string(filepath.Separator))
			slug, _, _ := strings.Cut(below, string(filepath.Separator))
			if ok && exists(filepath.Join(dirs.Confirms(), slug)) {
				return true
			}
		}
	}
	return false
}

// Broken returns what is wrong with the policy files for a session of project, in
// one line, "" for nothing.
func Broken(dirs home.Dirs, cwd, project string) string {
	return policy.Warning(policy.Files(dirs, cwd, project))
}

// ownPaths lists the paths that a session may not touch: Afar's files, and the parts of
// the plugin that the host loads. In a checkout of Afar the rest may be edited.
func ownPaths(dirs home.Dirs, bin string) []string {
	root := filepath.Dir(bin)
	return append(dirs.All(),
		filepath.Dir(dirs.Socket()),
		bin,
		filepath.Join(root, "plugin"),
		filepath.Join(root, ".claude-plugin"),
	)
}

// page returns where Afar's page is served. This machine's own name may lead to it, too.
func page(dirs home.Dirs) guard.Page {
	addr, hosts := dirs.Page()
	port := addr[strings.LastIndexByte(addr, ':')+1:] // package net costs every hook a tenth of its size
	p := guard.Page{Port: port, Hosts: hosts}
	if name, err := os.Hostname(); err == nil && name != "" {
		short, _, _ := strings.Cut(name, ".")
		p.Names = []string{name, short, short + ".local"}
	}
	return p
}
