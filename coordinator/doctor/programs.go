package doctor

import (
	"path/filepath"
	"strings"

	"github.com/afar-sh/afar/coordinator/wire"
)

// programs names the programs of others that Afar starts from folders that sessions may write. That is
// no fault: the installer of Claude Code itself uses such a folder, and the guard protects the files. An
// update by their own installer changes nothing here. It returns nothing if there is none.
func (x Exam) programs() []wire.Check {
	var named []string
	for _, p := range x.Dirs.Programs() {
		if p.IsSystems() {
			continue
		}
		said := p.File
		if real, err := filepath.EvalSymlinks(p.File); err == nil && real != p.File {
			said += " → " + real
		}
		named = append(named, said)
	}
	if len(named) == 0 {
		return nil
	}
	return []wire.Check{ok("programs", "Afar starts these from folders that sessions may write, and the guard "+
		"protects them: %s", strings.Join(named, ", "))}
}
