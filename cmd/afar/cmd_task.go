package main

import (
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

func newTask(a *app) *cobra.Command {
	set := func(use, short, status string) *cobra.Command { return newTaskSet(a, use, short, status) }
	return group("task", "Work that goes on for days, each task in a folder of its own",
		newTaskNew(a), newTaskList(a), newTaskShow(a), newTaskStart(a), newTaskStop(a),
		set("done", "Set a task to COMPLETED", "COMPLETED"),
		set("reopen", "Set a task to IN PROGRESS again", "IN PROGRESS"),
		set("archive", "Set a task to ARCHIVED", "ARCHIVED"))
}

func newTaskNew(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "new TITLE", Short: "Create a task", Args: cobra.ArbitraryArgs,
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
		if len(args) == 0 {
			return in, usageError{errors.New("afar task new needs a title")}
		}
		in.Key, in.Title = rand.Text(), strings.Join(args, " ")
		return in, nil
	}, renderTaskNew)
}

func renderTaskNew(p *page, t wire.Task) {
	p.line("Task %s: %s", p.paint(bold, oneLine(t.ID, 40)), p.path(t.Dir))
	if t.Run == "" {
		p.line("Start it: afar task start %s", oneLine(t.ID, 40))
		return
	}
	renderTaskStarted(p, t)
}

func renderTaskStarted(p *page, t wire.Task) {
	p.line("%s Follow it: afar run log -f %s", wording.TaskDid("start", t), oneLine(t.Run, 40))
}

func newTaskList(a *app) *cobra.Command {
	c := &cobra.Command{Use: "list", Short: "List the tasks", Args: exactly()}
	return asking(a, c, wire.OpTasks, "tasks", nil, func(p *page, in wire.TasksReply) {
		things(p, view.Tasks, in.Tasks, view.Task)
	})
}

func newTaskShow(a *app) *cobra.Command {
	c := &cobra.Command{Use: "show SLUG", Short: "Show a task", Args: exactly("the name of a task (afar task list)"),
		Example: "afar task show move-the-site"}
	return asking(a, c, wire.OpTask, "the task", named, func(p *page, t wire.Task) {
		p.thing(view.Task(t))
	})
}

func day(millis int64) string { return time.UnixMilli(millis).Format(time.DateOnly) }

func newTaskStart(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "start SLUG", Short: "Let an agent work on a task", Args: exactly("the name of a task (afar task list)"),
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
		Args:    exactly("the name of a task (afar task list)"),
	}
	return asking(a, c, wire.OpTaskStop, "the task", named, func(p *page, t wire.Task) {
		p.line("Task %s is stopped. Start it again: afar task start %s", oneLine(t.ID, 40), oneLine(t.ID, 40))
	})
}

func newTaskSet(a *app, use, short, status string) *cobra.Command {
	c := &cobra.Command{Use: use + " SLUG", Short: short, Args: exactly("the name of a task (afar task list)"),
		Example: "afar task " + use + " move-the-site"}
	return asking(a, c, wire.OpTaskSet, "the task", func(args []string) (wire.TaskSetRequest, error) {
		return wire.TaskSetRequest{ID: args[0], Status: status}, nil
	}, func(p *page, t wire.Task) {
		p.line("Task %s: %s.", oneLine(t.ID, 40), oneLine(wording.TaskStatus(t), 60))
	})
}
