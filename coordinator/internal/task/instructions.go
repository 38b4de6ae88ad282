package task

import (
	"strings"
)

// rules are what each run of a task is told about its folder.
const rules = `## Rules

- This folder is yours: ` + "`state.md`" + ` says how far the task is, ` + "`artifacts/`" + ` holds what you make.
- Keep ` + "`state.md`" + ` true and short: Completed, Remaining, and below ` + "`## Current State`" + ` the lines
  ` + "`STATUS: IN PROGRESS`" + ` (or WAITING, BLOCKED, COMPLETED) and ` + "`Last action: YYYY-MM-DD`" +
	`. Leave other sections as they are.
- If you can do nothing before somebody else acts, set ` + "`STATUS: WAITING`" +
	` and write below ` + "`## Waiting For`" + ` for what,
  with a line ` + "`NEXT ACTION: YYYY-MM-DD`" + `. Then end your turn. Afar removes that section when the task goes on.
- If you need a decision of the person, write ` + "`checkpoint.md`" + ` and end your turn:
  ` + "`# Checkpoint: TITLE`, `## What I Did`, `## What I Need From You`, `## Details`, `## Options`" + ` with lines
  ` + "`1. [Label] → what happens then`" + `.
- You cannot create tasks, and the folders of other tasks are not yours.
- This file is written by Afar before each start; what you write into it is lost.
`

// confirmed is what the run of a task is told whose outward acts are asked about.
const confirmed = `- The person confirms each act that reaches others: a network client, a push, ` +
	`a message, a tool that writes elsewhere.
  After three refusals in a row, write ` + "`checkpoint.md`" + ` and end your turn.
`

// An About is what a run of a task is told besides its task.
type About struct {
	Identity string // who works here, as the person wrote it
	Soul     string // and how
	Memory   string // what is known, as data
	Confirm  bool   // the person is asked about each act that reaches others
}

// Instructions returns the CLAUDE.md of a task's folder.
func Instructions(s State, about About) string {
	var b strings.Builder
	b.WriteString("# Task: " + s.Title + "\n\n## Objective\n\n" + s.Objective + "\n\n" + rules)
	if about.Confirm {
		b.WriteString(confirmed)
	}
	if long := s.Long(); long != "" {
		b.WriteString("- " + long + ". Do that first.\n")
	}
	for _, part := range [][2]string{
		{"Contacts", s.Contacts},
		{"Who works here", untitled(about.Identity)},
		{"How work is done here", untitled(about.Soul)},
		{"Memory", about.Memory},
	} {
		if text := strings.TrimSpace(part[1]); text != "" {
			b.WriteString("\n## " + part[0] + "\n\n" + text + "\n")
		}
	}
	return b.String()
}

// untitled returns a text without the title that it begins with.
func untitled(text string) string {
	text = strings.TrimSpace(text)
	if first, below, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "# ") {
		return below
	}
	return text
}

// Prompts returns the first prompt of a task, which holds its objective, and the one with
// which a later start goes on.
func Prompts(s State) (first, next string) {
	first = "Work on the task of this folder. Its objective:\n\n" + s.Objective +
		"\n\nRead CLAUDE.md and state.md first. Keep state.md true, and end your turn when the task is completed, " +
		"waits, or needs a decision."
	next = "Go on with the task of this folder. Read CLAUDE.md and state.md again: both may have changed."
	return first, next
}
