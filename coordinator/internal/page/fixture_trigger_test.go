package page_test

import (
	"time"

	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
)

// triggers are rules in all states.
func triggers() []wire.Trigger {
	file := func(name string) string { return home + "/afar/triggers/" + name + ".md" }
	return []wire.Trigger{
		{
			ID: "morning", Title: "What the night brought", State: "on",
			On: "cron 0 7 * * 1-5 Europe/Berlin", To: "run",
			Prompt: "Look at the failed builds of last night.", File: file("morning"), By: "maria", Budget: 0.5,
			Next: ms(-17 * time.Hour), Last: ms(7 * time.Hour), Fired: 41, Missed: "run",
		},
		{
			ID: "issues", Title: "New issues at GitHub", State: "proposed", On: "webhook",
			To: "run:{{payload.issue.number}}", Auth: "github",
			Mode: "manual", Filter: "jq -e '.action == \"opened\"'", File: file("issues"), Hook: "/hook/issues",
			Agent:  "claude",
			Prompt: "Somebody has opened an issue:\n\n{{payload.issue.title}}", Held: "its file was changed",
			By: "maria",
		},
		{ID: "backup", Title: "Backup", State: "off", On: "manual", To: "task:backup", Prompt: "Check the backup.",
			File: file("backup")},
		{ID: "odd", Title: "odd", State: "broken", On: "cron 0 7 * *", File: file("odd"),
			Fault: "line 3: a cron rule has five fields, not 4"},
	}
}

// firings are lines of the ledger.
func firings() []wire.Firing {
	return []wire.Firing{
		{ID: "f1", Trigger: "morning", State: "missed", At: ms(55 * time.Hour), Why: "the machine slept", Count: 2},
		{ID: "f2", Trigger: "issues", State: "dropped", At: ms(31 * time.Hour), Why: "its filter dropped it"},
		{ID: "f3", Trigger: "morning", State: "fired", At: ms(7 * time.Hour), To: "run:morning-3"},
		{ID: "f4", Trigger: "backup", State: "failed", At: ms(time.Hour), By: "maria", Why: "task backup: not found"},
	}
}

func fullTrigger() page.Trigger {
	one := page.Alone{Noun: view.Triggers, Thing: view.Trigger(triggers()[1]), Home: home}
	return page.Trigger{Alone: one, Firings: firings()[:2]}
}
