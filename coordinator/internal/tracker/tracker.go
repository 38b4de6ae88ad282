// Package tracker reads and changes a project's issues where the project keeps
// them: in markdown files of its own tree, on GitHub (gh), or in a program that speaks the
// protocol of protocol.go. tissue and bd are adapters over that protocol.
package tracker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/child"
	"github.com/afar-sh/afar/coordinator/internal/markdown"
)

// A Status says how far an issue is. The words are those of tissue. The trackers
// of other tools map their own statuses to these.
type Status string

// The five statuses. Closed and duplicate issues are over.
const (
	StatusOpen       Status = "open"
	StatusInProgress Status = "in_progress"
	StatusPaused     Status = "paused"
	StatusDuplicate  Status = "duplicate"
	StatusClosed     Status = "closed"
)

var statuses = []Status{StatusOpen, StatusInProgress, StatusPaused, StatusDuplicate, StatusClosed}

// Over reports whether an issue with this status no longer holds up others.
func (s Status) Over() bool { return s == StatusClosed || s == StatusDuplicate }

// check returns an error unless s is one of the five statuses.
func (s Status) check() error {
	if !slices.Contains(statuses, s) {
		return fmt.Errorf(
			"unknown status %q; want open, in_progress, paused, duplicate or closed",
			markdown.Shorten(string(s)),
		)
	}
	return nil
}

// The range of priorities, and the priority of an issue that does not name one.
const (
	firstPriority   = 1
	lastPriority    = 5
	defaultPriority = 2
)

// An Issue is one piece of work, as its tracker has it. The form in JSON is that of the protocol.
type Issue struct {
	ID       string    `json:"id"`
	Title    string    `json:"title"`
	Body     string    `json:"body"` // markdown: the description and, below it, the comments
	Status   Status    `json:"status"`
	Priority int       `json:"priority"` // 1 (first) to 5
	Needs    []string  `json:"needs"`    // ids of the issues that must be over first
	Waits    []string  `json:"waits"`    // those of Needs that are not over; null if a program does not say it
	Created  time.Time `json:"created"`  // zero if unknown
	Path     string    `json:"-"`        // of its file, relative to the repository's top, with slashes; "" if it has none

	// Comments are those of an issue that a program keeps, oldest first. Lists may omit them. In a
	// reply, the body is without them.
	Comments []Comment `json:"comments"`

	// Broken says why an issue cannot be worked on: its file cannot be parsed, a
	// need does not exist, or needs form a circle. It names the file and the line
	// if there are any. A broken issue is listed, so that one bad file hides
	// neither itself nor the others. It is never ready.
	Broken string `json:"-"`
}

// A Comment is one comment of an issue.
type Comment struct {
	At   time.Time `json:"at"` // zero if unknown
	Text string    `json:"text"`
}

// A Draft is an issue to create. With Priority 0 the tracker chooses its default.
type Draft struct {
	Title, Body string
	Priority    int
	Needs       []string // ids, or prefixes of ids
}

// checked returns the draft in a form that every tracker can hold: a title of one
// line, a valid UTF-8 body, and a priority in range or 0. It returns an error if
// there is no such form.
func (d Draft) checked() (Draft, error) {
	title, err := titleOf(d.Title)
	if err != nil {
		return d, err
	}
	if d.Priority != 0 && d.Priority != clampPriority(d.Priority) {
		return d, fmt.Errorf("unknown priority %d; want a number from 1 (first) to 5", d.Priority)
	}
	if len(d.Body) > maxBody {
		return d, fmt.Errorf(
			"the body has %d bytes; an issue has at most %d, and a file can be named in it",
			len(d.Body), maxBody,
		)
	}
	d.Title, d.Body, d.Needs = title, asText(d.Body), slices.Clone(d.Needs)
	return d, nil
}

// A Tracker is one place that holds issues. An id may be shortened to a prefix
// that only one issue has. Each call ends with its context, and has a time limit
// of its own.
type Tracker interface {
	// Name is files, tissue, bd, gh or the absolute path of a program.
	Name() string
	// List returns all issues that are not over, by priority, then age.
	List(ctx context.Context) ([]Issue, error)
	// Ready returns the issues that are open and wait for nothing, in the order
	// in which they should be done.
	Ready(ctx context.Context) ([]Issue, error)
	// Show returns one issue, over or not, with its comments. List and Ready may
	// omit the comments.
	Show(ctx context.Context, id string) (Issue, error)
	// New creates an open issue and returns it.
	New(ctx context.Context, d Draft) (Issue, error)
	// Set gives an issue a status and, if note is not empty, a comment. It may be
	// repeated after a crash: it writes neither a status that the issue already
	// has, nor a note that is already its last comment.
	Set(ctx context.Context, id string, s Status, note string) error
}

// The kinds of errors, for errors.Is. The text of an error says what to do.
var (
	ErrNotFound  = errors.New("no such issue")
	errAmbiguous = errors.New("more than one issue begins like that")
	errCycle     = errors.New("issues need each other in a circle")
	errBroken    = errors.New("the issue cannot be understood")
	errTool      = errors.New("the issue tracker does not work") // the program is absent or broken
)

// Open returns the tracker of the repository or worktree at top. The name is
// files, tissue, bd, gh or the absolute path of a program. With "" Open detects the tracker: files if .afar/issues
// exists, else the tool whose directory exists, else files. It never detects gh,
// because gh uses the network.
func Open(top, name string) (Tracker, error) {
	if !filepath.IsAbs(top) {
		return nil, fmt.Errorf("open tracker: %q is not absolute", top)
	}
	if name == "" {
		name = detect(top)
	}
	switch {
	case name == "files":
		return newFiles(top), nil
	case name == "tissue":
		return outside{name, tissue{tissueTool.at(top)}.answers()}, nil
	case name == "bd":
		return outside{name, beads{beadsTool.at(top)}.answers()}, nil
	case name == "gh":
		return outside{name, github{githubTool.at(top)}.answers()}, nil
	case child.IsOfProject(name, top):
		return nil, fmt.Errorf("%w: %s is a program of the project itself; put it elsewhere", errTool, name)
	case filepath.IsAbs(name):
		return outside{name, programTool(name).at(top).answers()}, nil
	}
	return nil, fmt.Errorf("%w: unknown tracker %q; want files, tissue, bd, gh or an absolute path", errTool, name)
}

// detect returns the name of the tracker whose directory exists at top.
func detect(top string) string {
	for _, c := range []struct{ dir, name string }{{issuesDir, "files"}, {".tissue", "tissue"}, {".beads", "bd"}} {
		if info, err := os.Stat(filepath.Join(top, filepath.FromSlash(c.dir))); err == nil && info.IsDir() {
			return c.name
		}
	}
	return "files"
}

// InTree reports whether issues are files of the work tree. A new status is then
// a change of the tree: a tracker opened on an issue's worktree closes the issue
// there, and the commit on the issue's branch carries the change to the base. The
// same change in the main checkout would leave that checkout dirty. An issue file
// that was never committed exists only in the main checkout.
func InTree(t Tracker) bool { return t.Name() == "files" }

// Logs are the files in which tools keep issues, as paths relative to the top. If
// a project has them in git, a tool that sets a status leaves them modified. Such
// a change is not anybody's unfinished work.
var Logs = []string{".tissue/issues.jsonl", ".beads/issues.jsonl"}

// sortByPriority sorts the issues by priority, then by age, and returns them. An
// issue without a date is the youngest.
func sortByPriority(issues []Issue) []Issue {
	slices.SortStableFunc(issues, func(a, b Issue) int {
		return cmp.Or(cmp.Compare(a.Priority, b.Priority), byAge(a.Created, b.Created), strings.Compare(a.ID, b.ID))
	})
	return issues
}

func byAge(a, b time.Time) int {
	if a.IsZero() != b.IsZero() {
		return cmp.Compare(b.Unix(), a.Unix()) // the zero time is long ago
	}
	return a.Compare(b)
}

// notOver returns the issues that are not over, sorted. Broken ones are kept.
func notOver(issues []Issue) []Issue {
	return sortByPriority(slices.DeleteFunc(issues, func(i Issue) bool { return i.Status.Over() && i.Broken == "" }))
}

// ready returns the issues that can be worked on now, sorted.
func ready(issues []Issue) []Issue {
	return sortByPriority(slices.DeleteFunc(issues, func(i Issue) bool {
		return i.Status != StatusOpen || i.Broken != "" || len(i.Waits) > 0
	}))
}

// pick returns the issue with an id, or the only one whose id begins with it.
func pick(issues []Issue, id string) (Issue, error) {
	var like []Issue
	for _, i := range issues {
		if i.ID == id {
			return i, nil
		}
		if id != "" && strings.HasPrefix(strings.ToLower(i.ID), strings.ToLower(id)) {
			like = append(like, i)
		}
	}
	switch len(like) {
	case 0:
		return Issue{}, fmt.Errorf("%w: %q", ErrNotFound, id)
	case 1:
		return like[0], nil
	}
	return Issue{}, fmt.Errorf("%w: %q may be %s", errAmbiguous, id, ids(like))
}

func ids(issues []Issue) string {
	var out []string
	for _, i := range issues {
		out = append(out, i.ID)
	}
	if len(out) > 5 {
		out = append(out[:5], "…")
	}
	return strings.Join(out, ", ")
}
