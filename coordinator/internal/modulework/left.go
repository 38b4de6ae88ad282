package modulework

import (
	"os"

	"github.com/afar-sh/afar/coordinator/internal/module"
	"github.com/afar-sh/afar/coordinator/peer"
)

// sourceMark returns the entry in the environment of the source of a module that finds everything it
// has started. It names one module of one home.
func (w *Worker) sourceMark(name module.Name) string {
	return "AFAR_MODULE_SOURCE=" + w.cfg.Dirs.ModuleData(string(name))
}

// mostRounds bounds how often the processes are searched for those that start others meanwhile.
const mostRounds = 5

// endLeft kills what the source of a module has left behind outside its process group. Only a
// process that was started without the mark goes on.
func (w *Worker) endLeft(name module.Name) {
	for range mostRounds {
		pids := peer.WithEnv(w.sourceMark(name))
		if len(pids) == 0 {
			return
		}
		for _, pid := range pids {
			if p, err := os.FindProcess(pid); err == nil {
				_ = p.Kill() // it may have ended
			}
		}
	}
}
