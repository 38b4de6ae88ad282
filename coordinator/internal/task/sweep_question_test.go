package task

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/run"
)

// advised returns t after an advice about it as a file and its run were at a time.
func advised(t Task, do string, s State, r Rest, at time.Time) Task {
	t, _ = t.Advise(Advice{Case: Case{State: s, Rest: r}, Do: do, Reason: "why"}, at)
	return t
}

// TestUndecided: a model is asked about a task at rest that no rule decides, unless it was asked
// about the same task within a day, or its advice has changed nothing three times.
func TestUndecided(t *testing.T) {
	t0 := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	after := func(d time.Duration) time.Time { return t0.Add(d) }
	const hour = time.Hour
	goes := ParseState(NewState("T", "do it", t0), time.UTC)
	file := func(s State, status Status, wait string) State {
		return ParseState(s.WithStatus(status)+"\n## Waiting For\n"+wait+"\n", time.UTC)
	}
	changed := ParseState(goes.Text+"\n## Completed\n- one step\n", time.UTC)
	begun, idle := Task{Run: "r"}, Rest{Run: run.Idle, Since: t0, Turn: 1}
	in := func(s run.State) Rest { return Rest{Run: s, Since: t0, Turn: 1} }
	later := Rest{Run: run.Idle, Since: t0, Turn: 2}
	waits, told := advised(begun, "wait", goes, idle, t0), advised(begun, "tell", goes, idle, t0)
	went := func(times int) Task {
		task := begun
		for turn := range times {
			task = advised(task, "go_on", goes, Rest{Turn: int64(turn)}, t0)
		}
		return task
	}
	stopped := func(v Task) Task { v.Stopped = true; return v }
	for name, c := range map[string]struct {
		task Task
		file State
		rest Rest
		now  time.Time
		want Rule
	}{
		"in progress":             {begun, goes, idle, after(hour), Undecided},
		"a moment after its turn": {begun, goes, idle, after(restFor - 1), Leave},
		"waits for a date in words": {begun, file(goes, Waiting, "until the harvest is in"), idle,
			after(hour), Undecided},
		"waits without a section": {begun, ParseState(goes.WithStatus(Waiting), time.UTC), idle,
			after(hour), Undecided},
		"in progress, waits in words": {begun, file(goes, InProgress, "a reply"), idle, after(hour), Undecided},
		"waits for a date":            {begun, file(goes, Waiting, "by 2026-03-16"), idle, after(hour), Leave},
		"blocked": {begun, ParseState(goes.WithStatus(Blocked), time.UTC), idle,
			after(hour), Leave},
		"blocked, waits in words": {begun, file(goes, Blocked, "a reply"), idle, after(hour), Leave},
		"completed": {begun, ParseState(goes.WithStatus(Completed), time.UTC), idle,
			after(hour), Leave},
		"unknown status": {begun, ParseState(goes.WithStatus("PAUSE"), time.UTC), idle,
			after(hour), Leave},
		"without an objective":       {begun, ParseState(NewState("T", "", t0), time.UTC), idle, after(hour), Leave},
		"stopped by a person":        {stopped(begun), goes, idle, after(hour), Leave},
		"never started":              {Task{}, goes, Rest{Since: t0}, after(hour), Leave},
		"asks":                       {Task{Run: "r", Asked: Asked{Hash: "h"}}, goes, idle, after(hour), Leave},
		"a turn works":               {begun, goes, in(run.Working), after(hour), Leave},
		"a turn waits for its start": {begun, goes, in(run.Queued), after(hour), Leave},
		"in the person's hands":      {begun, goes, in(run.Taken), after(hour), Leave},
		"its run failed":             {begun, goes, in(run.Failed), after(hour), Leave},
		"its run was stopped":        {begun, goes, in(run.Stopped), after(hour), Leave},
		"dormant":                    {begun, goes, idle, after(dormantAfter), Dormant},
		"advised to wait":            {waits, goes, idle, after(advisedFor - 1), Leave},
		"advised to wait, a day ago": {waits, goes, idle, after(advisedFor), Undecided},
		"advised, the file changed":  {waits, changed, idle, after(hour), Undecided},
		"advised, one more turn":     {waits, goes, later, after(hour), Undecided},
		"advised, a clock set back": {advised(begun, "wait", goes, idle, after(9*hour)), goes, idle,
			after(hour), Undecided},
		"advised, started since": {waits.Launch("r"), goes, idle, after(hour), Undecided},
		"told":                   {told, goes, idle, after(advisedFor - 1), Leave},
		"told, a day ago":        {told, goes, idle, after(advisedFor), Undecided},
		"went on twice in vain": {went(2), goes, Rest{Run: run.Idle, Since: t0, Turn: 9},
			after(hour), Undecided},
		"went on in vain":               {went(3), goes, idle, after(hour), Stuck},
		"went on in vain, told":         {went(3).Swept(Stuck, idle), goes, idle, after(99 * hour), Leave},
		"went on in vain, then changed": {went(3).Swept(Stuck, idle), changed, idle, after(hour), Undecided},
		"in vain, a turn works":         {went(3), goes, in(run.Working), after(hour), Leave},
	} {
		if got := c.task.Sweep(c.file, c.rest, c.now); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestAdvise: the person is told once of a task as it is, and once more after it has changed. What
// went on in vain is counted as long as the file is the same.
func TestAdvise(t *testing.T) {
	t0 := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	task, file := Task{Run: "r"}, ParseState(NewState("T", "do it", t0), time.UTC)
	for n, step := range []struct {
		do     string
		turn   int64
		file   string
		tell   bool
		inVain int
	}{
		{"go_on", 1, "", false, 1},
		{"wait", 2, "", false, 1},
		{"tell", 2, "", true, 1},
		{"tell", 2, "", false, 1},
		{"wait", 2, "", false, 1},
		{"tell", 2, "", false, 1},
		{"tell", 3, "", true, 1},
		{"go_on", 3, "", false, 2},
		{"tell", 3, "more", true, 0},
		{"tell", 3, "", true, 0},
	} {
		s := State{Text: file.Text + step.file}
		var tell bool
		task, tell = task.Advise(Advice{Case: Case{State: s, Rest: Rest{Turn: step.turn}}, Do: step.do}, t0)
		if tell != step.tell || task.Advised.InVain != step.inVain {
			t.Errorf("step %d: told %v, %d in vain; want %+v", n, tell, task.Advised.InVain, step)
		}
		if step.do == "go_on" && task.Advised.Told { // else the person is not told that it goes on in vain
			t.Errorf("step %d: the person counts as told", n)
		}
	}
}

// casesOf returns tasks at rest with the same size.
func casesOf(size int, slugs ...Slug) (all []Case) {
	for _, slug := range slugs {
		all = append(all, Case{Task: Task{Slug: slug}, State: State{Text: strings.Repeat("x", size)}})
	}
	return all
}

// TestReadAdvice: only tasks of the question count, each with one complete answer.
func TestReadAdvice(t *testing.T) {
	cases := casesOf(1, "a", "b")
	for answer, want := range map[string]string{
		`{"tasks":[{"task":"a","do":"go_on"},{"task":"b","do":"wait","reason":"x"}]}`:       "a go_on |b wait x|",
		`{"tasks":[{"task":"a","do":"tell","reason":" Bob\nasks "}]}`:                       "a tell Bob asks|",
		`{"tasks":[{"task":"a","do":"tell","reason":" \n"}]}`:                               "",
		`{"tasks":[{"task":"a","do":"stop"},{"task":"b","do":""}]}`:                         "",
		`{"tasks":[{"task":"c","do":"go_on"},{"task":"../a","do":"go_on"},{"do":"go_on"}]}`: "",
		`{"tasks":[{"task":"a","do":"go_on"},{"task":"a","do":"go_on"}]}`:                   "",
		`{"tasks":[]}`: "", `{}`: "", `null`: "", `[]`: "", ``: "", `{"tasks":[{"task":"a"`: "",
		`{"tasks":[{"task":"a","do":"tell","reason":"` + strings.Repeat("ü", 900) + `"}]}`: "a tell " +
			strings.Repeat("ü", 299) + "…|",
	} {
		got := ""
		for _, a := range ReadAdvice(json.RawMessage(answer), cases) {
			got += fmt.Sprintf("%s %s %s|", a.Case.Task.Slug, a.Do, a.Reason)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", answer, got, want)
		}
	}
}

// TestSweepQuestion: a question is bounded, what others wrote is fenced, and the tasks about which
// no model was asked for the longest time come first.
func TestSweepQuestion(t *testing.T) {
	var slugs []Slug
	for n := range 99 {
		slugs = append(slugs, Slug(fmt.Sprint("t", n)))
	}
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, zone(t, "Europe/Berlin"))
	fence := func(source, text string) string { return "<" + source + "|" + text + ">" }
	for size, want := range map[int]int{1: maxCases, 2 * maxCase: 19} {
		cases := Cases(casesOf(size, slugs...))
		if text := SweepQuestion(cases, now, fence); len(cases) != want || len(text) > 2*maxCasesSize {
			t.Errorf("files of %d bytes: %d tasks in %d bytes", size, len(cases), len(text))
		}
	}
	all := casesOf(1, "new", "old", "never")
	all[0].Task.Advised.At, all[1].Task.Advised.At = now, now.Add(-time.Hour)
	all[2].Rest = Rest{Since: now.Add(-time.Hour).UTC(), Said: "Half of it."}
	first := Cases(all)[0]
	text := SweepQuestion(slices.Clone(all), now, fence)
	if first.Task.Slug != "never" {
		t.Errorf("%s is asked about first", first.Task.Slug)
	}
	for _, want := range []string{
		"It is Sunday, 2026-03-01 12:00 CET.", "\nTask never, at rest since Sunday, 2026-03-01 11:00\n",
		"<the state.md of this task|x>", "<what its agent said last|Half of it.>",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %s", want, text)
		}
	}
}
