package callsite

import (
	"path/filepath"
	"slices"
	"strings"

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
			if file == "" || isSystems(file) || strings.HasPrefix(file, project+"/") {
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

// isSystems reports whether only an administrator writes where a program lies.
func isSystems(file string) bool {
	below, _, _ := strings.Cut(strings.TrimPrefix(file, "/"), "/")
	return slices.Contains([]string{"usr", "bin", "sbin", "snap", "nix", "System"}, below)
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
