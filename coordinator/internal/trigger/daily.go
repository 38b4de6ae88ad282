package trigger

import (
	"fmt"
	"time"
)

// Daily is the name of the trigger behind report.daily of the settings. It has no file: no file's trigger can
// have this name.
const Daily Name = "report.daily"

// DailyRule returns the text of that trigger's rule, for a time of the day since midnight in a time zone, "" for
// that of the machine.
func DailyRule(at time.Duration, zone string) string {
	on := fmt.Sprintf("cron %d %d * * * %s", int(at.Minutes())%60, int(at.Hours()), zone)
	return New("The morning message", [][2]string{{"on", on}, {"to", "person"}}, "What waits, and what was done.")
}
