// Package agentrun drives one turn of a run. It is what bin/agent-run does: it holds the
// lock of the conversation, starts the agent with a plain file as its output, reports what
// the agent does to the coordinator, and ends the agent's process group at the end.
//
// It may die at any moment. The agent then goes on, and another agentrun for the same turn
// finds the lock and the output.
package agentrun

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/afar-sh/afar/coordinator/client"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/child"
)

// The first argument of the program.
const (
	Launch = "start" // start the program again with Turn, in the background
	Turn   = "turn"  // drive a turn
	become = "exec"  // become the agent
)

// Main runs the program and returns its exit code.
func Main(args []string, getenv func(string) string) int {
	if err := dispatch(args, getenv); err != nil {
		fmt.Fprintln(os.Stderr, "agent-run:", err)
		return 1
	}
	return 0
}

var errUsage = errors.New("the coordinator starts this program: agent-run start RUN TURN")

func dispatch(args []string, getenv func(string) string) error {
	if len(args) < 3 {
		return errUsage
	}
	fence, err := strconv.ParseInt(args[2], 10, 64)
	if err != nil {
		return fmt.Errorf("%w: the number of the turn: %w", errUsage, err)
	}
	bin, err := home.Bin()
	if err != nil {
		return err
	}
	switch args[0] {
	case Launch:
		return launch(bin, args[1:3], getenv)
	case become:
		if len(args) < 4 {
			return errUsage
		}
		return becomeAgent(args[1], args[2], args[3:])
	case Turn:
		dirs, pinned, err := home.ForHook(bin, getenv)
		if err != nil {
			return err
		}
		for _, p := range dirs.Programs() {
			child.Use(p.Name, p.File)
		}
		return drive(newTurn(bin, dirs, pinned, getenv, args[1], fence))
	}
	return errUsage
}

func newTurn(
	bin string, dirs home.Dirs, pinned bool, getenv func(string) string, id string, fence int64,
) *turn {
	env := func() []string { return dirs.CoordinatorEnv(pinned, getenv) }
	return &turn{
		id:     id,
		fence:  fence,
		bin:    bin,
		dirs:   dirs,
		getenv: getenv,
		told:   make(chan os.Signal, 1),
		client: &client.Client{Dirs: dirs, Bin: bin, Env: env},
	}
}
