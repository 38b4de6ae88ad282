package rules

import (
	"go/build"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestGuardStandsAlone: the guard imports nothing of Afar but itself, so that another program can use it.
// Its tests may.
func TestGuardStandsAlone(t *testing.T) {
	root := moduleRoot(t)
	module, packages := moduleName(t, root)+"/", 0
	err := filepath.WalkDir(filepath.Join(root, "coordinator/guard"), func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || d.Name() == "testdata" {
			return err
		}
		p, err := build.ImportDir(dir, 0)
		if _, none := err.(*build.NoGoError); none {
			return nil
		} else if err != nil {
			return err
		}
		packages++
		for _, path := range p.Imports {
			if strings.HasPrefix(path, module) && !strings.HasPrefix(path, module+"coordinator/guard/") {
				t.Errorf("%s imports %s", dir, path)
			}
		}
		return nil
	})
	if err != nil || packages < 10 {
		t.Errorf("%d packages, %v", packages, err)
	}
}
