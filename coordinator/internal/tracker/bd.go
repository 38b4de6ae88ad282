package tracker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/markdown"
)

// beads is the tracker bd, which keeps its data in .beads. The contract is taken
// from runs of bd 1.0.0, and from cmd/bd and internal/types of
// github.com/steveyegge/beads. Priorities go from 0 to 4 there, and "A blocks B"
// is "B needs A" here. Scripts in .beads/hooks do not run: working on a cloned
// project must not run the project's code.
type beads struct{ tool }

func newBeads(top string) Tracker {
	return beads{
		tool{
			program: "bd",
			top:     top,
			timeout: toolTime,
			env:     []string{"BD_NO_HOOKS=1", "BD_NON_INTERACTIVE=1", "BD_NO_PAGER=1"},
			install: "install beads (github.com/steveyegge/beads), or set issues.tracker in config.toml",
		},
	}
}

func (b beads) Name() string { return "bd" }

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

func (b beads) List(ctx context.Context) ([]Issue, error) {
	var rows []bdIssue
	if err := b.ask(ctx, &rows, "list", "--json", "--all", "--limit", "0"); err != nil {
		return nil, err
	}
	all, err := b.issues(rows)
	settle(all)
	return notOver(all), err
}

// Ready leaves out epics. An epic only groups other issues, which are the work.
func (b beads) Ready(ctx context.Context) ([]Issue, error) {
	var rows []bdIssue
	if err := b.ask(ctx, &rows, "ready", "--json", "--limit", "0"); err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(rows, func(r bdIssue) bool { return r.Type == "epic" })
	if len(rows) == 0 {
		return nil, nil
	}
	args := []string{"show", "--json"}
	for _, r := range rows {
		if checkGivenID(r.ID) != nil {
			return nil, toolError{"bd ready", fmt.Sprintf("invalid id %q", markdown.Shorten(r.ID))}
		}
		args = append(args, r.ID)
	}
	if err := b.ask(ctx, &rows, args...); err != nil {
		return nil, err
	}
	all, err := b.issues(rows)
	return ready(all), err
}

func (b beads) issues(rows []bdIssue) (all []Issue, err error) {
	for _, r := range rows {
		i, err := b.issue(r)
		if err != nil {
			return nil, err
		}
		all = append(all, i)
	}
	return all, nil
}

func (b beads) Show(ctx context.Context, id string) (Issue, error) {
	i, _, err := b.show(ctx, id)
	return i, err
}

func (b beads) show(ctx context.Context, id string) (Issue, []comment, error) {
	if err := checkGivenID(id); err != nil {
		return Issue{}, nil, err
	}
	var rows []bdIssue
	err := b.ask(ctx, &rows, "show", id, "--json")
	switch {
	case failedWith(err, "ambiguous ID"):
		return Issue{}, nil, fmt.Errorf("%w: %q", ErrAmbiguous, markdown.Shorten(id))
	case failedWith(err, "no issue found", "not found", "no issues found matching"):
		return Issue{}, nil, fmt.Errorf("%w: %q", ErrNotFound, markdown.Shorten(id))
	case err == nil && len(rows) != 1:
		err = toolError{"bd show", fmt.Sprintf("%d issues instead of one", len(rows))}
	}
	if err != nil {
		return Issue{}, nil, err
	}
	i, err := b.issue(rows[0])
	return i, rows[0].comments(), err
}

func (r bdIssue) comments() (out []comment) {
	for _, c := range r.Comments {
		out = append(out, comment{c.At, c.Text})
	}
	return out
}

func (b beads) issue(r bdIssue) (Issue, error) {
	i := Issue{
		ID:       r.ID,
		Title:    r.Title,
		Body:     joinComments(r.text(), r.comments()),
		Status:   r.status(),
		Priority: r.Priority + 1,
		Created:  r.Created,
	}
	for _, d := range r.Dependencies {
		switch {
		case d.Type == "blocks":
			i.Needs = append(i.Needs, d.Needs)
		case d.Kind == "blocks":
			i.Needs = append(i.Needs, d.ID)
			if d.Status != "closed" {
				i.Waits = append(i.Waits, d.ID)
			}
		}
	}
	return b.checked(i)
}

// text returns the description of the issue and the other fields that describe the
// work, each under a heading.
func (r bdIssue) text() string {
	text := r.Description
	for _, part := range []struct{ head, text string }{
		{"Design", r.Design},
		{"Acceptance criteria", r.Acceptance},
		{"Notes", r.Notes},
	} {
		if strings.TrimSpace(part.text) != "" {
			text = strings.TrimSpace(text) + "\n\n## " + part.head + "\n\n" + part.text
		}
	}
	return text
}

func (r bdIssue) status() Status {
	s, known := bdStatuses[r.Status]
	switch {
	case !known:
		return StatusPaused
	case s == StatusClosed && slices.Contains(r.Labels, bdDuplicate):
		return StatusDuplicate
	}
	return s
}

// New creates the issue together with its needs. If bd cannot write a need, it only
// warns, so New checks the needs of the new issue.
func (b beads) New(ctx context.Context, d Draft) (Issue, error) {
	d, err := d.checked()
	if err != nil {
		return Issue{}, fmt.Errorf("new issue: %w", err)
	}
	if err := b.checkVersion(ctx); err != nil {
		return Issue{}, err
	}
	for n, id := range d.Needs {
		need, err := b.Show(ctx, id)
		if err != nil {
			return Issue{}, err
		}
		d.Needs[n] = need.ID
	}
	made, err := b.create(ctx, d)
	if err != nil {
		return Issue{}, err
	}
	i, err := b.Show(ctx, made.ID)
	if err != nil {
		return Issue{}, err
	}
	for _, need := range d.Needs {
		if !slices.Contains(i.Needs, need) {
			paused := b.Set(ctx, i.ID, StatusPaused, "Not all that this needs could be noted.")
			return i, errors.Join(fmt.Errorf("issue %s was made, but not that it needs %s", i.ID, need), paused)
		}
	}
	return i, nil
}

func (b beads) create(ctx context.Context, d Draft) (made bdIssue, err error) {
	args := []string{"create", "--json", "--title=" + d.Title}
	if d.Body != "" {
		args = append(args, "--body-file=-")
	}
	if d.Priority != 0 {
		args = append(args, "--priority="+strconv.Itoa(d.Priority-1))
	}
	if len(d.Needs) > 0 {
		args = append(args, "--deps="+strings.Join(d.Needs, ","))
	}
	text, err := b.run(ctx, d.Body, args...)
	if err != nil {
		return made, err
	}
	err = b.read(text, &made, args...)
	return made, err
}

func (b beads) Set(ctx context.Context, id string, s Status, note string) error {
	if err := s.check(); err != nil {
		return err
	}
	i, comments, err := b.show(ctx, id)
	if err != nil {
		return err
	}
	if err := b.checkVersion(ctx); err != nil {
		return err
	}
	if note = asNote(note); !endsWithNote(comments, note) {
		if _, err := b.run(ctx, "", "comments", "add", "--json", "--", i.ID, note); err != nil {
			return err
		}
	}
	if i.Status == s {
		return nil
	}
	return b.changeStatus(ctx, i, s)
}

// changeStatus gives the issue a status. It closes an issue with `close`, which
// refuses issues that bd does not want closed.
func (b beads) changeStatus(ctx context.Context, i Issue, s Status) error {
	update := []string{"update", i.ID, "--json"}
	switch {
	case s == StatusDuplicate:
		update = append(update, "--add-label="+bdDuplicate)
	case i.Status == StatusDuplicate:
		update = append(update, "--remove-label="+bdDuplicate)
	}
	if !s.Over() {
		update = append(update, "--status="+bdWord(s))
	}
	if len(update) > 3 {
		if _, err := b.run(ctx, "", update...); err != nil {
			return err
		}
	}
	if s.Over() && !i.Status.Over() {
		_, err := b.run(ctx, "", "close", i.ID, "--json", "--reason="+string(s))
		return err
	}
	return nil
}

// bdWord returns bd's word for a status that is not over.
func bdWord(s Status) string {
	if s == StatusPaused {
		return "deferred"
	}
	return string(s)
}
