package config

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
)

// Runs is the table [runs].
type Runs struct {
	// Max is how many turns run at once.
	Max int `toml:"max"`
	// Mode is the permission mode of a run that names none.
	Mode string `toml:"mode"`
}

// RunsByDefault are the defaults of [runs].
var RunsByDefault = Runs{Max: 3, Mode: "auto"}

// maxRuns bounds runs.max: each turn is a whole agent.
const maxRuns = 50

// runModes are the permission modes of a run. None of them asks for nothing.
var runModes = []string{"auto", "acceptEdits", "manual", "plan"}

func (r Runs) check() error {
	if r.Max < 1 || r.Max > maxRuns {
		return fmt.Errorf("runs.max must be between 1 and %d, not %d", maxRuns, r.Max)
	}
	if !slices.Contains(runModes, r.Mode) {
		return fmt.Errorf("unknown runs.mode %q; want one of %q", r.Mode, runModes)
	}
	return nil
}

// Agent is a table [agents.NAME].
type Agent struct {
	// Command is the agent's program, with arguments that every turn gets.
	Command []string `toml:"command"`
	// EnvFile holds lines KEY=VALUE for the agent's environment.
	EnvFile string `toml:"env_file"`
}

// Agents are the tables [agents.NAME], by name.
type Agents map[string]Agent

// agentName is the form of an agent's name.
var agentName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)

func (all Agents) check() error {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		a := all[name]
		switch {
		case !agentName.MatchString(name):
			return fmt.Errorf("unknown form of agent %q; want letters a-z, digits and dashes", name)
		case a.EnvFile != "" && !filepath.IsAbs(a.EnvFile):
			return fmt.Errorf("agents.%s.env_file must be an absolute path, not %q", name, a.EnvFile)
		case len(a.Command) > 0 && a.Command[0] == "":
			return errors.New("agents." + name + ".command must begin with a program")
		}
	}
	return nil
}

// Of returns the settings of an agent. Its command is at least its name.
func (all Agents) Of(name string) Agent {
	a := all[name]
	if len(a.Command) == 0 {
		a.Command = []string{name}
	}
	return a
}
