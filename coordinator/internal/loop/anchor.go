package loop

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/text"
)

const (
	anchorBytes   = 8000
	anchorGoal    = 4500
	anchorCommits = 3
	anchorFiles   = 5
	stepRunes     = 400
)

// AnchorFacts are what an anchor contains in addition to the loop.
type AnchorFacts struct {
	Commits []string // newest first; the first 3 are shown
	Files   []string // changed files; the first 5 are shown
	Said    string   // the session's last message; its next step is shown
	Asked   string   // the person's last prompt
	Whole   string   // path of the file with the whole goal
}

func (a AnchorFacts) empty() bool {
	return len(a.Commits)+len(a.Files)+len(a.Said)+len(a.Asked) == 0
}

// Anchor returns what a session needs to know after its context was compacted: at most
// 8,000 bytes of markdown, in whole lines, that say what was left out. Without a loop it
// contains only the facts, and is empty if there are none.
func Anchor(s Stack, facts AnchorFacts, now time.Time) string {
	f, ok := s.Top()
	if !ok && facts.empty() {
		return ""
	}
	var b strings.Builder
	if ok {
		fmt.Fprintf(&b, "# Loop anchor\n\n- mode: %s\n- iteration: %s\n", f.Mode, f.count())
		fmt.Fprintf(&b, "- running for: %s%s\n", text.Length(now.Sub(f.StartedAt)), until(f))
	} else {
		b.WriteString("# Anchor\n\n")
	}
	fmt.Fprintf(&b, "- written: %s\n- next step: %s\n", stamp(now), next(facts.Said))
	if facts.Asked != "" {
		fmt.Fprintf(&b, "- the person asked last: %s\n", line(facts.Asked, stepRunes))
	}
	if ok {
		f.anchor(&b, facts.Whole)
	}
	list(&b, "Last commits", facts.Commits, anchorCommits)
	list(&b, "Changed files", facts.Files, anchorFiles)
	if ok {
		list(&b, "Outer loops, which go on afterwards", outerGoals(s), maxDepth)
	}
	return cutLines(b.String(), anchorBytes, "the anchor")
}

// anchor writes the task of the frame at work.
func (f Frame) anchor(b *strings.Builder, whole string) {
	fmt.Fprintf(b, "\n## Goal\n\n%s\n", quoted(f))
	if whole != "" {
		fmt.Fprintf(b, "\nThe whole goal, %d bytes: %s\n", f.GoalSize, whole)
	}
	if place := where(f); place != "" {
		fmt.Fprintf(b, "\n## Worktree\n\n%s\n", place)
	}
	fmt.Fprintf(b, "\n## Rules\n\n%s\n%s\n", rule, wayOut)
}

// ownsGoal reports whether the goal of f is a task that the person gave, not an issue.
func (f Frame) ownsGoal() bool { return f.Mode == Task && f.IssueID == "" }

// GoalFile returns the name of the file with the whole goal of a frame, in its session's
// folder. It returns "" for an issue, because its tracker has the text.
func (f Frame) GoalFile() string {
	if !f.ownsGoal() {
		return ""
	}
	return "goal-" + f.ID + ".md"
}

// next returns the next step that a message names at its end.
func next(said string) string {
	if step := nextStep(said); step != "" {
		return step
	}
	return "see what is done and what is missing, then go on with the goal"
}

// listMark matches the marks before the text of a line.
var listMark = regexp.MustCompile(`^(?:[-*+>#]+\s+|\d+[.)]\s+)+`)

// saysNext matches the beginning of a line that names the next step.
var saysNext = regexp.MustCompile(
	`(?i)^(?:the )?(?:next\b|then i|now i|i will|i'll|remaining\b|still to do\b|to do\b|todo\b)`,
)

// nextLabel matches the label in front of a next step.
var nextLabel = regexp.MustCompile(`(?i)^(?:the )?next(?: steps?)?\s*[:–—-]\s*`)

// nextStep returns the last line of a message that names a next step, else its last line.
// Lines in a fence and markers do not count.
func nextStep(message string) (step string) {
	fence, last := "", ""
	for l := range strings.SplitSeq(head(message, 64<<10), "\n") {
		text := strings.ReplaceAll(listMark.ReplaceAllString(strings.TrimSpace(l), ""), "**", "")
		switch {
		case fence != "":
			if closes(l, fence) {
				fence = ""
			}
		case opens(l) != "":
			fence = opens(l)
		case text == "", markerWord(l) != "":
		default:
			last = text
			if saysNext.MatchString(text) {
				step = nextLabel.ReplaceAllString(text, "")
			}
		}
	}
	return line(cmp.Or(step, last), stepRunes)
}
