// Package tracker reads and changes a project's issues where the project keeps
// them: in markdown files of its own tree, or in a tool (tissue, bd, gh).
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

	"github.com/afar-sh/afar/coordinator/internal/markdown"
)

// A Status says whether an issue is to be worked on. The words are those of
// tissue; a tool with fewer maps its own onto them.
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

// Over reports whether an issue of this status holds nothing up any more.
func (s Status) Over() bool { return s == StatusClosed || s == StatusDuplicate }

func (s Status) check() error {
	if !slices.Contains(statuses, s) {
		return fmt.Errorf(
			"unknown status %q; want open, in_progress, paused, duplicate or closed",
			markdown.Shorten(string(s)),
		)
	}
	return nil
}

// The range of priorities, and what an issue has that names none.
const (
	FirstPriority   = 1
	LastPriority    = 5
	DefaultPriority = 2
)

// An Issue is one piece of work, as its tracker has it.
type Issue struct {
	ID, Title string
	Body      string // markdown: the description and, below it, the comments
	Status    Status
	Priority  int       // 1 (first) to 5
	Needs     []string  // ids of the issues that must be over first
	Waits     []string  // those of Needs that are not over
	Created   time.Time // zero where nobody knows
	Path      string    // of its file below the repository's top, with slashes; "" where issues are no files

	// Broken says why an issue cannot be worked on as it stands, with file and
	// line where there is one: a file that cannot be understood, a need that
	// does not exist, a circle of needs. Such an issue is listed, so that one
	// broken file hides neither itself nor the others, and is never ready.
	Broken string
}

// A Draft is an issue that is to be made. A Priority of 0 leaves it to the
// tracker.
type Draft struct {
	Title, Body string
	Priority    int
	Needs       []string // ids, or prefixes of ids
}

// checked is a draft that every tracker can hold: a title of one line, text that
// is text, a priority in its range or 0.
func (d Draft) checked() (Draft, error) {
	title, err := titleOf(d.Title)
	if err != nil {
		return d, err
	}
	if d.Priority != 0 && (d.Priority < FirstPriority || d.Priority > LastPriority) {
		return d, fmt.Errorf("unknown priority %d; want a number from 1 (first) to 5", d.Priority)
	}
	if len(d.Body) > mostBody {
		return d, fmt.Errorf(
			"the body has %d bytes; an issue has at most %d, and a file can be named in it", len(d.Body),
			mostBody,
		)
	}
	d.Title, d.Body, d.Needs = title, asText(d.Body), slices.Clone(d.Needs)
	return d, nil
}

// A Tracker is one place where issues are. Ids may be given as a prefix that
// only one issue has. Every call may take as long as its context allows, and is
// bounded besides.
type Tracker interface {
	// Name is files, tissue, bd or gh.
	Name() string
	// List returns all issues that are not over, by priority, then age.
	List(ctx context.Context) ([]Issue, error)
	// Ready returns those that are open and wait for nothing, in the order in
	// which they should be done.
	Ready(ctx context.Context) ([]Issue, error)
	// Show returns one issue, over or not, with its comments. A list may leave
	// the comments of its issues out.
	Show(ctx context.Context, id string) (Issue, error)
	// New makes an open issue and returns it.
	New(ctx context.Context, d Draft) (Issue, error)
	// Set gives an issue a status and, where note is not empty, a comment. It
	// may be called again after a crash: a status that the issue has already
	// and a note that is already its last comment are not written twice.
	Set(ctx context.Context, id string, s Status, note string) error
}

// The reasons of a refusal, for errors.Is; the error's text says what to do.
var (
	ErrNotFound  = errors.New("no such issue")
	ErrAmbiguous = errors.New("more than one issue begins like that")
	ErrCycle     = errors.New("issues need each other in a circle")
	ErrBroken    = errors.New("the issue cannot be understood")
	ErrTool      = errors.New("the issue tracker does not work") // absent or broken; the text says which and what to do
)

// Open returns the tracker of the repository (or worktree) whose top is given.
// The name is files, tissue, bd or gh; "" finds out: the files where
// .afar/issues exists, else the tool whose directory exists, else the files. gh
// is never found out, for it asks the network.
func Open(top, name string) (Tracker, error) {
	if !filepath.IsAbs(top) {
		return nil, fmt.Errorf("open tracker: %q is not absolute", top)
	}
	if name == "" {
		name = found(top)
	}
	switch name {
	case "files":
		return newFiles(top), nil
	case "tissue":
		return newTissue(top), nil
	case "bd":
		return newBeads(top), nil
	case "gh":
		return newGitHub(top), nil
	}
	return nil, fmt.Errorf("%w: unknown tracker %q; want files, tissue, bd or gh", ErrTool, name)
}

func found(top string) string {
	for _, c := range []struct{ dir, name string }{{issuesDir, "files"}, {".tissue", "tissue"}, {".beads", "bd"}} {
		if info, err := os.Stat(filepath.Join(top, filepath.FromSlash(c.dir))); err == nil && info.IsDir() {
			return c.name
		}
	}
	return "files"
}

// InTree reports whether issues are files of the tree. Then a status is a change
// of the tree: a tracker opened on an issue's worktree closes it there, and the
// commit on the issue's branch carries the close to the base. Changed in the main
// checkout instead, a tracked file makes that checkout dirty. A file that
// was never committed is in no worktree; only the main checkout has it.
func InTree(t Tracker) bool { return t.Name() == "files" }

// Logs are the files of the tree in which tools keep issues, by their paths below
// the top. Where a project has them in git, a tool that gives an issue a status
// leaves them modified; that is nobody's unfinished work.
var Logs = []string{".tissue/issues.jsonl", ".beads/issues.jsonl"}

// best sorts by priority, then age; an issue without a date is the youngest.
func best(issues []Issue) []Issue {
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

func notOver(issues []Issue) []Issue {
	return best(slices.DeleteFunc(issues, func(i Issue) bool { return i.Status.Over() && i.Broken == "" }))
}

func ready(issues []Issue) []Issue {
	return best(slices.DeleteFunc(issues, func(i Issue) bool {
		return i.Status != StatusOpen || i.Broken != "" || len(i.Waits) > 0
	}))
}

// pick finds the issue that an id or the beginning of one names.
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
	return Issue{}, fmt.Errorf("%w: %q may be %s", ErrAmbiguous, id, ids(like))
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
