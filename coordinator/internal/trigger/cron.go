package trigger

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/adhocore/gronx"

	"github.com/afar-sh/afar/coordinator/internal/markdown"
)

// A cron is a crontab expression of five fields. Where both the day of the month and the day of
// the week are given, one of them is enough, as everywhere with cron.
type cron struct {
	text string
	// repeats says that the minute or the hour begins with *: the rule goes by intervals, and
	// not by the times on a clock.
	repeats bool
	// daily says that the rule is due at most once on any day.
	daily bool
}

// fields are the five fields of an expression, with the least and the highest number of each.
var fields = [...]struct {
	name        string
	least, most int
}{{"minute", 0, 59}, {"hour", 0, 23}, {"day of the month", 1, 31}, {"month", 1, 12}, {"day of the week", 0, 7}}

// parseCron reads five fields.
func parseCron(texts []string) (c cron, err error) {
	for i, text := range texts {
		if !isField(i, text) {
			f := fields[i]
			return c, fmt.Errorf("unknown %s %q; want *, or numbers from %d to %d, as in 1 or 1-5 or 1,3 or */2",
				f.name, markdown.Shorten(text), f.least, f.most)
		}
	}
	c = cron{
		text:    strings.Join(texts, " "),
		repeats: texts[0][0] == '*' || texts[1][0] == '*',
		daily:   isNumber(texts[0]) && isNumber(texts[1]),
	}
	if _, ok := c.nextWall(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)); !ok {
		return c, fmt.Errorf("no day is ever %s %s: want a day that exists", texts[2], texts[3])
	}
	return c, nil
}

// isField reports whether a text can be field i of an expression. The library takes steps that
// no number of the field ever reaches.
func isField(i int, text string) bool {
	all := slices.Repeat([]string{"*"}, len(fields))
	all[i] = text
	for part := range strings.SplitSeq(text, ",") {
		_, step, stepped := strings.Cut(part, "/")
		if n, err := strconv.Atoi(step); stepped && (err != nil || n < 1 || n > fields[i].most) {
			return false
		}
	}
	return gronx.IsValid(strings.Join(all, " "))
}

func isNumber(text string) bool {
	_, err := strconv.Atoi(text)
	return err == nil
}

// nextWall returns the next time on the clock after wall. Both are times on the clock, written
// as if they were in UTC.
func (c cron) nextWall(wall time.Time) (time.Time, bool) {
	t, err := gronx.NextTickAfter(c.text, wall, false)
	return t, err == nil
}

// nextRepeat returns the next moment after a time at which the clock of a zone shows a time
// of the rule. Where the clock shows a time twice, both count.
func (c cron) nextRepeat(after time.Time, zone *time.Location) (time.Time, bool) {
	return c.nextWall(after.In(zone))
}
