// Package birthmark gives processes a lasting mark that says that a session started them,
// and starts programs that carry the mark from their first instruction.
//
// The mark is a hard limit of file locks. Linux has not enforced that limit since 2.4, a
// child inherits it through fork, exec and setsid, and only root can raise a hard limit
// again. Other systems have no mark: there Of returns None, and the functions that set it
// do nothing.
//
// Every program that is not Afar's own, and that Afar starts for or because of a session,
// is started with the mark. The coordinator has the mark itself, so all that it starts inherits
// one. Other programs of Afar, and a coordinator that has none, start a program so:
//
//	cmd := exec.Command(path, args...)
//	// dir, environment, pipes as usual
//	birthmark.Mark(cmd, birthmark.Shell)
//	err := cmd.Start()
//
// A program with limits of time and output is a child.Program, which does this by
// itself. A new start of a program anywhere else fails a test, coordinator.TestStarts.
package birthmark

import (
	"math"
	"os"
	"os/exec"
	"strconv"
)

// A Level is the value of a mark. A lower level is further from the person. A process can
// only lower its own, and those of other processes of its user.
type Level uint64

// The levels, from the highest.
const (
	None      Level = math.MaxUint64 // no mark
	Client    Level = 7357358        // a client of the host and the coordinator, and what they start by themselves
	Shell     Level = 7357357        // a session's shell, and what Afar starts for a session
	Consulted Level = 7357356        // a model that is asked for its opinion
)

// Line is a line of shell code that gives a shell the level Shell. The shell reads it
// before its first command. The environment may define a function with any name for Bash.
// In POSIX mode such a function does not replace unset.
const Line = `POSIXLY_CORRECT=1; \unset -f ulimit; \unset POSIXLY_CORRECT; ` +
	`\ulimit -S -x 7357357 2>/dev/null && \ulimit -H -x 7357357 2>/dev/null || :` + "\n"

// starter is the name under which a program of Afar runs as the starter of a program that
// carries the mark. A session that starts it so gains nothing: it marks itself.
const starter = "afar-marked-start"

// self is the running program, also after its file was replaced.
const self = "/proc/self/exe"

// Mark changes a command that is not yet started, so that its program has at most this level
// from the beginning. If this process has a higher one, it is itself started in the place of the
// program, takes the mark, and becomes the program. Otherwise the program inherits the mark.
// A caller that changes Path or Args later changes the starter's.
func Mark(cmd *exec.Cmd, level Level) {
	if !Supported || cmd.Err != nil {
		return
	}
	if own, err := Of(os.Getpid()); err == nil && own <= level {
		return
	}
	args := []string{starter, strconv.FormatUint(uint64(level), 10), cmd.Path}
	cmd.Path, cmd.Args = self, append(args, cmd.Args...)
}

// init makes this process a starter if it was started as one.
func init() {
	if len(os.Args) > 3 && os.Args[0] == starter {
		become(os.Args[1], os.Args[2], os.Args[3:])
	}
}

// At returns the level of a hard limit of file locks.
func At(hard uint64) Level {
	for _, level := range []Level{Consulted, Shell, Client} {
		if hard <= uint64(level) {
			return level
		}
	}
	return None
}
