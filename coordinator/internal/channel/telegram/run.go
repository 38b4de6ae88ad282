package telegram

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/run"
)

// maxRuns bounds the runs of one list.
const maxRuns = 20

// runsText lists the runs: those that work first, then the newest.
func (l *link) runsText() string {
	all := l.cfg.Core.Runs()
	if len(all) == 0 {
		return "No runs. Start one in a terminal: afar run start PROMPT"
	}
	var b strings.Builder
	for _, r := range all[:min(len(all), maxRuns)] {
		fmt.Fprintf(&b, "%s %s: %s%s\n", runSign(r.State), r.Name, r.State, runSaid(r))
	}
	if left := len(all) - maxRuns; left > 0 {
		fmt.Fprintf(&b, "and %d older ones\n", left)
	}
	return b.String()
}

// runSaid returns what a run said last, after a comma.
func runSaid(r run.Run) string {
	if said := short(cmp.Or(r.Why, r.LastText)); said != "" {
		return ", " + said
	}
	return ""
}

func runSign(s run.State) string {
	switch s {
	case run.Starting, run.Working:
		return "⚙️"
	case run.Waiting:
		return "❓"
	case run.Failed:
		return "⚠️"
	}
	return "💤"
}
