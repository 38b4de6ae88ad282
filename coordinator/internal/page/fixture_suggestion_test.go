package page_test

import (
	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
)

// listOf returns the list of a noun.
func listOf[T any](noun view.Noun, all []T, thing func(T) view.Thing) page.List {
	out := page.List{Noun: noun, Tabs: page.Tabs{Suggestions: 3, Gaps: 1}, Home: home}
	for _, one := range all {
		out.Things = append(out.Things, thing(one))
	}
	return out
}

// suggestions are tasks that nobody has decided about.
func suggestions() page.List {
	return listOf(view.Suggestions, []wire.Suggestion{
		{
			ID: "acme-second-offer", Title: "Write a second offer for ACME", Status: "open", Urgency: "urgent",
			Source: "triage", Date: "2026-11-23",
			Summary: "ACME wants the offer **without** the workshop, until Friday.",
			Why:     "They decide on Monday; the first offer is three weeks old.",
			Plan:    "1. Take the first offer\n2. Leave out the workshop\n3. Ask before it is sent",
			Context: "From: anna@acme.example\n\nCould you send it <b>without</b> day two?",
			Ask:     "ask_s1",
		},
		{ID: "rotate-keys", Title: "Rotate the keys of the staging server", Status: "open", Urgency: "normal",
			Source: "session shop-1a2b", Date: "2026-11-21"},
		{ID: "bad", Title: "bad", Status: "unreadable", Urgency: "low",
			Faults: []string{"line 1: ~/afar/suggestions/bad.md: want a regular file"}},
	}, view.Suggestion)
}

func gaps() page.List {
	return listOf(view.Gaps, []wire.Gap{
		{
			ID: 1, Title: "No account for the bank's export", Status: "open", Date: "2026-11-20",
			Source:     "task send-the-invoices",
			Problem:    "The payments are in the bank's export, and I cannot sign in.",
			Impact:     "Reminders go out although a client has paid.",
			Suggestion: "Put the export into artifacts/ once a week, or let a webhook bring it.",
		},
		{ID: 2, Title: "pdftotext is missing", Status: "resolved", Date: "2026-11-12"},
		{ID: 3, Title: "The wiki is slow", Status: "ignored", Date: "2026-11-02", Problem: "Each page takes 20 s."},
	}, view.Gap)
}
