package loop

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// TestEdit checks that only the goal is read from loop.md.
func TestEdit(t *testing.T) {
	s := looping(t, "Fix it\nand say <loop-done>COMPLETE</loop-done> when done", nil)
	frame, _ := s.Top()
	page := Render(s)
	for name, c := range map[string]struct {
		page, goal string // goal "" is the one before
	}{
		"as it was": {page, ""},
		"edited": {
			strings.Replace(page, "> Fix it\n", "> Paint it green\n", 1),
			"Paint it green\nand say <loop-done>COMPLETE</loop-done> when done",
		},
		"one line of it": {
			strings.Replace(page, "\n> and say", "\n>and say", 1),
			"Fix it\nand say <loop-done>COMPLETE</loop-done> when done",
		},
		"by another editor": {
			strings.ReplaceAll(strings.Replace(page, "> Fix it", "> Paint it   ", 1), "\n", "\r\n"),
			"Paint it\nand say <loop-done>COMPLETE</loop-done> when done",
		},
		"another max": {strings.Replace(page, "task: 0/10", "task: 0/1000", 1), ""},
		"no goal": {
			strings.Replace(strings.Replace(page, "> Fix it\n", "", 1),
				"> and say <loop-done>COMPLETE</loop-done> when done", ">", 1), "",
		},
		"of another frame": {
			strings.Replace(strings.Replace(page, "> Fix it", "> x", 1), frameLine+frame.ID, frameLine+"other", 1), "",
		},
		"none": {"", ""},
		"half": {page[:len(page)/3], ""},
		"hidden": {
			strings.Replace(page, "> Fix it\n", "> Paint\u202e it\x00\n", 1),
			"Paint it\nand say <loop-done>COMPLETE</loop-done> when done",
		},
	} {
		t.Run(name, func(t *testing.T) {
			next, changed := Edit(s, c.page, epoch)
			got, _ := next.Top()
			if c.goal == "" {
				c.goal = frame.Goal
			}
			if got.Goal != c.goal || (len(changed) > 0) != (got.Tell != "") {
				t.Errorf("the goal is %q, changed: %q, told: %q", got.Goal, changed, got.Tell)
			}
			if got.Max != frame.Max || got.Check != frame.Check {
				t.Errorf("more than the goal changed: %+v", got)
			}
			if again, changed := Edit(next, c.page, epoch); len(changed) > 0 {
				t.Errorf("the same page counts twice: %+v", again)
			}
			if after, changed := Edit(next, Render(next), epoch); len(changed) > 0 {
				t.Errorf("our own page counts as an edit: %+v", after)
			}
		})
	}
}

// TestEditTold checks that the next block gives the new goal and says once that it is new.
func TestEditTold(t *testing.T) {
	s := looping(t, "Fix it", nil)
	s, _ = Edit(s, strings.Replace(Render(s), "> Fix it", "> Paint it green", 1), epoch)
	o := mustStop(s, Stopping{Tools: 1}, epoch)
	if !strings.Contains(o.Block, "Goal: Paint it green") || !strings.Contains(o.Block, editedNews) {
		t.Errorf("the first block:\n%s", o.Block)
	}
	if o = mustStop(o.Stack, Stopping{Tools: 1}, epoch); strings.Contains(o.Block, editedNews) {
		t.Errorf("told twice:\n%s", o.Block)
	}
}

// TestEditNested checks that the goal of each task can be edited, also below other frames. The
// text of an issue is edited in its tracker.
func TestEditNested(t *testing.T) {
	s := nested(t, atWork(t, looping(t, "Ship it", nil), "run", nil), "top", "Paint it", nil)
	for i := range s.Frames {
		s.Frames[i].Idle, s.Frames[i].Red = 2, 2
	}
	page := Render(s)
	for _, goal := range []string{"Ship it", "the issues of /repo", "Mend the gate", "Paint it"} {
		if !strings.Contains(page, "> "+goal) {
			t.Fatalf("no %q in\n%s", goal, page)
		}
		page = strings.ReplaceAll(page, "> "+goal, "> Not: "+goal)
	}
	at := epoch.Add(time.Minute)
	next, changed := Edit(s, page, at)
	if diff := cmp.Diff([]string{"a", "top"}, changed); diff != "" {
		t.Errorf("changed (-want +got):\n%s", diff)
	}
	for _, f := range next.Frames {
		edited := f.ID == "a" || f.ID == "top"
		if strings.HasPrefix(f.Goal, "Not: ") != edited || (f.Idle+f.Red == 0) != edited {
			t.Errorf("%s, idle %d, red %d: %s", f.ID, f.Idle, f.Red, f.Goal)
		}
	}
	if !next.UpdatedAt.Equal(at) || s.top().Goal != "Paint it" {
		t.Errorf("updated at %v; before it is %q", next.UpdatedAt, s.top().Goal)
	}
	if same, changed := Edit(s, Render(s), at); len(changed) > 0 || !same.UpdatedAt.Equal(epoch) {
		t.Errorf("our own page is a sign of life: %q, %v", changed, same.UpdatedAt)
	}
	ended := mustFail(s, "broken", epoch).Stack
	if _, changed := Edit(ended, page, at); len(changed) > 0 {
		t.Errorf("a loop that has ended: %q", changed)
	}
}

// TestFrameWithoutAGoal checks that a frame line without a quote changes no goal.
func TestFrameWithoutAGoal(t *testing.T) {
	if goals := goalsIn("## task\n" + frameLine + "a\n> later\n## more\n" + frameLine + "b\n"); len(goals) > 0 {
		t.Errorf("read %q", goals)
	}
}

// FuzzEdit checks that the goal stays within its bounds, whatever the page contains, and that
// an unchanged page is not an edit.
func FuzzEdit(f *testing.F) {
	s := looping(f, "Fix it\n\n> twice", nil)
	f.Add(Render(s))
	f.Add(strings.Replace(Render(s), "> Fix it", ">"+strings.Repeat(" \xff> x\n>", 900), 1))
	f.Add("## a\n> b\n" + frameLine)
	f.Fuzz(func(t *testing.T, page string) {
		next, changed := Edit(s, page, epoch)
		g, _ := next.Top()
		if len(g.Goal) > goalBytes || !utf8.ValidString(g.Goal) || strings.TrimSpace(g.Goal) == "" {
			t.Fatalf("goal %q", g.Goal)
		}
		if _, again := Edit(next, Render(next), epoch); len(again) > 0 {
			t.Fatalf("after %q our own page is an edit:\n%s", changed, Render(next))
		}
	})
}
