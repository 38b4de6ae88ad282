package trigger

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/markdown"
)

// A Kind says what makes a rule fire.
type Kind string

// The kinds of rules.
const (
	Cron    Kind = "cron"
	Once    Kind = "once"
	Every   Kind = "every"
	Webhook Kind = "webhook"
	File    Kind = "file"
	Manual  Kind = "manual"
)

// Timed reports whether the clock makes a rule fire.
func (k Kind) Timed() bool { return k == Cron || k == Once || k == Every }

// An Instant is a moment at which a rule is due. Key names it: a time on the clock of a zone
// keeps its key where the rules of that zone change.
type Instant struct {
	At  time.Time
	Key string
}

// A When is the value of "on".
type When struct {
	Kind Kind
	Text string // as the file writes it
	Glob string // of files

	cron  cron
	zone  *time.Location
	place string        // the zone in keys: a rule without one keeps its keys when the machine moves to another
	wall  time.Time     // of once: the time on the clock, as if it were in UTC
	every time.Duration // of every
}

// Zones returns the time zone with a name, and that of the machine for "".
type Zones func(name string) (*time.Location, error)

// The bounds of every.
const (
	leastEvery = time.Second
	mostEvery  = 366 * 24 * time.Hour
)

const forms = "cron MIN HOUR DAY MONTH WEEKDAY [ZONE], once YYYY-MM-DD HH:MM [ZONE], every 2h, webhook, file GLOB " +
	"or manual"

// ParseWhen reads the value of "on".
func ParseWhen(text string, zones Zones) (w When, err error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return w, errors.New("on is empty; want " + forms)
	}
	w = When{Kind: Kind(words[0]), Text: text}
	switch rest := words[1:]; w.Kind {
	case Cron:
		err = w.readCron(rest, zones)
	case Once:
		err = w.readOnce(rest, zones)
	case Every:
		err = w.readEvery(rest)
	case File:
		w.Glob = strings.TrimSpace(strings.TrimPrefix(text, string(File)))
		if w.Glob == "" {
			err = errors.New("file needs a pattern, such as ~/inbox/*.pdf")
		}
	case Webhook, Manual:
		if len(rest) > 0 {
			err = fmt.Errorf("unknown %q after %s; want nothing there", markdown.Shorten(rest[0]), w.Kind)
		}
	default:
		err = fmt.Errorf("unknown on %q; want %s", markdown.Shorten(words[0]), forms)
	}
	return w, err
}

func (w *When) readCron(words []string, zones Zones) (err error) {
	if len(words) < len(fields) || len(words) > len(fields)+1 {
		return fmt.Errorf("cron has %d fields; want 5 and perhaps a time zone: cron 0 7 * * 1-5 Europe/Berlin",
			len(words))
	}
	if w.cron, err = parseCron(words[:len(fields)]); err != nil {
		return err
	}
	return w.readZone(words[len(fields):], zones)
}

func (w *When) readOnce(words []string, zones Zones) (err error) {
	if len(words) < 2 || len(words) > 3 {
		return errors.New("want once YYYY-MM-DD HH:MM and perhaps a time zone")
	}
	at := words[0] + " " + words[1]
	if w.wall, err = time.Parse("2006-01-02 15:04", at); err != nil {
		return fmt.Errorf("unknown time %q; want YYYY-MM-DD HH:MM", markdown.Shorten(at))
	}
	return w.readZone(words[2:], zones)
}

func (w *When) readEvery(words []string) (err error) {
	if len(words) != 1 {
		return errors.New("want every and one length of time, such as every 2h")
	}
	w.every, err = duration(words[0])
	if err != nil || w.every < leastEvery || w.every > mostEvery {
		return fmt.Errorf("unknown length of time %q; want one between %s and a year, such as 90m, 2h or 7d",
			markdown.Shorten(words[0]), leastEvery)
	}
	return nil
}

// duration reads a length of time. It knows days beside the units of Go.
func duration(text string) (time.Duration, error) {
	days, rest, ok := strings.Cut(text, "d")
	if !ok {
		return time.ParseDuration(text)
	}
	d, err := time.ParseDuration(days + "h")
	if err != nil || d < 0 || d > mostEvery/24 {
		return 0, fmt.Errorf("unknown length of time %q", markdown.Shorten(text))
	}
	if rest == "" {
		return 24 * d, nil
	}
	more, err := time.ParseDuration(rest)
	return 24*d + more, err
}

// readZone reads the name of a time zone. "Local" is refused: it means another zone on
// another machine.
func (w *When) readZone(words []string, zones Zones) (err error) {
	name := strings.Join(words, "")
	w.place = cmp.Or(name, "Local")
	if w.zone, err = zones(name); err != nil || name == "Local" {
		return fmt.Errorf("unknown time zone %q; want a name such as Europe/Berlin", markdown.Shorten(name))
	}
	return nil
}

// oncePerDay reports whether a rule is due at most once a day.
func (w When) oncePerDay() bool {
	switch w.Kind {
	case Cron:
		return w.cron.daily
	case Every:
		return w.every >= 24*time.Hour
	}
	return true
}

// Next returns the first instant after a time. ok is false if there is none. Those of every
// are counted from anchor.
func (w When) Next(after, anchor time.Time) (i Instant, ok bool) {
	switch w.Kind {
	case Once:
		i = w.onWall(w.wall)
		return i, i.At.After(after)
	case Every:
		past := after.Sub(anchor)
		at := after.Add(w.every - past%w.every)
		if past < 0 && past%w.every != 0 {
			at = at.Add(-w.every)
		}
		return exact(at), true
	case Cron:
		if !w.cron.repeats {
			return w.nextWall(after)
		}
		at, ok := w.cron.nextRepeat(after, w.zone)
		return exact(at), ok
	}
	return i, false
}

func exact(at time.Time) Instant {
	return Instant{At: at, Key: at.UTC().Format(time.RFC3339Nano)}
}

// nextWall returns the next instant of a rule that goes by the times on a clock. A time that
// the clock skips is due when it has skipped it; one that it shows twice is due the first time.
func (w When) nextWall(after time.Time) (i Instant, ok bool) {
	local := after.In(w.zone)
	_, offset := local.Zone()
	wall := after.UTC().Add(time.Duration(offset) * time.Second)
	for {
		if wall, ok = w.cron.nextWall(wall); !ok {
			return i, false
		}
		if i = w.onWall(wall); i.At.After(after) {
			return i, true
		}
	}
}

// onWall returns when the clock of the zone shows a time.
func (w When) onWall(wall time.Time) Instant {
	i := Instant{Key: wall.Format("2006-01-02T15:04") + " " + w.place}
	for _, near := range []time.Duration{-24 * time.Hour, 24 * time.Hour} {
		_, offset := wall.Add(near).In(w.zone).Zone()
		i.At = wall.Add(-time.Duration(offset) * time.Second)
		if showsWall(i.At, wall, w.zone) {
			return i
		}
	}
	_, before := wall.Add(-24 * time.Hour).In(w.zone).Zone()
	skipped := wall.Add(-time.Duration(before) * time.Second)
	i.At, _ = skipped.In(w.zone).ZoneBounds()
	return i
}

// showsWall reports whether the clock of a zone shows a time at a moment.
func showsWall(at, wall time.Time, zone *time.Location) bool {
	_, offset := at.In(zone).Zone()
	return at.Add(time.Duration(offset) * time.Second).Equal(wall)
}
