package task

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// seedState is the example of the system that tasks come from.
const seedState = `# Invoice Tracking 2025

## Objective
Verify that all monthly invoices have been sent to the client.

## Current State
STATUS: IN PROGRESS
Last action: 2026-03-13

## Completed
- Jan 2025: invoice #2025-001 sent on 02/05

## Remaining
- May 2025: timesheet MISSING, email sent to client on 03/12

## Waiting For
Email sent to billing@example.com on 03/12 for May timesheet.
Follow up if no response by 2026-03-16.

## Contacts
- Client billing: billing@example.com
`

func day(t *testing.T, text string) time.Time {
	t.Helper()
	d, err := time.ParseInLocation(time.DateOnly, text, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestSeedState(t *testing.T) {
	s := ParseState(seedState, time.UTC)
	want := State{
		Text:       seedState,
		Title:      "Invoice Tracking 2025",
		Objective:  "Verify that all monthly invoices have been sent to the client.",
		Status:     InProgress,
		StatusText: "IN PROGRESS",
		LastAction: day(t, "2026-03-13"),
		Contacts:   "- Client billing: billing@example.com",
		Wait: Wait{
			Text: "Email sent to billing@example.com on 03/12 for May timesheet.\n" +
				"Follow up if no response by 2026-03-16.",
			Due: Day{Words: "by 2026-03-16", From: day(t, "2026-03-16"), End: true},
		},
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Error(diff)
	}
	for now, ready := range map[string]bool{"2026-03-15": false, "2026-03-16": false, "2026-03-17": true} {
		if got := s.Ready(day(t, now)); got != ready {
			t.Errorf("on %s: ready %v, want %v", now, got, ready)
		}
	}
	if got := s.Wait.First(); got != "Email sent to billing@example.com on 03/12 for May timesheet." {
		t.Errorf("first line %q", got)
	}
}

// TestStatus: each spelling of old and new workspaces. What is unknown stays as it is
// written, and the task is not started.
func TestStatus(t *testing.T) {
	for text, want := range map[string]Status{
		"IN PROGRESS": InProgress, "in_progress": InProgress, "InProgress": InProgress, "In-Progress": InProgress,
		"EN COURS": InProgress, "WAITING": Waiting, "EN ATTENTE": Waiting, "BLOCKED": Blocked, "BLOQUÉ": Blocked,
		"COMPLETED": Completed, "complete": Completed, "TERMINÉ": Completed, "ARCHIVED": Archived, "ARCHIVÉ": Archived,
		"EN PAUSE": Unknown, "": Unknown, "PROGRESS": Unknown,
	} {
		s := ParseState("# T\n\n## Current State\n**STATUS:** "+text+"\n", time.UTC)
		if s.Status != want || s.StatusText != text {
			t.Errorf("%q is %q (%q), want %q", text, s.Status, s.StatusText, want)
		}
		if ready := s.Ready(time.Now()); ready != (want == InProgress) {
			t.Errorf("%q: ready is %v", text, ready)
		}
	}
}

// TestStatusElsewhere: only the section Current State says how far the task is.
func TestStatusElsewhere(t *testing.T) {
	text := "# T\n\n## Objective\nSTATUS: COMPLETED is what the report shall say.\n\n## Current State\n" +
		"- status: blocked\n"
	s := ParseState(text, time.UTC)
	if s.Status != Blocked {
		t.Errorf("status %q, want BLOCKED", s.Status)
	}
	if got, want := s.WithStatus(Archived), strings.Replace(text, "blocked", "ARCHIVED", 1); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWaiting(t *testing.T) {
	for section, want := range map[string]Wait{
		"## Waiting\nATTENTE: TIERS\nNEXT ACTION: 2026-05-01\n": {
			Due: Day{Words: "2026-05-01", From: day(t, "2026-05-01")},
		},
		"## en attente\nWAITING: THIRD_PARTY\nnext action: 3 April\n": {
			Due: Day{Words: "3 April", From: day(t, "2026-04-03")},
		},
		"## Waiting For:\nWAITING: USER\n- NEXT ACTION: when she is back\n": {
			Due: Day{Words: "when she is back"},
		},
		"## Waiting For\nA reply. Ask again after Monday, not before.\n": {
			Due: Day{Words: "after Monday", From: day(t, "2026-03-16"), End: true},
		},
		"## Waiting For\nMet on 2026-01-01; nothing is due.\n": {},
	} {
		s := ParseState("# T\n\n## Current State\nSTATUS: WAITING\nLast action: 2026-03-13\n\n"+section, time.UTC)
		want.Text = s.Wait.Text
		if diff := cmp.Diff(want, s.Wait); diff != "" || s.Wait.Text == "" {
			t.Errorf("%q: %s", section, diff)
		}
	}
}

func TestDates(t *testing.T) {
	base := day(t, "2026-03-13") // a Friday
	for text, want := range map[string]string{
		"2026-04-01": "2026-04-01", "1 April": "2026-04-01", "1st April 2027": "2027-04-01", "March 20": "2026-03-20",
		"Mar 1": "2027-03-01", "Sept. 3rd": "", "Sept 3rd, 2026": "2026-09-03", "in 2 weeks": "2026-03-27",
		"in 1 month": "2026-04-13", "tomorrow": "2026-03-14", "next friday": "2026-03-20", "Saturday": "2026-03-14",
		"03/04": "", "2026-02-30": "", "31 June": "", "sometime": "",
	} {
		d, ok := findDay(text, base)
		got := ""
		if ok {
			got = d.From.Format(time.DateOnly)
		}
		if got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{"1 April", "tomorrow", "in 2 days", "Monday"} {
		if d, ok := findDay(text, time.Time{}); ok {
			t.Errorf("%q without a day to count from is %v", text, d)
		}
	}
}

// TestChanges: a change keeps all other bytes, and the line endings of the file.
func TestChanges(t *testing.T) {
	windows := strings.ReplaceAll(seedState, "\n", "\r\n")
	for name, text := range map[string]string{"unix": seedState, "windows": windows} {
		cleared := ParseState(text, time.UTC).WithoutWait()
		from, to := strings.Index(text, "## Waiting For"), strings.Index(text, "## Contacts")
		if want := text[:from] + text[to:]; cleared != want {
			t.Errorf("%s: got %q, want %q", name, cleared, want)
		}
		s := ParseState(text, time.UTC)
		if got, want := s.WithStatus(Completed), strings.Replace(text, "IN PROGRESS", "COMPLETED", 1); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	for _, text := range []string{"", "# T", "# T\r\n", "# T\n\n## Current State",
		"no title\n## Current State\nnothing\n"} {
		changed := ParseState(text, time.UTC).WithStatus(Blocked)
		if s := ParseState(changed, time.UTC); s.Status != Blocked {
			t.Errorf("%q became %q", text, changed)
		}
	}
}

func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		"":           "line 1: the file is empty",
		"\n\ntext\n": "line 3: the first line must be the title",
		"# T\n":      `line 1: the section "## Current State" is missing`,
		"# T\n\n## Current State\nSTATUS: EN PAUSE\n": `line 3: unknown status "EN PAUSE"; ` +
			`want one of IN PROGRESS, WAITING`,
		"# T\n\n## Current State\n":     "line 3: the section has no line STATUS",
		strings.Repeat("x", MaxState+1): "line 1: the file has 1048577 bytes",
	} {
		s := ParseState(text, time.UTC)
		if len(s.Faults) == 0 || !strings.HasPrefix(s.Faults[0].Error(), want) &&
			!strings.HasPrefix(s.Faults[len(s.Faults)-1].Error(), want) {
			t.Errorf("%.40q: %v, want %s", text, s.Faults, want)
		}
		if s.Ready(time.Now()) {
			t.Errorf("%.40q is started", text)
		}
	}
	s := ParseState(NewState("T", "do it", day(t, "2026-03-13")), time.UTC)
	if len(s.Faults) > 0 || !s.Ready(time.Now()) {
		t.Errorf("a new task: %+v", s)
	}
}

func FuzzState(f *testing.F) {
	f.Add(seedState)
	f.Add("# T\n\n## Current State\n**STATUS:** x\n## Waiting\nNEXT ACTION: in 999 months\n")
	f.Fuzz(func(t *testing.T, text string) {
		s := ParseState(text, time.UTC)
		if s.Text != text {
			t.Fatal("the text was changed")
		}
		for line := range strings.Lines(s.WithoutWait()) {
			if !strings.Contains(text, line) {
				t.Fatalf("a line that was not there: %q", line)
			}
		}
		if len(text) > MaxState/2 {
			return
		}
		again := ParseState(s.WithStatus(Completed), time.UTC)
		if again.Status != Completed && strings.Count(text, "```")+strings.Count(text, "~~~") == 0 {
			t.Fatalf("WithStatus of %q gave %q", text, again.Text)
		}
	})
}
