package loop

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/markdown"
)

// frameLine begins the line of loop.md that says whose goal stands above it.
const frameLine = "- frame: "

// editHint is what loop.md says to the person about itself.
const editHint = "To change a goal, edit its quote above; it counts from the next stop on."

// editedNews is told with the next block after that.
const editedNews = "The person has changed the goal. The whole of it: `afar read loop:anchor`."

// Edit takes in what a person wrote into loop.md: a task's goal that differs from
// what Render shows counts from now on, at most 4,096 bytes of it. Nothing else
// in the page is read, and an empty goal says nothing; the text of an issue is
// edited where the issue is. It reports the ids of the frames that changed.
func Edit(s Stack, page string, now time.Time) (Stack, []string) {
	if !s.Active() {
		return s, nil
	}
	goals, shown := goalsIn(page), goalsIn(Render(s))
	var changed []string
	next := s.clone()
	for i := range next.Frames {
		f := &next.Frames[i]
		quote, ok := goals[f.ID]
		goal := unquoted(quote)
		if !ok || f.Mode != Task || f.IssueID != "" || goal == unquoted(shown[f.ID]) || goal == "" {
			continue
		}
		sum := sha256.Sum256([]byte(goal))
		f.Goal, f.GoalSize, f.Digest = head(goal, goalBytes), len(goal), hex.EncodeToString(sum[:])
		f.Idle, f.Red = 0, 0 // it stood still before another goal
		if !strings.Contains(f.Tell, editedNews) {
			f.Tell = both(f.Tell, editedNews)
		}
		changed = append(changed, f.ID)
	}
	if len(changed) == 0 {
		return s, nil
	}
	next.UpdatedAt = stored(now)
	return next, changed
}

// goalsIn returns the quote of each section of a page, by the frame that the
// section names below it.
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

// unquoted is a goal as the person wrote it.
func unquoted(quote string) string {
	var b strings.Builder
	for line := range strings.Lines(quote) {
		line = strings.TrimPrefix(line, ">")
		b.WriteString(strings.TrimPrefix(line, " "))
	}
	return strings.TrimSpace(strings.Map(visible, b.String()))
}
