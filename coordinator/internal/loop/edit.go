package loop

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/markdown"
)

// frameLine begins the line of loop.md that names the frame of the goal above it.
const frameLine = "- frame: "

// editHint tells the person in loop.md how to change a goal.
const editHint = "To change a goal, edit its quote above; it counts from the next stop on."

// editedNews tells the session about a changed goal.
const editedNews = "The person has changed the goal. The whole of it: `afar read loop:anchor`."

// Edit applies what a person wrote into loop.md: if the goal of a task differs from what
// Render shows, it replaces the goal, up to 4,096 bytes. Edit reads nothing else in the
// page and ignores an empty goal. The text of an issue is changed in its tracker. Edit
// returns the ids of the frames that changed.
func Edit(s Stack, page string, now time.Time) (Stack, []string) {
	if !s.Active() {
		return s, nil
	}
	goals, shown := goalsIn(page), goalsIn(Render(s))
	var changed []string
	next := s.clone()
	for i := range next.Frames {
		f := &next.Frames[i]
		goal := unquoted(goals[f.ID])
		if !f.ownsGoal() || goal == "" || goal == unquoted(shown[f.ID]) {
			continue
		}
		sum := sha256.Sum256([]byte(goal))
		f.Goal, f.GoalSize, f.Digest = head(goal, goalBytes), len(goal), hex.EncodeToString(sum[:])
		f.Idle, f.Red = 0, 0 // they counted for the old goal
		if !strings.Contains(f.Tell, editedNews) {
			f.Tell = joinLines(f.Tell, editedNews)
		}
		changed = append(changed, f.ID)
	}
	if len(changed) == 0 {
		return s, nil
	}
	next.UpdatedAt = stored(now)
	return next, changed
}

// goalsIn returns the quote of each section of a page, by the id of the frame that the
// section names after it.
func goalsIn(page string) map[string]string {
	goals := map[string]string{}
	for _, section := range markdown.Sections(strings.ToValidUTF8(page, "\uFFFD")) {
		var quote []string
		for line := range strings.Lines(section.Text) {
			line = strings.TrimRight(line, " \t\r\n")
			id, isFrame := strings.CutPrefix(line, frameLine)
			switch {
			case strings.HasPrefix(line, ">"):
				quote = append(quote, line)
			case isFrame && len(quote) > 0:
				goals[id] = strings.Join(quote, "\n")
			}
		}
	}
	return goals
}

// unquoted returns the text of a quote.
func unquoted(quote string) string {
	var b strings.Builder
	for line := range strings.Lines(quote) {
		line = strings.TrimPrefix(line, ">")
		b.WriteString(strings.TrimPrefix(line, " "))
	}
	return strings.TrimSpace(strings.Map(visible, b.String()))
}
