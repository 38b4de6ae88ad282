package config

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// A Setting is one key with its value in force, for people.
type Setting struct {
	Key, Value string
	Default    bool // the file does not set it
}

// Settings returns all keys in the order of the documentation.
func (c Config) Settings() []Setting {
	all, usual := c.settings(), Default().settings()
	for i := range all {
		all[i].Default = all[i] == usual[i]
	}
	return append(all, c.Agents.settings()...)
}

func (c Config) settings() []Setting {
	claude, _ := c.Agents.Of("claude")
	return []Setting{
		{Key: "telegram.api", Value: c.Telegram.API},
		{Key: "web.addr", Value: c.Web.Addr},
		{Key: "web.hosts", Value: cmp.Or(strings.Join(c.Web.Hosts, ", "), "none")},
		{Key: "web.hooks_addr", Value: c.Web.HooksAddr},
		{Key: "checkin.hold", Value: c.CheckIn.Hold.String()},
		{Key: "asks.grace", Value: c.Asks.Grace.String()},
		{Key: "asks.attended", Value: c.Asks.Attended.String()},
		{Key: "asks.unattended", Value: c.Asks.Unattended.String()},
		{Key: "asks.subagent", Value: c.Asks.Subagent.String()},
		{Key: "asks.grant", Value: c.Asks.Grant.String()},
		{Key: "quiet.from", Value: cmp.Or(c.Quiet.From.String(), "none")},
		{Key: "quiet.to", Value: cmp.Or(c.Quiet.To.String(), "none")},
		{Key: "quiet.zone", Value: cmp.Or(c.Quiet.Zone, "the machine's")},
		{Key: "report.daily", Value: cmp.Or(c.Report.Daily.String(), "none")},
		{Key: "escalation.after", Value: orNever(c.Escalation.After)},
		{Key: "escalation.chat", Value: number(c.Escalation.Chat)},
		{Key: "loop.day_budget", Value: dollars(c.Loop.DayBudget)},
		{Key: "loop.trace", Value: strconv.FormatBool(c.Loop.Trace)},
		{Key: "loop.retry_after", Value: c.Loop.RetryAfter.String()},
		{Key: "loop.shells_for", Value: c.Loop.ShellsFor.String()},
		{Key: "issues.tracker", Value: cmp.Or(c.Issues.Tracker, "found out for each project")},
		{Key: "issues.push", Value: strconv.FormatBool(c.Issues.Push)},
		{Key: "issues.review", Value: c.Issues.Review},
		{Key: "consult.programs", Value: strings.Join(c.Consult.Programs, ", ")},
		{Key: "consult.timeout", Value: c.Consult.Timeout.String()},
		{Key: "runs.max", Value: strconv.Itoa(c.Runs.Max)},
		{Key: "runs.mode", Value: c.Runs.Mode},
		{Key: "runs.hold", Value: c.Runs.Hold.String()},
		{Key: "runs.day_budget", Value: dollars(c.Runs.DayBudget)},
		{Key: "runs.silence", Value: c.Runs.Silence.String()},
		{Key: "runs.ending", Value: c.Runs.Ending.String()},
		{Key: "runs.leaving", Value: c.Runs.Leaving.String()},
		{Key: "runs.starting", Value: c.Runs.Starting.String()},
		{Key: "runs.depth", Value: strconv.Itoa(c.Runs.Depth)},
		{Key: "runs.wall", Value: c.Runs.Wall},
		{Key: "wall.write", Value: cmp.Or(strings.Join(c.Wall.Write, ", "), "none")},
		{Key: "wall.read", Value: cmp.Or(strings.Join(c.Wall.Read, ", "), "none")},
		{Key: "wall.hide", Value: cmp.Or(strings.Join(c.Wall.Hide, ", "), "none")},
		{Key: "sweep.every", Value: orOff(Duration(c.Sweep.Every))},
		{Key: "background.budget", Value: fmt.Sprintf("$%.2f", c.Background.Budget)},
		{Key: "background.program", Value: c.Background.Program},
		{Key: "background.timeout", Value: c.Background.Timeout.String()},
		{Key: "memory.projects", Value: cmp.Or(strings.Join(c.Memory.Projects, ", "), "none")},
		{Key: "memory.extract", Value: strconv.FormatBool(c.Memory.Extract)},
		{Key: "agents.claude.command", Value: strings.Join(claude.Command, " ")},
		{Key: "agents.claude.env_file", Value: cmp.Or(claude.EnvFile, "none")},
		{Key: "answers_from", Value: cmp.Or(strings.Join(c.AnswersFrom.Names(), ", "), "every channel")},
	}
}

func orNever(d Duration) string {
	if d == 0 {
		return "never"
	}
	return d.String()
}

func orOff(d Duration) string {
	if d == 0 {
		return "off"
	}
	return d.String()
}

func number(n int64) string {
	if n == 0 {
		return "none"
	}
	return strconv.FormatInt(n, 10)
}

func dollars(usd float64) string {
	if usd == 0 {
		return "no limit"
	}
	return fmt.Sprintf("$%.2f", usd)
}
