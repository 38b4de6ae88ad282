package page_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/wire"
)

// facts are facts of all sorts, the newest first.
func facts() []wire.Fact {
	file := func(name string) string { return home + "/afar/memory/" + name + ".md" }
	return []wire.Fact{
		{
			ID: "deploys-go-through-staging", Title: "Deploys go through staging", Type: "decision",
			Tags: []string{"deploy", "servers"},
			From: "2026-11-23", Source: "run:deps of task:deps", Path: file("deploys-go-through-staging"),
			Changed: true,
			Text: "Ann decided it after the outage of Monday.\n\n" +
				"- nothing is deployed to **production** directly\n- exceptions: `hotfix/*`",
		},
		{ID: "the-office-has-no-lift", Title: "The office has no lift", From: "2026-11-20", Source: "maria",
			Path: file("the-office-has-no-lift")},
		{
			ID: "printer", Title: "The printer", From: "2026-10-02", Until: "2026-11-01", Source: "session:shop-1a2b",
			Path: file("printer"),
			Text: "It jams on thick paper.", Over: true, Rival: "printer-2",
		},
		{ID: strings.Repeat("long-", 12), Title: strings.Repeat("A title without an end ", 8),
			Text: strings.Repeat("word ", 400), Path: file("long")},
	}
}

func fullFact() page.Fact {
	f := facts()[0]
	raw := "# " + f.Title + "\n\n- type: decision\n- tags: deploy, servers\n- from: 2026-11-23\n" +
		"- source: run:deps of task:deps\n\n" + f.Text +
		"\n\n## Earlier\n\n### Until 2026-11-23 (maria)\n\nOnly on weekdays.\n"
	return page.Fact{Fact: wire.MemoryFactReply{Fact: f, File: raw, Base: "3f9a"}, Home: home}
}

// oddFact cannot be read, and nothing can be changed here.
func oddFact() page.Fact {
	f := wire.Fact{
		ID:       "broken",
		Path:     home + "/afar/memory/broken.md",
		Archived: true,
		Over:     true,
		Until:    "2020-01-01",
		Rival:    "other",
	}
	return page.Fact{
		Fact: wire.MemoryFactReply{
			Fact: f, File: "# Broken\n\n- colour: red\n", Fault: `line 3: unknown field "colour"`,
		},
		Home: home, Closed: "answers count from telegram alone",
	}
}

func fullMemory() page.Memory {
	return page.Memory{
		Facts: facts(), Count: 412, Home: home, Further: page.Further{Newest: "/memory", Earlier: "/memory?from=200"},
		Broken: []wire.Finding{{
			File: "broken.md",
			Line: 3,
			Kind: "broken",
			Text: `unknown field "colour"; want type, tags, from, until or source`,
		}},
	}
}

// found are results of each kind.
func found() []wire.MemoryResult {
	var all []wire.MemoryResult
	for i, kind := range []string{"fact", "journal", "task", "run", "session"} {
		all = append(all, wire.MemoryResult{
			Kind: kind, ID: []string{"printer", "2026-03-13", "send-the-invoices", "deps-2b1c", "shop-1a2b"}[i],
			Title: "About " + kind,
			At:    ms(time.Duration(i+1) * 26 * time.Hour), Line: i,
			Text: "Ann decided it after the outage: nothing is deployed directly.",
		})
	}
	return all
}

func fullJournal() page.Journal {
	busy := wire.MemoryDay{Date: "2026-11-23", Path: home + "/afar/memory/journal/2026-11-23.md"}
	for i := range 3 {
		busy.Entries = append(busy.Entries, wire.MemoryNote{
			Heading: fmt.Sprintf("%02d:05 Moved the invoices, part %d", 9+i, i+1),
			Source:  "run:invoices of task:send-the-invoices",
			Text: "All invoices of 2025 lie in the **new** archive. Two had no date:\n\n- `invoice-7.pdf`\n" +
				"- `invoice-9.pdf`",
		})
	}
	return page.Journal{
		Home: home, Further: page.Further{Newest: "/journal", Earlier: "/journal?until=2026-11-14"},
		Days: []wire.MemoryDay{
			busy,
			{Date: "2026-11-21", Entries: []wire.MemoryNote{{Heading: "Mine: called the bank"},
				{Heading: "16:40 Task done: Slides for Monday", Text: "24 slides."}}},
			{Date: "2026-11-15"},
		},
	}
}
