package main

import (
	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/agentguard"
)

func newGuardInstall(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "install", Short: "Let the guard judge the calls of another agent's own terminal", Args: exactly(),
		Example: "afar guard install --for codex",
		Long: "Writes a hook into the settings of codex, copilot, cursor, gemini or opencode. The guard then judges each\n" +
			"call of that agent as it does in Claude Code: it denies, and what it asks about is asked on the phone. The\n" +
			"agent's own questions stay. docs/guard-agents.md says what each agent does when the hook fails.",
	}
	name := forAgent(c)
	c.RunE = func(*cobra.Command, []string) error {
		agent, file, err := a.guarded(*name)
		if err != nil {
			return err
		}
		a.tell("Writing the guard's hook into %s", file)
		if err := agent.Install(file, a.bin); err != nil {
			return err
		}
		if agent.OpenWhen != "" {
			a.tell("%s runs a call unjudged when %s.", agent.Name, agent.OpenWhen)
		}
		if agent.Next != "" {
			a.tell("Now %s.", agent.Next)
		}
		return nil
	}
	return c
}

func newGuardRemove(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "remove", Short: "Take the guard's hook out of another agent's settings", Args: exactly(),
		Example: "afar guard remove --for codex",
	}
	name := forAgent(c)
	c.RunE = func(*cobra.Command, []string) error {
		agent, file, err := a.guarded(*name)
		if err != nil {
			return err
		}
		if err := agent.Remove(file); err != nil {
			return err
		}
		a.tell("%s has no hook of Afar's in %s", agent.Name, file)
		return nil
	}
	return c
}

func forAgent(c *cobra.Command) *string {
	return c.Flags().String("for", "", "the `agent`: codex, copilot, cursor, gemini or opencode")
}

// guarded returns an agent and its settings file.
func (a *app) guarded(name string) (agent agentguard.Agent, file string, err error) {
	if name == "" {
		return agent, "", usage("--for is missing: name the agent")
	}
	if agent, err = agentguard.Named(name); err != nil {
		return agent, "", usageError{err}
	}
	dirs, err := a.dirs()
	return agent, agent.File(dirs.User, a.getenv), err
}
