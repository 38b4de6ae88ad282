package callsite

import (
	"path/filepath"

	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/home"
)

// used are the programs that Afar starts by their names.
var used = [...]string{"git", "gh", "gzip", "claude", "codex", "gemini", "opencode"}

// programs returns a function that returns the files of the programs that Afar uses, with what links lead
// to, unless they lie where only an administrator writes, or in the project.
func programs(dirs home.Dirs, project string) func() []string {
	return func() (files []string) {
		for _, name := range used {
			file := program(dirs.Path, name)
			if file == "" || fspath.WithinAny(file, "/usr /bin /sbin /snap /nix /System") || fspath.Within(file, project) {
				continue
			}
			files = append(files, file)
			if real := newResolver().resolve(file); real != file {
				files = append(files, real)
			}
		}
		return files
	}
}

// folders returns the folders in which programs are looked up.
func folders(path string) (list []string) {
	for _, dir := range filepath.SplitList(path) {
		if filepath.IsAbs(dir) {
			list = append(list, filepath.Clean(dir))
		}
	}
	return list
}
