// Package review decides whether a reviewer may end. A reviewer is an agent that was
// asked for a review. It must have consulted another model, and its last message must
// report what that model said. The package is pure: it turns journal entries about the
// reviewer into a ruling.
package review

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/event"
)

// Blocks is how often a reviewer is sent back. After that it may end, and the session
// that asked for the review is told that there was none.
const Blocks = 3

// Heading begins the section that a review must hold.
const Heading = "## Second Opinion"

// A Past is what the journal says about one reviewer since it last ended.
type Past struct {
	Consulted bool // another model answered
	Alone     bool // the reviewer tried to consult, but no other model was available
	Blocks    int
}

// Since reads the journal's entries about one agent, oldest first. Entries before its
// last end belong to an earlier review and do not count.
func Since(entries []event.Event) (p Past) {
	for _, e := range entries {
		switch e.Kind {
		case event.ConsultAnswered:
			p.Consulted = true
		case event.ConsultFailed:
			p.Alone = true
		case event.GateBlocked:
			p.Blocks++
		case event.GateOpened, event.GateGivenUp:
			p = Past{}
		}
	}
	return p
}

// Kinds are the kinds of entries that Since reads.
var Kinds = []event.Kind{
	event.ConsultAnswered,
	event.ConsultFailed,
	event.GateBlocked,
	event.GateOpened,
	event.GateGivenUp,
}

// A Ruling says whether a reviewer that wants to end may do so.
type Ruling struct {
	Kind  event.Kind // GateOpened, GateBlocked or GateGivenUp
	Block string     // what the reviewer is told; only with GateBlocked
	Tell  string     // what the session that asked must know; "" if nothing
	Text  string     // for the journal
}

// Judge returns the ruling for a reviewer, given its last message.
func Judge(p Past, message string) Ruling {
	missing := p.missing(message)
	switch {
	case len(missing) == 0 && p.Consulted:
		return Ruling{Kind: event.GateOpened, Text: "the review holds a second opinion"}
	case len(missing) == 0:
		return Ruling{Kind: event.GateOpened, Text: "the review stands alone: no other model could be asked",
			Tell: "Afar: the review that you were just given is the opinion of one model. No other model could " +
				"be asked for a second one."}
	case p.Blocks >= Blocks:
		what := strings.Join(missing, ", and ")
		return Ruling{Kind: event.GateGivenUp, Text: fmt.Sprintf("let go after %d blocks: %s", p.Blocks, what),
			Tell: fmt.Sprintf(
				"Afar: the review that you were just given did not pass the review gate: %s. The reviewer was sent "+
					"back %d times. Do not count it as a review: say that it is missing.",
				what,
				p.Blocks,
			)}
	}
	return Ruling{
		Kind:  event.GateBlocked,
		Block: advice(missing, p.Blocks),
		Text:  fmt.Sprintf("block %d of %d: %s", p.Blocks+1, Blocks, strings.Join(missing, ", and ")),
	}
}

// The two things that a review needs.
const (
	noConsult = "the journal shows no consultation of another model by this agent"
	noSection = "the last message has no section \"" + Heading + "\" with text in it"
)

func (p Past) missing(message string) (out []string) {
	if !p.Consulted && !p.Alone {
		out = append(out, noConsult)
	}
	if secondOpinion(message) == "" {
		out = append(out, noSection)
	}
	return out
}

func advice(missing []string, blocks int) string {
	var b strings.Builder
	fmt.Fprintf(
		&b,
		"Afar's review gate is not met (%d of %d): %s.\n",
		blocks+1,
		Blocks,
		strings.Join(missing, ", and "),
	)
	if slices.Contains(missing, noConsult) {
		b.WriteString(
			"Run `afar consult -` in Bash with your question on stdin, all that the other model must know in " +
				"it, and a timeout of 600000 ms. " +
				"It runs another model and records that it did; nothing else counts. When it says that no other " +
				"model can be asked, that counts, too: say so.\n",
		)
	}
	b.WriteString(
		"Then give your whole review again, with a section \"" + Heading + "\" that says what the other model " +
			"said and where you differ.",
	)
	return b.String()
}

// secondOpinion returns the text of the section under Heading, "" if the section is
// missing or empty. A heading inside a fence does not count.
func secondOpinion(message string) string {
	var section []string
	inside, fence := false, ""
	for l := range strings.SplitSeq(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(message), "\n") {
		before := fence
		fence = fenceAfter(fence, l)
		level := headingLevel(l)
		if before+fence != "" {
			level = 0 // code
		}
		switch level {
		case 1:
			inside = false
		case 2:
			inside = isSecondOpinion(l)
		default:
			if inside {
				section = append(section, l)
			}
		}
	}
	return strings.TrimSpace(strings.Join(section, "\n"))
}

// isSecondOpinion reports whether the title of a heading is that of Heading. It ignores
// case and the signs that models like to put around a title.
func isSecondOpinion(heading string) bool {
	return strings.EqualFold(strings.Trim(heading, "#*_: \t"), strings.Trim(Heading, "# "))
}

var headingSigns = regexp.MustCompile(`^ *(#{1,6})(?:[ \t]|$)`)

// headingLevel returns the level of a line's heading, 0 if the line is not a heading.
func headingLevel(l string) int {
	if signs := headingSigns.FindStringSubmatch(l); signs != nil {
		return len(signs[1])
	}
	return 0
}

// fenceAfter returns the fence that is open after a line, "" if there is none.
func fenceAfter(fence, l string) string {
	l = strings.TrimLeft(l, " ")
	for _, mark := range []string{"`", "~"} {
		run := l[:len(l)-len(strings.TrimLeft(l, mark))]
		switch {
		case len(run) < 3:
		case fence == "":
			return run
		case strings.HasPrefix(run, fence) && strings.TrimSpace(l[len(run):]) == "":
			return ""
		}
	}
	return fence
}

// Time limits of a reviewer's call that consults another model.
const (
	// open is how long the call may take. The host may ask the person first.
	open = 30 * time.Minute
	// grace is how long after its return the call may still begin a consultation: the
	// host may have moved it to the background.
	grace = 10 * time.Second
)

// A Call is a reviewer's tool call that runs `afar consult`. The program itself
// cannot tell which agent runs it: an agent's commands have the session's
// environment.
type Call struct {
	Agent, ID string
	At        time.Time
	Returned  time.Time // zero while it runs
	Taken     int       // consultations that were counted for it
}

// Over reports whether the call can no longer begin a consultation.
func (c Call) Over(now time.Time) bool {
	switch {
	case now.Sub(c.At) >= open:
		return true
	case c.Returned.IsZero():
		return false
	}
	return c.Taken > 0 || now.Sub(c.Returned) >= grace
}

// Whose returns the index of the call to which a consultation that begins now belongs:
// of the calls with the fewest consultations, the oldest. It returns -1 if every call is
// over.
func Whose(calls []Call, now time.Time) int {
	best := -1
	for i, c := range calls {
		if c.Over(now) {
			continue
		}
		if best < 0 || c.Taken < calls[best].Taken {
			best = i
		}
	}
	return best
}
