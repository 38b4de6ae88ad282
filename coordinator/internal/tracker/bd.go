package tracker

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/markdown"
)

// beads is the adapter for the tracker bd, which keeps its data in .beads. The contract is taken
// from runs of bd 1.0.0, and from cmd/bd and internal/types of
// github.com/steveyegge/beads. Priorities go from 0 to 4 there, and "A blocks B"
// is "B needs A" here. Scripts in .beads/hooks do not run: working on a cloned
// project must not run the project's code.
type beads struct{ tool }

var beadsTool = tool{
	program: "bd",
	timeout: toolTime,
	env:     []string{"BD_NO_HOOKS=1", "BD_NON_INTERACTIVE=1", "BD_NO_PAGER=1"},
	install: "install beads (github.com/steveyegge/beads), or set issues.tracker in config.toml",
}

func (b beads) answers() answers {
	return answers{opList: b.list, opReady: b.ready, opShow: b.show, opNew: b.create, opSet: b.set}
}

// checkVersion returns an error if bd cannot be kept from running a project's
// scripts. Before 1.0 bd runs them at every change, whatever BD_NO_HOOKS says.
func (b beads) checkVersion(ctx context.Context) error {
	var is struct {
		Version string `json:"version"`
	}
	if err := b.ask(ctx, &is, "version", "--json"); err != nil {
		return err
	}
	major, _, _ := strings.Cut(strings.TrimPrefix(is.Version, "v"), ".")
	if n, err := strconv.Atoi(major); err != nil || n < 1 {
		return toolError{
			"bd",
			fmt.Sprintf(
				"version %q runs the scripts that a project keeps for it, even when told not to; install 1.0 or newer",
				markdown.Shorten(is.Version),
			),
		}
	}
	return nil
}

// bdDuplicate is the label of an issue that was closed as a duplicate, because bd
// has no such status.
const bdDuplicate = "duplicate"

// bdStatuses maps bd's statuses to ours. Any other status, such as one that a
// project defined, counts as paused: such an issue may not be ready.
var bdStatuses = map[string]Status{
	"open":        StatusOpen,
	"in_progress": StatusInProgress,
	"hooked":      StatusInProgress,
	"deferred":    StatusPaused,
	"closed":      StatusClosed,
}

// A bdIssue is one issue in the output of `list`, `ready` and `show`. Dependencies
// have two forms: `list` has the other issue's id, `show` the whole issue.
type bdIssue struct {
	ID           string    `json:"id"`
	Title        string    `json:"title"`
	Description  string    `json:"description"`
	Design       string    `json:"design"`
	Acceptance   string    `json:"acceptance_criteria"`
	Notes        string    `json:"notes"`
	Status       string    `json:"status"`
	Priority     int       `json:"priority"`
	Type         string    `json:"issue_type"`
	Created      time.Time `json:"created_at"`
	Labels       []string  `json:"labels"`
	Dependencies []struct {
		ID     string `json:"id"`
		Status string `json:"status"`
		Kind   string `json:"dependency_type"` // show
		Needs  string `json:"depends_on_id"`   // list
		Type   string `json:"type"`            // list
	} `json:"dependencies"`
	Comments []struct {
		Text string    `json:"text"`
		At   time.Time `json:"created_at"`
	} `json:"comments"`
}

// issues returns the issues that a command prints.
func (b beads) issues(ctx context.Context, args ...string) (all []Issue, err error) {
	var printed []bdIssue
	if err := b.ask(ctx, &printed, args...); err != nil {
		return nil, err
	}
	for _, i := range printed {
		all = append(all, i.issue())
	}
	return all, nil
}

func (b beads) list(ctx context.Context, _ request) ([]Issue, error) {
	return b.issues(ctx, "list", "--json", "--all", "--limit", "0")
}

// ready leaves out epics. An epic only groups other issues, which are the work.
func (b beads) ready(ctx context.Context, _ request) ([]Issue, error) {
	var printed []bdIssue
	if err := b.ask(ctx, &printed, "ready", "--json", "--limit", "0"); err != nil {
		return nil, err
	}
	args := []string{"show", "--json"}
	for _, i := range printed {
		if err := checkID(i.ID); err != nil {
			return nil, toolError{"bd ready", err.Error()}
		}
		if i.Type != "epic" {
			args = append(args, i.ID)
		}
	}
	if len(args) == 2 {
		return nil, nil
	}
	return b.issues(ctx, args...)
}

func (b beads) show(ctx context.Context, q request) ([]Issue, error) {
	rows, err := b.issues(ctx, "show", q.ID, "--json")
	switch {
	case failedWith(err, "ambiguous ID"):
		err = errAmbiguous
	case failedWith(err, "no issue found", "not found", "no issues found matching"):
		err = ErrNotFound
	}
	return rows, err
}

// issue returns the issue in our words. Only `show` says what the issue waits for.
func (i bdIssue) issue() Issue {
	r := Issue{
		ID:       i.ID,
		Title:    i.Title,
		Body:     i.text(),
		Status:   i.status(),
		Priority: i.Priority + 1,
		Created:  i.Created,
		Waits:    []string{},
	}
	for _, c := range i.Comments {
		r.Comments = append(r.Comments, Comment{c.At, c.Text})
	}
	for _, d := range i.Dependencies {
		switch {
		case d.Type == "blocks":
			r.Needs = append(r.Needs, d.Needs)
		case d.Kind == "blocks":
			r.Needs = append(r.Needs, d.ID)
			if d.Status != "closed" {
				r.Waits = append(r.Waits, d.ID)
			}
		}
	}
	return r
}

// text returns the description of the issue and the other fields that describe the
// work, each under a heading.
func (i bdIssue) text() string {
	text := i.Description
	for _, part := range []struct{ head, text string }{
		{"Design", i.Design},
		{"Acceptance criteria", i.Acceptance},
		{"Notes", i.Notes},
	} {
		if strings.TrimSpace(part.text) != "" {
			text = strings.TrimSpace(text) + "\n\n## " + part.head + "\n\n" + part.text
		}
	}
	return text
}

func (i bdIssue) status() Status {
	s, known := bdStatuses[i.Status]
	switch {
	case !known:
		return StatusPaused
	case s == StatusClosed && slices.Contains(i.Labels, bdDuplicate):
		return StatusDuplicate
	}
	return s
}

// create creates the issue together with its needs. If bd cannot write a need, it only
// warns.
func (b beads) create(ctx context.Context, q request) ([]Issue, error) {
	if err := b.checkVersion(ctx); err != nil {
		return nil, err
	}
	args := []string{"create", "--json", "--title=" + q.Title}
	if q.Body != "" {
		args = append(args, "--body-file=-")
	}
	if q.Priority != 0 {
		args = append(args, "--priority="+strconv.Itoa(q.Priority-1))
	}
	if len(q.Needs) > 0 {
		args = append(args, "--deps="+strings.Join(q.Needs, ","))
	}
	text, err := b.run(ctx, q.Body, args...)
	if err != nil {
		return nil, err
	}
	var made bdIssue
	err = b.read(text, &made, args...)
	return []Issue{{ID: made.ID}}, err
}

func (b beads) set(ctx context.Context, q request) ([]Issue, error) {
	if err := b.checkVersion(ctx); err != nil {
		return nil, err
	}
	if q.Note != "" {
		if _, err := b.run(ctx, "", "comments", "add", "--json", "--", q.ID, q.Note); err != nil {
			return nil, err
		}
	}
	if q.Status == "" {
		return nil, nil
	}
	return nil, b.changeStatus(ctx, q)
}

// changeStatus gives the issue a status. It closes an issue with `close`, which
// refuses issues that bd does not want closed.
func (b beads) changeStatus(ctx context.Context, q request) error {
	update := []string{"update", q.ID, "--json"}
	switch {
	case q.Status == StatusDuplicate:
		update = append(update, "--add-label="+bdDuplicate)
	case q.Was == StatusDuplicate:
		update = append(update, "--remove-label="+bdDuplicate)
	}
	switch {
	case q.Status == StatusPaused:
		update = append(update, "--status=deferred")
	case !q.Status.Over():
		update = append(update, "--status="+string(q.Status))
	}
	if len(update) > 3 {
		if _, err := b.run(ctx, "", update...); err != nil {
			return err
		}
	}
	if q.Status.Over() && !q.Was.Over() {
		_, err := b.run(ctx, "", "close", q.ID, "--json", "--reason="+string(q.Status))
		return err
	}
	return nil
}
