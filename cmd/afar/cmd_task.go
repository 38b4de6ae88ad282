package main

import (
	"crypto/rand"
	"strings"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

func newTask(a *app) *cobra.Command {
	return group("task", "Work that goes on for days, each task in a folder of its own",
		newTaskNew(a), listing(a, view.Tasks, "List the tasks", "tasks"), newTaskShow(a), newTaskStart(a),
		newTaskStop(a),
		newTaskSet(a, "done", "Set a task to COMPLETED", "COMPLETED"),
		newTaskSet(a, "reopen", "Set a task to IN PROGRESS again", "IN PROGRESS"),
		newTaskSet(a, "archive", "Set a task to ARCHIVED", "ARCHIVED"))
}

// taskName says what the argument of most commands is.
const taskName = "the name of a task (afar task list)"

func newTaskNew(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "new TITLE", Short: "Create a task", Args: atLeast("a title"),
		Example: "afar task new 'Move the site' -m 'The shop runs on the new host, and nobody notices' --start",
		Long: "Creates a task: a folder with state.md, which says what the task is and how far it is. " +
			"You may edit it at any\n" +
			"time. Only a person creates tasks. With --start an agent begins to work on it.",
	}
	var in wire.TaskNewRequest
	c.Flags().StringVarP(&in.Objective, "objective", "m", "", "a `text` of what shall be reached (the title)")
	c.Flags().StringVar(&in.Agent, "agent", "", "the `program` that works on it: claude")
	c.Flags().BoolVar(&in.Confirm, "confirm", false,
		"ask me before each act that reaches others: network, push, message")
	c.Flags().BoolVar(&in.Start, "start", false, "begin to work on it")
	return asking(a, c, wire.OpTaskNew, "the task", func(args []string) (wire.TaskNewRequest, error) {
		in.Key, in.Title = rand.Text(), strings.Join(args, " ")
		return in, nil
	}, renderTaskNew)
}

func renderTaskNew(p *terminal.Page, t wire.Task) {
	p.Line("Task %s: %s", p.Paint(terminal.Bold, t.ID), p.Path(t.Dir))
	if t.Run == "" {
		p.Say("Start it: afar task start %s", t.ID)
		return
	}
	renderTaskStarted(p, t)
}

func renderTaskStarted(p *terminal.Page, t wire.Task) {
	p.Say("%s Follow it: afar run log -f %s", wording.TaskDid("start", t), t.Run)
}

func newTaskShow(a *app) *cobra.Command {
	return showing(a, view.Tasks, "the task", &cobra.Command{
		Use: "show SLUG", Short: "Show a task", Args: exactly(taskName), Example: "afar task show move-the-site",
	})
}

func newTaskStart(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "start SLUG", Short: "Let an agent work on a task", Args: exactly(taskName),
		Example: "afar task start move-the-site",
	}
	return asking(a, c, wire.OpTaskStart, "the task", func(args []string) (wire.TaskStartRequest, error) {
		return wire.TaskStartRequest{Key: rand.Text(), ID: args[0]}, nil
	}, renderTaskStarted)
}

func newTaskStop(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "stop SLUG", Short: "Stop a task: nothing but you starts it again",
		Example: "afar task stop move-the-site",
		Args:    exactly(taskName),
	}
	return asking(a, c, wire.OpTaskStop, "the task", named, func(p *terminal.Page, t wire.Task) {
		p.Say("Task %s is stopped. Start it again: afar task start %s", t.ID, t.ID)
	})
}

func newTaskSet(a *app, use, short, status string) *cobra.Command {
	c := &cobra.Command{Use: use + " SLUG", Short: short, Args: exactly(taskName),
		Example: "afar task " + use + " move-the-site"}
	return asking(a, c, wire.OpTaskSet, "the task", func(args []string) (wire.TaskSetRequest, error) {
		return wire.TaskSetRequest{ID: args[0], Status: status}, nil
	}, func(p *terminal.Page, t wire.Task) {
		p.Say("Task %s: %s.", t.ID, wording.TaskStatus(t))
	})
}
