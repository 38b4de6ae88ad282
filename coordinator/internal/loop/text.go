package loop

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/afar-sh/afar/coordinator/text"
)

const (
	goalRunes   = 200
	reasonBytes = 2000
	tailBytes   = 4096
)

// The markers are in inline code, so that a session that repeats these texts does not end
// its loop.
const (
	rule = "When all of it is done, write `<loop-done>COMPLETE</loop-done>` alone on its own line, outside any " +
		"code block." +
		" If you cannot get any further, write `<loop-done>STUCK</loop-done>` the same way and say why."
	wayOut = "The person can end this with `/afar:cancel` here or `afar loop cancel` in a terminal."
)

// Intro returns the text for the model when the top frame starts. It returns "" if no loop
// runs.
func Intro(s Stack) string {
	f, ok := s.Top()
	switch {
	case !ok:
		return ""
	case f.Issue != nil:
		return issuesIntro
	}
	lines := []string{
		fmt.Sprintf("[loop %d/%d] A loop keeps this session at work. Goal: %s", f.N, f.Max, f.goal()),
		fmt.Sprintf("Each time you stop before the goal is reached you will be sent back to it, at most %d times%s%s.",
			f.Max, until(f), spending(f)),
		rule,
	}
	if f.Check != "" {
		lines = append(lines, checkRule, "The check is: "+line(f.Check, goalRunes))
	}
	if place := where(f); place != "" {
		lines = append(lines, place)
	}
	if f.Tell != "" {
		lines = append(lines, f.Tell)
	}
	if len(s.Frames) > 1 && f.IssueID == "" {
		lines = append(lines, "This loop is inside another one, which goes on when this one ends.")
	}
	return strings.Join(append(lines, wayOut), "\n")
}

const checkRule = "A check chosen by the person then runs and decides; your word alone does not end the loop."

func until(f Frame) string {
	if f.Deadline.IsZero() {
		return ""
	}
	return ", until " + f.Deadline.UTC().Format("2006-01-02 15:04 MST")
}

// spending says what a frame may spend.
func spending(f Frame) string {
	text := ""
	if f.Budget > 0 {
		text = fmt.Sprintf(", for at most $%.2f", f.Budget)
	}
	if f.TokensTo > 0 {
		text += fmt.Sprintf(", with at most %d tokens", f.TokensTo)
	}
	return text
}

// reason returns the text of a block. It has at most 2,000 bytes, in addition to the news of
// an issue, which has at most 4 kB of data, and the end of a red check's output.
func reason(f Frame, news string, background []string, red *CheckResult) string {
	lines := []string{fmt.Sprintf("[loop %d/%d] Goal: %s", f.N, f.Max, f.goal())}
	if place := where(f); place != "" {
		lines = append(lines, place)
	}
	if news != "" {
		lines = append(lines, news)
	}
	if red != nil {
		lines = append(lines, "You said COMPLETE, but "+f.Checked+". "+red.printed())
	}
	lines = append(lines,
		"See what is done and what is missing, then take the next step and verify it."+lastCall(f), rule)
	if f.Check != "" {
		lines = append(lines, checkRule)
	}
	text := strings.Join(append(lines, wayOut), "\n")
	text += running(background, reasonBytes-len(text))
	if red != nil && red.Tail != "" {
		text += "\nOutput of the check:\n" + tail(red.Tail, tailBytes)
	}
	return text
}

func (r CheckResult) printed() string {
	if r.Tail == "" {
		return "It printed nothing."
	}
	return "The end of its output is below."
}

func lastCall(f Frame) string {
	if f.N < f.Max {
		return ""
	}
	return " This is the last iteration."
}

// running lists as many background shells as fit into room bytes.
func running(background []string, room int) string {
	if len(background) == 0 {
		return ""
	}
	text := fmt.Sprintf("\nStill running in the background (%d):", len(background))
	const more = "\n- and %d more"
	for i, b := range background {
		item := "\n- " + line(b, 60)
		if len(text)+len(item)+len(more)+8 > room {
			return text + fmt.Sprintf(more, len(background)-i)
		}
		text += item
	}
	return text
}

// verdictLine returns the message about an ended frame, without its first word.
func verdictLine(f Frame, end ending, now time.Time) string {
	said := f.called(end.verdict, end.proven, end.by)
	said += fmt.Sprintf(": %s\n%s, %s.", f.goal(), f.counted(), text.Length(now.Sub(f.StartedAt)))
	return said + why(end.note)
}

// goal returns a frame's goal in one line. For an issue it is the title, because the text
// of an issue is data.
func (f Frame) goal() string {
	goal := f.Goal
	if f.IssueID != "" {
		goal, _, _ = strings.Cut("issue "+f.IssueID+": "+goal, "\n")
	}
	return line(goal, goalRunes)
}

// counted returns the count with its unit.
func (f Frame) counted() string {
	if f.Issue != nil {
		return f.count()
	}
	return f.count() + " iterations"
}

func pauseLine(f Frame, p Pause) string {
	text := fmt.Sprintf("Loop paused by a limit: %s\n%s.", line(f.Goal, goalRunes), f.counted())
	text += why(p.Note)
	if p.Until.IsZero() {
		return text + " It goes on with the session's next prompt."
	}
	return text + " It goes on at " + p.Until.UTC().Format("2006-01-02 15:04 MST") + "."
}

func why(note string) string {
	if note = strings.TrimRight(line(note, goalRunes), "."); note == "" {
		return ""
	}
	return " Why: " + note + "."
}

// line folds a text into one line of at most n characters. It removes control, bidi and
// other invisible characters.
func line(s string, n int) string {
	s = head(s, 64*n) // a task may have megabytes
	return text.Clip(text.Fold(strings.Map(visible, strings.ToValidUTF8(s, "\uFFFD"))), n)
}

func visible(r rune) rune {
	const zwnj, zwj = '\u200c', '\u200d' // they join letters and emoji
	switch {
	case r == '\n', r == '\t', r == zwnj, r == zwj:
		return r
	case unicode.IsSpace(r):
		return ' '
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
		return -1
	}
	return r
}

// head returns at most n bytes from the start. It never cuts a character.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// tail returns at most n bytes from the end, without invisible characters. It never cuts a
// character.
func tail(s string, n int) string {
	i := max(0, len(s)-n)
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	return strings.Map(visible, strings.ToValidUTF8(s[i:], "?"))
}
