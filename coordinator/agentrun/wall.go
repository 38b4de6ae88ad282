package agentrun

import (
	"cmp"
	"fmt"
	"os"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/child"
	"github.com/afar-sh/afar/coordinator/internal/renewal"
	"github.com/afar-sh/afar/coordinator/ledger"
	"github.com/afar-sh/afar/coordinator/wall"
)

// wall returns the wall of the agent, which starts with the environment env, and its environment behind it.
func (t *turn) wall(program string, env []string) (w wall.Wall, behind []string, err error) {
	getenv := wall.From(env)
	p := wall.Place{
		Dirs: t.dirs, Dir: t.spec.Dir, Temp: getenv("TMPDIR"), Program: program, Session: t.spec.Conversation,
		Getenv: getenv,
	}
	if t.spec.Wall.Mode != "" && ledger.Begin(t.dirs.Calls(), t.spec.Conversation, time.Now()) == nil {
		file := ledger.File(t.dirs.Calls(), t.spec.Conversation)
		p.Own = append(p.Own, wall.Row{Path: file, Why: "Afar's record of its calls, which its hooks keep"})
	}
	p.Reads = []wall.Row{{Path: t.file("mcp"), Why: "the servers of its tools"}, {Path: t.bin, Why: "Afar's programs"}}
	if w, err = wall.New(p, t.spec.Wall); err != nil || !w.Exists() {
		return w, env, err
	}
	return w, p.Env(env), nil
}

// keepSignedIn renews the sign-in of an agent behind a wall as often as it is due. It returns when the agent can start.
func (t *turn) keepSignedIn() (stop func()) {
	none := func() {}
	if t.spec.Wall.Mode == "" || len(t.spec.Command) == 0 {
		return none
	}
	env, err := turnEnv(t.dirs, t.getenv, t.spec)
	if err != nil {
		return none // it is told when the agent starts
	}
	program, err := child.Find(t.spec.Command[0], t.dirs.Path, t.spec.Dir)
	if err != nil {
		return none
	}
	return renewal.Keep(cmp.Or(t.spec.Protocol, t.spec.Agent), program, t.dirs.User, env, func(err error) {
		fmt.Fprintln(os.Stderr, "afar:", err) // into the log of runners
	})
}
