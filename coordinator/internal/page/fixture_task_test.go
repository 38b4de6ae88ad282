package page_test

import (
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/wire"
)

// aTask returns a task that a person has created.
func aTask(id, title, status string) wire.Task {
	return wire.Task{
		ID: id, Title: title, Objective: title + ".", Status: status, Known: true, LastAction: ms(30 * time.Hour),
		Dir: home + "/afar/tasks/" + id, By: "maria at the terminal", CreatedAt: ms(9 * 24 * time.Hour),
	}
}

// tasks are tasks in all lanes of the board.
func tasks() []page.TaskRow {
	sly := aTask("sly", "Order new screens", "IN PROGRESS")
	works := aTask("migrate-the-wiki", "Move the wiki to the new server", "IN PROGRESS")
	sly.Proposed, sly.By = true, ""
	works.Run, works.RunState = "migrate-the-wiki", "working"
	asks := aTask("taxes-2025", "Prepare the tax return of 2025", "IN PROGRESS")
	stopped := aTask("newsletter", "Write the newsletter", "IN PROGRESS")
	asks.Run, asks.RunState, stopped.Stopped, stopped.Run = "taxes-2025", "waiting", true, "newsletter"
	waits := aTask("send-the-invoices", "Send the invoices", "WAITING")
	bare := aTask("visa", "Visa for the conference in Tokyo", "WAITING")
	waits.WaitingFor = "A reply of the client about the second invoice."
	waits.NextAction = ms(-5 * 24 * time.Hour)
	waits.NextWords = "by 2026-11-28"
	bare.WaitingFor = "The embassy. Ask again when they are back."
	bare.NextWords = "when they are back"
	bare.Run = "visa"
	bare.RunState = "idle"
	blocked, done, odd := aTask("backup", "Restore the backup of the old laptop", "BLOCKED"),
		aTask("slides", "Slides for Monday", "COMPLETED"), aTask("sauna", "Repair the sauna", "EN PAUSE")
	odd.Warning = "state.md has more than 32 kB: what is done should be shortened, and details moved into artifacts/"
	odd.Known = false
	odd.Faults = []string{
		`line 6: unknown status "EN PAUSE"; want one of IN PROGRESS, WAITING, BLOCKED, COMPLETED, ARCHIVED`,
	}
	var rows []page.TaskRow
	for _, t := range []wire.Task{sly, works, asks, stopped, waits, bare, blocked, done, odd} {
		rows = append(rows, page.TaskRow{Task: t})
	}
	q := ask("7f3ac1d2", "question", "taxes-2025", "AskUserQuestion", "Which of the two letters counts?", 4*time.Minute)
	q.Run, q.Session = "taxes-2025", "s-taxes-2025"
	rows[2].Asks = []wire.Ask{q}
	return rows
}

// stateText is the state.md of a task that waits.
const stateText = `# Send the invoices

## Objective
All invoices of 2025 are sent, and each client has confirmed that it arrived.

## Current State
STATUS: WAITING
Last action: 2026-11-22

## Completed
- [x] Collect the hours from the three projects
- [x] Invoice 1 and 3: sent **and** confirmed

## Remaining
- [ ] Invoice 2, as soon as the client has answered

## Waiting For
A reply of the client about the second invoice.
NEXT ACTION: 2026-11-28

## Contacts
- billing@client.example

## My notes
<b>Not</b> before the holidays.
`

func fullTask() page.Task {
	rows := tasks()
	t := rows[4].Task
	t.Run, t.RunState, t.Agent = "send-the-invoices", "waiting", "claude"
	t.Confirm = true
	return page.Task{
		Task: t, Home: home, Cards: []page.Card{{Asks: rows[2].Asks}},
		Files: wire.TaskFilesReply{Text: stateText, Base: "3f9a", More: 12, Files: []wire.TaskFile{
			{Path: "state-yours.md", Size: 1204, At: ms(3 * time.Minute)},
			{Path: "artifacts/invoice-2.pdf", Size: 84_213, At: ms(26 * time.Hour)},
			{Path: "artifacts/" + strings.Repeat("a-very-long-name-", 8) + ".xlsx", Size: 3_145_728,
				At: ms(40 * 24 * time.Hour)},
		}},
	}
}

// oddTask cannot be read, and nothing can be decided for it here.
func oddTask() page.Task {
	return page.Task{
		Task: tasks()[8].Task, Home: home, Closed: "answers count from telegram alone",
		Files: wire.TaskFilesReply{Text: strings.Repeat(stateText, 3), TooLong: true},
	}
}
