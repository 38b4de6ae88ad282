package loop

import (
	"fmt"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/text"
)

func outerGoals(s Stack) []string {
	var goals []string
	for i := len(s.Frames) - 2; i >= 0; i-- {
		f := s.Frames[i]
		goals = append(goals, f.count()+": "+line(f.Goal, 80))
	}
	return goals
}

// list writes the first n items of a section. It writes nothing if there are none.
func list(b *strings.Builder, title string, items []string, n int) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n", title)
	for _, item := range items[:min(n, len(items))] {
		fmt.Fprintf(b, "- %s\n", line(item, 120))
	}
	if left := len(items) - n; left > 0 {
		fmt.Fprintf(b, "- (%d more left out)\n", left)
	}
}

// quoted returns a frame's goal as a markdown quote.
func quoted(f Frame) string {
	lines := strings.Split(strings.Map(visible, f.Goal), "\n")
	text := cutLines("> "+strings.Join(lines, "\n> "), anchorGoal, "the goal")
	if f.GoalSize > len(f.Goal) {
		text += fmt.Sprintf("\n(the goal has %d bytes; only the first %d were kept)", f.GoalSize, len(f.Goal))
	}
	return text
}

// cutLines shortens text to at most n bytes, at the end of a line, and says how many bytes
// of what are missing. It cuts a long line between two characters.
func cutLines(text string, n int, what string) string {
	if len(text) <= n {
		return text
	}
	const note = "\n(%d bytes of %s left out)"
	kept := head(text, n-len(note)-len(what)-16)
	if i := strings.LastIndexByte(kept, '\n'); i > len(kept)/2 {
		kept = kept[:i]
	}
	return kept + fmt.Sprintf(note, len(text)-len(kept), what)
}

// Render returns the loop as a page for a person, loop.md. It returns "" for a session
// that never had a loop.
func Render(s Stack) string {
	if len(s.Frames) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Loop %s\n\n- session: %s\n- state: %s\n- updated: %s\n",
		line(s.RunID, 80), line(s.Session, 80), state(s), stamp(s.UpdatedAt))
	for i := len(s.Frames) - 1; i >= 0; i-- {
		renderFrame(&b, s.Frames[i])
	}
	if s.Active() {
		b.WriteString("\n" + editHint + "\nTo end it: `/afar:cancel` in the session, or `afar loop cancel`.\n")
	}
	return b.String()
}

func state(s Stack) string {
	switch {
	case s.Ended != nil:
		return s.Called() + because(s.Ended.Note)
	case s.Paused.shell():
		return "running, waits for a background shell"
	case s.Paused != nil:
		return "paused by a limit since " + stamp(s.Paused.At) + because(s.Paused.Note)
	case s.top().Checking:
		return "running, the check decides"
	case s.Waits():
		return "running, Afar " + s.waiting()
	}
	return "running"
}

func because(note string) string {
	if note = line(note, goalRunes); note == "" {
		return ""
	}
	return ": " + note
}

func renderFrame(b *strings.Builder, f Frame) {
	fmt.Fprintf(b, "\n## %s: %s\n\n%s\n\n%s%s\n- started: %s\n",
		f.Mode, f.count(), quoted(f), frameLine, line(f.ID, 80), stamp(f.StartedAt))
	f.renderIssue(b)
	if !f.LastStopAt.IsZero() {
		fmt.Fprintf(b, "- last stop: %s\n", stamp(f.LastStopAt))
	}
	if !f.Deadline.IsZero() {
		fmt.Fprintf(b, "- ends by: %s\n", stamp(f.Deadline))
	}
	if f.Budget > 0 {
		fmt.Fprintf(b, "- spent: $%.2f of $%.2f, at list prices\n", f.Spent.USD, f.Budget)
	}
	if f.TokensTo > 0 {
		fmt.Fprintf(b, "- tokens: %d of %d\n", f.Spent.Tokens, f.TokensTo)
	}
	if f.Check != "" {
		fmt.Fprintf(b, "- check: %s (at most %s)\n", line(f.Check, goalRunes), text.Length(f.CheckTimeout))
	}
	if f.Checked != "" {
		fmt.Fprintf(b, "- last result: %s\n", f.Checked)
	}
	if f.Idle > 0 {
		fmt.Fprintf(b, "- iterations without progress: %d\n", f.Idle)
	}
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 MST") }
