// Package task reads and changes the markdown files of a task, which a person may edit at
// any time: state.md, checkpoint.md, a suggestion, gaps.md. What it does not know stays
// byte for byte. A file that cannot be understood is shown as it is. The package does no
// I/O.
package task

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/markdown"
)

// A State is what a state.md says.
type State struct {
	Text       string // the whole file
	Title      string
	Objective  string
	Status     Status
	StatusText string // the status as the file writes it
	LastAction time.Time
	Contacts   string
	Wait       Wait
	Faults     []markdown.Error // in the order of their lines
}

// A Wait is the section Waiting For of a task, zero if there is none.
type Wait struct {
	Text string
	// Due is when the task goes on by itself. Without a date its Words say what was not
	// understood.
	Due Day
}

// First returns the first line with a text.
func (w Wait) First() string {
	line, _, _ := strings.Cut(strings.TrimSpace(w.Text), "\n")
	return strings.TrimSpace(line)
}

// The headings of the sections, in every spelling, the one that Afar writes first.
var (
	objective = []string{"Objective"}
	current   = []string{"Current State", "État actuel"}
	waiting   = []string{"Waiting For", "Waiting", "En attente"}
	contacts  = []string{"Contacts"}
)

// MaxState is the largest state.md that is read, in bytes; a checkpoint or a suggestion may have as
// many.
const MaxState = 1 << 20

// ParseState reads a state.md. Dates are in loc. It returns what it understands of any text,
// and what it does not understand as faults.
func ParseState(text string, loc *time.Location) State {
	s := State{Text: text}
	if len(text) > MaxState {
		s.fault(1, "the file has %d bytes; want at most %d", len(text), MaxState)
		return s
	}
	s.readTitle()
	body := func(names []string) string {
		section, _ := find(text, names)
		return trim(section.Text)
	}
	s.Objective, s.Contacts = body(objective), body(contacts)
	s.readCurrent(loc)
	s.Wait = waitOf(body(waiting), s.LastAction)
	return s
}

func (s *State) fault(line int, format string, args ...any) {
	s.Faults = append(s.Faults, markdown.Error{Line: line, Text: fmt.Sprintf(format, args...)})
}

func (s *State) readTitle() {
	title, err := markdown.Form{Noun: "a task"}.Title(s.Text)
	var at markdown.Error
	if errors.As(err, &at) {
		s.Faults = append(s.Faults, at)
		return
	}
	s.Title = title
}

// readCurrent reads the section Current State. A line STATUS elsewhere is text.
func (s *State) readCurrent(loc *time.Location) {
	section, ok := find(s.Text, current)
	if !ok {
		s.fault(1, "the section \"## Current State\" is missing")
		return
	}
	s.StatusText, ok = lineOf(section.Text, "STATUS")
	s.Status = parseStatus(s.StatusText)
	switch {
	case !ok:
		s.fault(section.Line, "the section has no line STATUS: want one of %s", list(Statuses()))
	case s.Status == Unknown:
		s.fault(section.Line, "unknown status %.60q; want one of %s", s.StatusText, list(Statuses()))
	}
	if last, ok := lineOf(section.Text, "Last action"); ok {
		day, _ := findDay(last, time.Time{}.In(loc))
		s.LastAction = day.From
	}
}

func waitOf(text string, base time.Time) Wait {
	if text == "" {
		return Wait{}
	}
	return Wait{Text: text, Due: dueOf(text, base)}
}

// WarnAt is the size of a state.md, in bytes, above which the person and the agent are told to
// shorten it.
const WarnAt = 32 << 10

// Long says that a state.md has grown too long to be read well, "" for one that has not. It is
// never cut.
func (s State) Long() string {
	if len(s.Text) <= WarnAt {
		return ""
	}
	return fmt.Sprintf("state.md has more than %d kB: what is done should be shortened, and details moved into "+
		"artifacts/", WarnAt>>10)
}

// Ready reports whether the task goes on by itself at now: it is in progress, and what it
// waits for is due.
func (s State) Ready(now time.Time) bool {
	if s.Status != InProgress && s.Status != Waiting {
		return false
	}
	if s.Wait.Text == "" {
		return s.Status == InProgress
	}
	return s.Wait.Due.passed(now)
}

// Errors of CanStart.
var (
	ErrOver      = errors.New("the task is over")
	ErrStatus    = errors.New("the status of the task is unknown")
	ErrObjective = errors.New("the task has no objective")
)

// CanStart returns an error if no run may work on the task as its file is.
func (s State) CanStart() error {
	switch {
	case s.Status == Unknown:
		return ErrStatus
	case s.Status.Over():
		return ErrOver
	case s.Objective == "":
		return ErrObjective
	}
	return nil
}

// Held says when the task gets a text that waits for it although nothing works on it, "" for at
// once.
func (s State) Held() string {
	switch s.CanStart() {
	case ErrOver:
		return "when it is reopened: it is " + strings.ToLower(string(s.Status))
	case ErrStatus:
		return fmt.Sprintf("when state.md has a known status again, not %.60q", s.StatusText)
	case ErrObjective:
		return "when state.md has an objective"
	}
	return ""
}

// WithoutWait returns the text without the section Waiting For.
func (s State) WithoutWait() string {
	if section, ok := find(s.Text, waiting); ok {
		return section.CutFrom(s.Text)
	}
	return s.Text
}

// WithStatus returns the text with another status. A missing line or section is added.
func (s State) WithStatus(status Status) string {
	text, end := ending(s.Text), markdown.LineEnding(s.Text)
	line := "STATUS: " + string(status) + end
	section, ok := find(text, current)
	if !ok {
		return text + end + "## " + current[0] + end + line
	}
	from, to, ok := place(section.Text, "STATUS")
	if !ok {
		return section.ReplaceIn(text, line+section.Text)
	}
	return section.ReplaceIn(text, section.Text[:from]+string(status)+section.Text[to:])
}

// NewState returns the first state.md of a task.
func NewState(title, goal string, today time.Time) string {
	return "# " + title + "\n\n## Objective\n" + strings.TrimSpace(goal) +
		"\n\n## Current State\nSTATUS: IN PROGRESS\nLast action: " + today.Format(time.DateOnly) + "\n"
}
