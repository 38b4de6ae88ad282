package telegram

import (
	"fmt"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/text"
)

// parked says what an answer does for a call that was refused already.
func parked(a ask.Ask) string {
	if a.Kind == ask.Denied {
		return fmt.Sprintf("⏸ Not run. Retry once tells the session; the exact call may then run within %.0f min.",
			ask.RetryFor.Minutes())
	}
	if a.Holds() {
		return "⏸ " + text.Capital(line(a.Note, maxPath)) +
			". The run waits; your answer starts it again with exactly this call."
	}
	return "⏸ " + text.Capital(line(a.Note, maxPath)) + ". Allow permits one retry of the exact call."
}
