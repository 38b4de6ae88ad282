package task

import (
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // for machines without a database of time zones

	"github.com/afar-sh/afar/coordinator/internal/run"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

// wentOn returns a task that the sweep let go on so many times for the same file.
func wentOn(v Task, s State, times int) Task {
	for range times {
		v.Advised = v.WentOn(s, Rest{}, time.Time{})
	}
	return v
}

// TestSweep: a rule applies at its time and not a second earlier, and never to a task that works,
// waits, is over or was stopped.
func TestSweep(t *testing.T) {
	t0 := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	after := func(d time.Duration) time.Time { return t0.Add(d) }
	const day = 24 * time.Hour
	waits := ParseState(seedState, time.UTC) // by 2026-03-16
	goes := ParseState(waits.WithoutWait(), time.UTC)
	is := func(s State, status Status) State { return ParseState(s.WithStatus(status), time.UTC) }
	undated := ParseState(strings.ReplaceAll(seedState, "2026-03-16", "then"), time.UTC)
	begun, asks := Task{Run: "r"}, Task{Run: "r", Asked: Asked{Hash: "h", Ask: "a"}}
	idle, asked := Rest{Run: run.Idle, Since: t0}, Rest{Run: run.Idle, Since: t0, Asked: t0}
	in := func(s run.State) Rest { return Rest{Run: s, Since: t0, Asked: t0} }
	stopped := func(v Task) Task { v.Stopped = true; return v }
	due := time.Date(2026, 3, 17, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		task Task
		file State
		rest Rest
		now  time.Time
		want Rule
	}{
		"waited":                       {begun, waits, idle, due, GoOn},
		"waits a second more":          {begun, waits, idle, due.Add(-time.Second), Leave},
		"waited, but stopped":          {stopped(begun), waits, idle, due, Leave},
		"waited, never started":        {Task{}, waits, Rest{Since: t0}, due, Leave},
		"waited, run failed":           {begun, waits, in(run.Failed), due, Leave},
		"waited, in use":               {begun, waits, in(run.Taken), due, Leave},
		"waited, completed":            {begun, is(waits, Completed), idle, due, Leave},
		"waited, unknown status":       {begun, is(waits, "PAUSE"), idle, due, Leave},
		"waited, wrote it again":       {wentOn(begun, waits, 2), waits, idle, due, GoOn},
		"waited, and wrote it in vain": {wentOn(begun, waits, 3), waits, idle, due, Stuck},
		"waited in vain, told":         {wentOn(begun, waits, 3).Swept(Stuck, idle), waits, idle, due, Leave},
		"waited in vain, changed":      {wentOn(begun, goes, 3), waits, idle, due, GoOn},
		"waits without any date":       {begun, undated, idle, after(99 * day), Undecided},
		"overdue":                      {asks, waits, asked, after(3 * day), Overdue},
		"overdue, blocked":             {asks, is(goes, Blocked), asked, after(3 * day), Overdue},
		"overdue, run failed":          {asks, goes, in(run.Failed), after(3 * day), Overdue},
		"not overdue yet":              {asks, waits, asked, after(3*day - time.Second), Leave},
		"overdue, answered":            {asks, waits, idle, after(9 * day), Leave},
		"overdue, told":                {asks.Swept(Overdue, asked), waits, asked, after(30 * day), Leave},
		"overdue, stopped":             {stopped(asks), waits, asked, after(3 * day), Leave},
		"overdue, a turn works":        {asks, waits, in(run.Working), after(3 * day), Leave},
		"asked, and due":               {asks, waits, Rest{Run: run.Idle, Asked: due}, due, Leave},
		"dormant":                      {begun, goes, idle, after(14 * day), Dormant},
		"dormant, never started":       {Task{}, goes, Rest{Since: t0}, after(14 * day), Dormant},
		"dormant, run failed":          {begun, goes, in(run.Failed), after(14 * day), Dormant},
		"not dormant yet":              {begun, goes, idle, after(14*day - time.Second), Undecided},
		"dormant, told":                {begun.Swept(Dormant, idle), goes, idle, after(90 * day), Undecided},
		"dormant again": {begun.Swept(Dormant, Rest{Since: t0.Add(-day)}), goes, idle,
			after(14 * day), Dormant},
		"dormant, stopped":        {stopped(begun), goes, idle, after(14 * day), Leave},
		"dormant, a turn waits":   {begun, goes, in(run.Queued), after(14 * day), Leave},
		"dormant, in use":         {begun, goes, in(run.Taken), after(14 * day), Leave},
		"dormant, waiting":        {begun, is(goes, Waiting), idle, after(14 * day), Undecided},
		"dormant, blocked":        {begun, is(goes, Blocked), idle, after(14 * day), Leave},
		"dormant, archived":       {begun, is(goes, Archived), idle, after(14 * day), Leave},
		"dormant, unknown status": {begun, is(goes, "PAUSE"), idle, after(14 * day), Leave},
		"a clock that went back":  {begun, goes, idle, after(-day), Leave},
	} {
		if got := c.task.Sweep(c.file, c.rest, c.now); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestSweepZones: a day of a file ends where its person is. How long something lasts is the same
// everywhere, also over a change of the clocks.
func TestSweepZones(t *testing.T) {
	begun := Task{Run: "r"}
	for name, end := range map[string]string{ // of 2026-03-16
		"UTC": "2026-03-17T00:00:00Z", "Pacific/Kiritimati": "2026-03-16T10:00:00Z",
		"America/Los_Angeles": "2026-03-17T07:00:00Z", "Asia/Kathmandu": "2026-03-16T18:15:00Z",
	} {
		loc := zone(t, name)
		at, err := time.Parse(time.RFC3339, end)
		if err != nil {
			t.Fatal(err)
		}
		file := ParseState(seedState, loc)
		rest := Rest{Run: run.Idle, Since: at.Add(-time.Hour)}
		for _, now := range []time.Time{at, at.In(loc), at.In(zone(t, "Asia/Tokyo"))} {
			early, late := begun.Sweep(file, rest, now.Add(-time.Second)), begun.Sweep(file, rest, now)
			if early != Leave || late != GoOn {
				t.Errorf("%s at %s: %q before, %q then", name, now, early, late)
			}
		}
	}
	berlin := zone(t, "Europe/Berlin")
	file := ParseState(ParseState(seedState, berlin).WithoutWait(), berlin)
	rest := Rest{Run: run.Idle, Since: time.Date(2026, 3, 22, 12, 0, 0, 0, berlin)} // 29 March has 23 hours
	for now, want := range map[time.Time]Rule{
		time.Date(2026, 4, 5, 12, 59, 59, 0, berlin): Undecided, time.Date(2026, 4, 5, 13, 0, 0, 0, berlin): Dormant,
	} {
		if got := begun.Sweep(file, rest, now); got != want {
			t.Errorf("at %s: %q, want %q", now, got, want)
		}
	}
}
