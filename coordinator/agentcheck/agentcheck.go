// Package agentcheck checks whether the agents of runs can work in the environment that the
// coordinator gives them: whether PATH finds their programs, and they find their credentials.
package agentcheck

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/afar-sh/afar/coordinator/agentrun"
	"github.com/afar-sh/afar/coordinator/config"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host/agents"
	"github.com/afar-sh/afar/coordinator/internal/child"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// A Place is where agents are started: by a coordinator with these directories and this
// environment.
type Place struct {
	Dirs   home.Dirs
	Getenv func(string) string
}

// Checks checks all agents at once. It starts each program to ask it for its version. An agent
// that nobody set up and that is not installed has no check.
func (p Place) Checks(ctx context.Context, agents config.Agents) []wire.Check {
	names := agents.Names()
	found := make([]*wire.Check, len(names))
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() {
			set, _ := agents.Of(name)
			_, wanted := agents[name]
			found[i] = p.check(ctx, name, set, wanted)
		})
	}
	all.Wait()
	var checks []wire.Check
	for _, c := range found {
		if c != nil {
			checks = append(checks, *c)
		}
	}
	return checks
}

// usual is the agent of a run that names none.
const usual = "claude"

// versionFor bounds the question for a version.
const versionFor = 3 * time.Second

// check returns nil for an agent that nobody set up and that is absent.
func (p Place) check(ctx context.Context, name string, set config.Agent, wanted bool) *wire.Check {
	env, err := agentrun.Env(p.Dirs, p.Getenv, set.EnvFile)
	if err != nil {
		return bad(name, err.Error(), "mend the file that agents."+name+".env_file names")
	}
	vars := entries(env)
	path, err := child.Find(set.Command[0], vars["PATH"], "")
	if err != nil {
		return p.absent(name, set.Command[0], vars["PATH"], wanted)
	}
	for _, needed := range []string{"HOME", "USER"} {
		if vars[needed] == "" {
			return bad(name, needed+" is not set for agents",
				"afar restart in a shell that has it, or afar install-service")
		}
	}
	version, err := versionOf(ctx, path, env)
	if err != nil {
		return bad(name, path+" does not start for the coordinator: "+err.Error(),
			"type `"+path+" --version` and see; afar install-service gives the coordinator the PATH of your shell")
	}
	said := path + ", " + version
	if last := agentrun.LastOf(p.Dirs, name); last.Differs(path, version) {
		said += "; it was replaced since its last turn, which ran " + last.Path + ", " + last.About
		return off(name, said+abilities(set), "nothing to do if you updated it")
	}
	where, err := credentials(set.Protocol, p.Dirs, vars)
	switch {
	case err != nil:
		return off(name, said+"; "+err.Error()+abilities(set), signIn(set.Protocol, name))
	case where != "":
		said += ", signs in with " + where
	}
	return &wire.Check{ID: id(name), State: "ok", Text: said + abilities(set)}
}

// abilities says what an agent can do, after what else is said of it.
func abilities(set config.Agent) string {
	adapter, err := agents.Speaking(set.Protocol)
	if err != nil {
		return "" // the settings are refused for it
	}
	return "; " + wording.RunAbilities(wire.RunAbilities(adapter.Abilities(filepath.Base(set.Command[0]))))
}

// absent says that a program is not found. That is no fault of an agent that nobody set up and
// that never ran.
func (p Place) absent(name, program, path string, wanted bool) *wire.Check {
	said := program + " is not on the PATH of the coordinator, " + cmp.Or(path, "which is empty")
	fix := "install it, or name its path: " +
		"[agents." + name + "] command = [\"/path/to/" + filepath.Base(program) + "\"]; " +
		"then afar restart, or afar install-service if the service starts it"
	last := agentrun.LastOf(p.Dirs, name)
	switch {
	case last.Path != "":
		return bad(name, said+"; its last turn ran "+last.Path+", "+last.About, fix)
	case wanted:
		return bad(name, said, fix)
	case name == usual:
		return off(name, said, fix)
	}
	return nil
}

func id(name string) string { return "agent " + name }

func bad(name, text, fix string) *wire.Check {
	return &wire.Check{ID: id(name), State: "bad", Text: text, Fix: fix}
}

func off(name, text, fix string) *wire.Check {
	return &wire.Check{ID: id(name), State: "off", Text: text, Fix: fix}
}

// entries returns an environment as a table.
func entries(env []string) map[string]string {
	table := map[string]string{}
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		table[name] = value
	}
	return table
}

// versionOf returns what a program says of its version, in one line.
func versionOf(ctx context.Context, path string, env []string) (string, error) {
	p := child.Program{
		Path:  path,
		Args:  []string{"--version"},
		Dir:   "/",
		Env:   env,
		Limit: versionFor,
		Grace: time.Second,
		Most:  1 << 10,
	}
	out, err := p.Run(ctx)
	if err != nil {
		return "", fmt.Errorf("%w %s", err, text.ClipBytes(text.Fold(out.Said), 200))
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(out.Text)), "\n")
	return cmp.Or(text.ClipBytes(text.Fold(first), 60), "which says no version"), nil
}

// Missing returns the agents whose programs a PATH does not find, of those that are set up or
// that another PATH finds.
func Missing(agents config.Agents, path, other string) (names []string) {
	for _, name := range agents.Names() {
		set, _ := agents.Of(name)
		_, wanted := agents[name]
		_, absent := child.Find(set.Command[0], path, "")
		_, absentThere := child.Find(set.Command[0], other, "")
		if absent != nil && (wanted || absentThere == nil) {
			names = append(names, name)
		}
	}
	return names
}
