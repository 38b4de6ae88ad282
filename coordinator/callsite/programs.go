package callsite

import (
	"path/filepath"
	"strings"

	"github.com/afar-sh/afar/coordinator/home"
)

// programs returns a function that returns the files of the programs that Afar starts, with what links
// lead to, unless they lie where only an administrator writes, or in the project.
func programs(dirs home.Dirs, project string) func() []string {
	return func() (files []string) {
		for _, p := range dirs.Programs() {
			if p.IsSystems() || strings.HasPrefix(p.File, project+"/") {
				continue
			}
			files = append(files, p.File)
			if real := newResolver().resolve(p.File); real != p.File {
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
