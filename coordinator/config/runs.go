package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/wall"
)

// Runs is the table [runs].
type Runs struct {
	// Max is how many turns run at once.
	Max int `toml:"max"`
	// Mode is the permission mode of a run that names none.
	Mode string `toml:"mode"`
	// Hold is how long a turn waits for a person before its call is parked and its process
	// ends.
	Hold Duration `toml:"hold"`
	// DayBudget is how much all runs together may spend in one day of the local calendar,
	// in US dollars; 0 means no limit.
	DayBudget float64 `toml:"day_budget"`
	// Silence is how long an agent may print nothing, Ending how long it may take to its
	// result after its last words, Leaving to its exit after that, and Starting to start.
	Silence  Duration `toml:"silence"`
	Ending   Duration `toml:"ending"`
	Leaving  Duration `toml:"leaving"`
	Starting Duration `toml:"starting"`
	// Depth is how many levels of runs may be below what a person started.
	Depth int `toml:"depth"`
	// Wall says whether runs, and what else works while nobody looks, are behind a wall.
	Wall string `toml:"wall"`
}

// runsByDefault are the defaults of [runs].
var runsByDefault = Runs{
	Max:      3,
	Mode:     run.Auto,
	Hold:     Duration(10 * time.Minute),
	Silence:  Duration(10 * time.Minute),
	Ending:   Duration(5 * time.Minute),
	Leaving:  Duration(10 * time.Second),
	Starting: Duration(5 * time.Second),
	Depth:    2,
	Wall:     wall.On,
}

// minClock is the shortest time of a clock.
const minClock = Duration(100 * time.Millisecond)

// The bounds of runs.max and runs.depth: each turn is a whole agent.
const (
	maxRuns  = 50
	maxDepth = 5
)

func (r Runs) check() error {
	if r.Max < 1 || r.Max > maxRuns {
		return fmt.Errorf("runs.max must be between 1 and %d, not %d", maxRuns, r.Max)
	}
	if r.Depth < 0 || r.Depth > maxDepth {
		return fmt.Errorf("runs.depth must be between 0 and %d, not %d", maxDepth, r.Depth)
	}
	if !slices.Contains(run.Modes(), r.Mode) {
		return fmt.Errorf("unknown runs.mode %q; want one of %q", r.Mode, run.Modes())
	}
	if !slices.Contains(wall.Modes(), r.Wall) {
		return fmt.Errorf("unknown runs.wall %q; want one of %q", r.Wall, wall.Modes())
	}
	if !(r.DayBudget >= 0 && r.DayBudget <= 1e6) {
		return errors.New("runs.day_budget must be an amount in US dollars, 0 for no limit")
	}
	return errors.Join(
		r.Hold.checkRange("runs.hold", minClock, MaxWait),
		r.Silence.checkRange("runs.silence", minClock, MaxWait),
		r.Ending.checkRange("runs.ending", minClock, MaxWait),
		r.Leaving.checkRange("runs.leaving", minClock, Duration(10*time.Minute)),
		r.Starting.checkRange("runs.starting", minClock, Duration(10*time.Minute)),
	)
}

// Agent is a table [agents.NAME].
type Agent struct {
	// Protocol is what the agent speaks. It is the name of an agent that Afar knows.
	Protocol string `toml:"protocol"`
	// Command is the agent's program, with arguments that every turn gets.
	Command []string `toml:"command"`
	// EnvFile holds lines KEY=VALUE for the agent's environment.
	EnvFile string `toml:"env_file"`
}

// ACP is the protocol of the agents that Afar does not know by name.
const ACP = "acp"

// knownAgents are the agents that need no table: each has its own protocol and program.
var knownAgents = []string{"claude", "codex"}

// Agents are the tables [agents.NAME], by name.
type Agents map[string]Agent

func (all Agents) check() error {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if err := all[name].check(name); err != nil {
			return err
		}
	}
	return nil
}

func (a Agent) check(name string) error {
	want := ACP
	if slices.Contains(knownAgents, name) {
		want = name
	}
	switch {
	case !run.IsName(name):
		return fmt.Errorf("unknown form of agent %q; want letters a-z, digits and dashes", name)
	case want == ACP && a.Protocol == "":
		return fmt.Errorf("agents.%s needs protocol = %q", name, ACP)
	case a.Protocol != "" && a.Protocol != want:
		return fmt.Errorf("unknown agents.%s.protocol %q; want %q", name, a.Protocol, want)
	case want == ACP && len(a.Command) == 0:
		return fmt.Errorf("agents.%s needs a command: its program and arguments", name)
	case a.EnvFile != "" && !filepath.IsAbs(a.EnvFile):
		return fmt.Errorf("agents.%s.env_file must be an absolute path, not %q", name, a.EnvFile)
	case len(a.Command) > 0 && a.Command[0] == "":
		return fmt.Errorf("agents.%s.command must begin with a program", name)
	}
	return nil
}

// Of returns the settings of an agent, and false if there is none with that name.
func (all Agents) Of(name string) (a Agent, ok bool) {
	a, ok = all[name]
	if known := slices.Contains(knownAgents, name); known {
		a.Protocol, ok = name, true
		if len(a.Command) == 0 {
			a.Command = []string{name}
		}
	}
	return a, ok
}

// Names returns the names of all agents, sorted.
func (all Agents) Names() []string {
	names := slices.AppendSeq(slices.Clone(knownAgents), maps.Keys(all))
	slices.Sort(names)
	return slices.Compact(names)
}

// settings returns the keys of the agents that Afar does not know by name.
func (all Agents) settings() (keys []Setting) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if slices.Contains(knownAgents, name) {
			continue
		}
		a := all[name]
		keys = append(keys,
			Setting{Key: "agents." + name + ".protocol", Value: a.Protocol},
			Setting{Key: "agents." + name + ".command", Value: strings.Join(a.Command, " ")},
			Setting{Key: "agents." + name + ".env_file", Value: cmp.Or(a.EnvFile, "none")},
		)
	}
	return keys
}
