package ask

import (
	"fmt"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/text"
)

// A Late is the late answers that a delivery tells.
type Late struct {
	Text string // one line each
	Told []Ask  // as they are once they are told
	Room int    // bytes that are left
}

// TellLate takes of the answered asks what has room.
func TellLate(answered []Ask, delivery string, room int, now time.Time) Late {
	n := Late{Room: room}
	var lines []string
	for _, a := range answered {
		line := a.LateLine(now)
		if n.Room -= len(line) + 1; n.Room < 0 {
			break
		}
		if next, _ := Tell(a, delivery); next != a {
			n.Told = append(n.Told, next)
		}
		if line != "" {
			lines = append(lines, line)
		}
	}
	n.Text = strings.Join(lines, "\n")
	return n
}

// LateLine returns the late answer to a for the model, "" for none. The text of the call is masked.
func (a Ask) LateLine(now time.Time) string {
	call := a.Tool + ": " + text.Fold(Elide(a.Text, 300))
	switch {
	case a.Lease.Lost:
		return a.lostLine(call, now)
	case a.Leased(now):
		return fmt.Sprintf("The person has meanwhile allowed a call that was refused before. "+
			"Made again exactly as it was, it may run once until %s: %s", a.Lease.Until.Format("15:04"), call)
	case !a.Lease.Decision.Allow:
		return fmt.Sprintf("The person has meanwhile refused a call that was parked. %s It was: %s",
			a.Lease.Decision.Message, call)
	}
	return ""
}

// lostLine is like LateLine, for an answer that was not delivered.
func (a Ask) lostLine(call string, now time.Time) string {
	switch {
	case !a.AnswerValid(now):
		return ""
	case a.Lease.Decision.Allow:
		return fmt.Sprintf("The person allowed a call, but the answer was lost on its way. "+
			"Made again exactly as it was, it may run once until %s: %s", a.Lease.Until.Format("15:04"), call)
	}
	return "The person refused a call, but the answer was lost on its way. " +
		a.Lease.Decision.Message + " It was: " + call
}
