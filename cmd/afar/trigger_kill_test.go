//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/wire"
)

// TestTriggersKilled kills the coordinator again and again while rules of the clock are due. In
// between its clock stands, goes on for hours, or is set back. Afterwards each instant of each rule
// is in the ledger once, what was missed follows its rule, and each firing has sent one text.
func TestTriggersKilled(t *testing.T) {
	long.InCI(t)
	if testing.Short() {
		t.Skip("drives binaries of their own, which the race detector does not see")
	}
	t.Parallel()
	killTriggers(t, 10, 5)
}

// TestTriggersKilledLong is TestTriggersKilled with 50 rules and thousands of instants.
func TestTriggersKilledLong(t *testing.T) {
	long.Only(t)
	killTriggers(t, 50, 60)
}

// round is the time between two instants of the most frequent rules.
const round = 10 * time.Minute

func killTriggers(t *testing.T, rules, kills int) {
	m := newMortal(t, "")
	m.serve(beforeSummerTime(time.Now()))
	m.awaken()
	all := newTimedRules(m, rules)
	var lives []life
	now := life{from: m.time(), answers: true}
	for n := range kills {
		time.Sleep(time.Duration(rand.IntN(400)) * time.Millisecond)
		m.kill()
		now.to = m.time()
		lives = append(lives, now)
		m.serve(m.ahead + pauseOf(n, now.to))
		now = life{from: m.time(), answers: n%2 == 1}
		if now.answers {
			m.awaken()
		}
	}
	m.kill()
	now.to = m.time()
	lives = append(lives, now)
	last := latest(lives).Truncate(round).Add(round)
	m.serve(m.ahead + last.Sub(m.time()) - 500*time.Millisecond)
	lives = append(lives, life{m.time(), last, true})
	m.awaken()
	rest(m, last)

	sum, dead := map[string]int{}, between(lives)
	for _, r := range all {
		for state, n := range r.check(m, dead, last) {
			sum[state] += n
		}
	}
	t.Logf("%d rules, %d kills, %s: %d fired, %d missed", rules, m.kills, last.Sub(lives[0].from).Round(time.Minute),
		sum["fired"], sum["missed"])
}

// beforeSummerTime returns how long it is until two days before the next change of summer time.
func beforeSummerTime(now time.Time) time.Duration {
	_, change := now.In(berlin()).ZoneBounds()
	return max(0, change.Sub(now)-48*time.Hour)
}

func berlin() *time.Location {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		panic(err)
	}
	return zone
}

// pauseOf returns how far the clock goes on after kill n. Most often it stops just before a time at
// which many rules are due.
func pauseOf(n int, now time.Time) time.Duration {
	some := func(d time.Duration) time.Duration { return time.Duration(rand.Int64N(int64(d))) }
	switch n % 8 {
	case 1:
		return some(8 * time.Hour)
	case 3:
		return 0 // a restart within the same second
	case 4:
		return -some(30 * time.Minute)
	}
	due := now.Truncate(round).Add(time.Duration(1+rand.IntN(12)) * round)
	return due.Sub(now) - some(800*time.Millisecond)
}

// A timedRule is a rule of the clock.
type timedRule struct {
	name, missed string
	first        time.Time
	next         func(after time.Time) time.Time // its instants, as the test knows them
}

// newTimedRules switches rules on. Their texts go to a task that is stopped, and wait there.
func newTimedRules(m *mortal, n int) (all []timedRule) {
	m.t.Helper()
	m.afar("task", "new", "Waits")
	m.afar("task", "stop", "waits")
	for i := range n {
		r := timedRule{name: "r" + strconv.Itoa(i), missed: []string{"each", "run", "skip", "ask"}[i%4]}
		step, on := round*time.Duration(1+i%3), ""
		switch i % 5 {
		case 0:
			on = "every " + step.String()
			r.next = func(after time.Time) time.Time { return after.Add(step) }
		case 1:
			on = "cron 0 12 * * * Europe/Berlin"
			r.next = noonInBerlin
		default:
			on = fmt.Sprintf("cron */%d * * * * UTC", step/time.Minute)
			r.next = func(after time.Time) time.Time { return after.Truncate(step).Add(step) }
		}
		before, made := m.time(), wire.Trigger{}
		m.read(&made, "trigger", "new", r.name, "--on", on, "--to", "task:waits", "--missed", r.missed,
			"--limit", "100000", "--prompt", "This is "+r.name+".")
		r.first = time.UnixMilli(made.Next)
		earliest, latest := r.next(before).Truncate(time.Second), r.next(m.time())
		if r.first.Before(earliest) || r.first.After(latest) {
			m.t.Errorf("%s is due on %v, want %v to %v", on, r.first, earliest, latest)
		}
		all = append(all, r)
	}
	return all
}

func noonInBerlin(after time.Time) time.Time {
	day := after.In(berlin())
	at := time.Date(day.Year(), day.Month(), day.Day(), 12, 0, 0, 0, berlin())
	if !at.After(after) {
		at = time.Date(day.Year(), day.Month(), day.Day()+1, 12, 0, 0, 0, berlin())
	}
	return at
}

// rest waits until all that was due up to a time is dealt with.
func rest(m *mortal, last time.Time) {
	m.t.Helper()
	least := leftOver(m, last)
	for late := time.Now().Add(patience); least > 0; time.Sleep(50 * time.Millisecond) {
		left := leftOver(m, last)
		if left < least {
			least, late = left, time.Now().Add(patience)
		}
		if time.Now().After(late) {
			m.t.Fatalf("%d instants are left over", left)
		}
	}
}

// leftOver returns how many instants up to a time are not dealt with yet, at least.
func leftOver(m *mortal, last time.Time) (n int) {
	m.t.Helper()
	var due wire.TriggersReply
	m.read(&due, "trigger", "list")
	for _, r := range due.Triggers {
		if !time.UnixMilli(r.Next).After(last) {
			n++
		}
	}
	var ledger wire.TriggerLogReply
	m.read(&ledger, "trigger", "log", "-n", "2000")
	for _, f := range ledger.Firings {
		if f.State == "due" {
			n++
		}
	}
	return n
}

// check compares the ledger of a rule with its instants up to a time, at which it was in time. It
// returns how many instants are in each state. A rule may have fired again since.
func (r timedRule) check(m *mortal, dead []life, last time.Time) map[string]int {
	m.t.Helper()
	var texts wire.InboxReply // read first: what fires meanwhile is in the ledger alone
	m.read(&texts, "inbox", "--find", "This is "+r.name+".", "-n", "1000")
	var ledger wire.TriggerLogReply
	m.read(&ledger, "trigger", "log", r.name, "-n", "2000")
	sent := map[string]int{}
	for _, text := range texts.Messages {
		sent[text.ID]++
	}
	ledger.Firings = slices.DeleteFunc(ledger.Firings, func(f wire.Firing) bool {
		since := time.UnixMilli(f.At).After(last)
		if since {
			delete(sent, f.Message)
		}
		return since
	})
	lines, sum := map[int64]wire.Firing{}, map[string]int{}
	for _, f := range ledger.Firings {
		at := time.UnixMilli(f.At)
		if _, twice := lines[f.At]; twice {
			m.t.Errorf("%s: %v is in the ledger twice", r.name, at)
		}
		lines[f.At] = f
		sum[f.State]++
		if f.State == "fired" && sent[f.Message] != 1 || f.State != "fired" && f.State != "missed" || f.Count > 0 {
			m.t.Errorf("%s: %v has %d texts: %+v", r.name, at, sent[f.Message], f)
		}
	}
	if len(sent) != sum["fired"] {
		m.t.Errorf("%s: %d texts for %d firings", r.name, len(sent), sum["fired"])
	}
	all, newest := 0, wire.Firing{}
	for at := r.first; !at.After(last); at = r.next(at) {
		all++
		f, ok := lines[at.UnixMilli()]
		if newest = f; !ok {
			m.t.Errorf("%s: %v is lost", r.name, at)
		}
	}
	if all != len(ledger.Firings) {
		m.t.Errorf("%s: %d lines for %d instants", r.name, len(ledger.Firings), all)
	}
	inTime := time.UnixMilli(newest.At).Equal(last)
	if all > 0 && newest.State != "fired" && (inTime || r.missed == "run") {
		m.t.Errorf("%s: the newest is %+v", r.name, newest)
	}
	r.checkMissed(m, ledger.Firings, dead)
	return sum
}

// usualGrace is how late an instant may be and count as kept.
const usualGrace = 5 * time.Minute

// checkMissed checks that the instants at which nothing ran follow the rule.
func (r timedRule) checkMissed(m *mortal, ledger []wire.Firing, dead []life) {
	m.t.Helper()
	for _, d := range dead {
		fired, missed, late, instead := 0, 0, 0, false
		for _, f := range ledger {
			at := time.UnixMilli(f.At)
			switch {
			case !at.After(d.from):
			case !at.Before(d.to): // the first one when something ran again may stand for what was missed
				instead = instead || f.State == "fired" && at.Sub(d.to) < 20*time.Second
			case f.State == "missed":
				missed++
			default:
				fired++
				if d.to.Sub(at) > usualGrace {
					late++
				}
			}
		}
		wrong := map[string]bool{
			"each": missed > 0,
			"run":  fired > 1 || d.answers && missed > 0 && fired == 0 && !instead,
			"skip": late > 0 || fired > 1,
			"ask":  late > 0 || fired > 1,
		}
		if wrong[r.missed] {
			m.t.Errorf("%s, missed %s, nothing ran from %v to %v: %d fired, %d of them late, %d missed",
				r.name, r.missed, d.from, d.to, fired, late, missed)
		}
	}
}

// A life is a time in which a coordinator ran, as its clock showed it, or in which none did.
type life struct {
	from, to time.Time
	answers  bool // it has looked at its rules, or the one behind it has
}

// latest returns the latest time that a clock has shown.
func latest(lives []life) (at time.Time) {
	for _, l := range lives {
		if l.to.After(at) {
			at = l.to
		}
	}
	return at
}

// between returns the times between lives in which no other life was.
func between(lives []life) (dead []life) {
	for i, next := range lives[1:] {
		d := life{lives[i].to, next.from, next.answers}
		empty := d.from.Before(d.to)
		for _, l := range lives {
			if l.from.Before(d.to) && l.to.After(d.from) {
				empty = false
			}
		}
		if empty {
			dead = append(dead, d)
		}
	}
	return dead
}
