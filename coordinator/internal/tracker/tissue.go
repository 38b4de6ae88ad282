package tracker

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/markdown"
)

// tissue is the tracker of that name, which keeps an append-only log in .tissue.
// The contract is taken from README.md ("Agent-first CLI contract", "JSON output
// reference") and src/main.zig of github.com/femtomc/tissue. Statuses and
// priorities are the same as here. "A blocks B" there is "B needs A" here.
type tissue struct{ tool }

func newTissue(top string) Tracker {
	return tissue{
		tool{
			program: "tissue",
			top:     top,
			timeout: toolTime,
			install: "install tissue (github.com/femtomc/tissue), or set issues.tracker in config.toml",
		},
	}
}

func (t tissue) Name() string { return "tissue" }

// A tissueRow is one issue in the output of `list` and `ready`.
type tissueRow struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Body     string `json:"body"`
	Status   string `json:"status"`
	Priority int    `json:"priority"`
	Created  int64  `json:"created_at"` // unix milliseconds; only `show` has it
}

// A tissueShown is the output of `show`.
type tissueShown struct {
	Issue    tissueRow `json:"issue"`
	Comments []struct {
		Body string `json:"body"`
		At   int64  `json:"created_at"`
	} `json:"comments"`
	Deps []struct {
		From string `json:"src_id"`
		To   string `json:"dst_id"`
		Kind string `json:"kind"`
	} `json:"deps"`
}

func (t tissue) List(ctx context.Context) ([]Issue, error) {
	all, err := t.all(ctx)
	return notOver(all), err
}

// all returns all issues. Those that are not over are complete; the others have
// only the fields of `list`.
func (t tissue) all(ctx context.Context) ([]Issue, error) {
	var rows []tissueRow
	if err := t.ask(ctx, &rows, "list", "--json"); err != nil {
		return nil, err
	}
	var all []Issue
	for _, r := range rows {
		i, err := t.issue(tissueShown{Issue: r})
		if err == nil && !i.Status.Over() {
			i, _, err = t.show(ctx, r.ID)
		}
		if errors.Is(err, ErrNotFound) {
			continue // it was removed meanwhile
		}
		if err != nil {
			return nil, err
		}
		all = append(all, i)
	}
	settle(all)
	return all, nil
}

func (t tissue) Ready(ctx context.Context) ([]Issue, error) {
	var rows []tissueRow
	if err := t.ask(ctx, &rows, "ready", "--json"); err != nil {
		return nil, err
	}
	var out []Issue
	for _, r := range rows {
		i, _, err := t.show(ctx, r.ID)
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, i)
	}
	return ready(out), nil
}

func (t tissue) Show(ctx context.Context, id string) (Issue, error) {
	i, _, err := t.show(ctx, id)
	if err != nil {
		return i, err
	}
	for _, need := range i.Needs {
		n, _, err := t.show(ctx, need)
		if err != nil {
			return i, err
		}
		if !n.Status.Over() {
			i.Waits = append(i.Waits, need)
		}
	}
	return i, nil
}

func (t tissue) show(ctx context.Context, id string) (Issue, []comment, error) {
	if err := checkGivenID(id); err != nil {
		return Issue{}, nil, err
	}
	var s tissueShown
	if err := t.ask(ctx, &s, "show", id, "--json"); err != nil {
		return Issue{}, nil, t.classify(err, id)
	}
	i, err := t.issue(s)
	return i, s.comments(), err
}

// classify returns ErrNotFound or ErrAmbiguous if tissue's message says so, else
// err.
func (t tissue) classify(err error, id string) error {
	switch {
	case failedWith(err, "Issue not found", "Invalid issue ID"):
		return fmt.Errorf("%w: %q", ErrNotFound, markdown.Shorten(id))
	case failedWith(err, "Ambiguous issue ID"):
		return fmt.Errorf("%w: %q", ErrAmbiguous, markdown.Shorten(id))
	}
	return err
}

func (s tissueShown) comments() (out []comment) {
	for _, c := range s.Comments {
		out = append(out, comment{time.UnixMilli(c.At), c.Body})
	}
	return out
}

func (t tissue) issue(s tissueShown) (Issue, error) {
	i := Issue{
		ID:       s.Issue.ID,
		Title:    s.Issue.Title,
		Status:   Status(s.Issue.Status),
		Priority: s.Issue.Priority,
		Body:     joinComments(s.Issue.Body, s.comments()),
	}
	if s.Issue.Created > 0 {
		i.Created = time.UnixMilli(s.Issue.Created)
	}
	for _, d := range s.Deps {
		if d.Kind == "blocks" && d.To == i.ID {
			i.Needs = append(i.Needs, d.From)
		}
	}
	if err := i.Status.check(); err != nil {
		return i, toolError{"tissue: " + markdown.Shorten(i.ID), err.Error()}
	}
	return t.checked(i)
}

func (t tissue) New(ctx context.Context, d Draft) (Issue, error) {
	d, err := d.checked()
	if err != nil {
		return Issue{}, fmt.Errorf("new issue: %w", err)
	}
	for n, id := range d.Needs {
		need, _, err := t.show(ctx, id)
		if err != nil {
			return Issue{}, err
		}
		d.Needs[n] = need.ID
	}
	if strings.HasPrefix(d.Title, "-") {
		d.Title = " " + d.Title // else tissue takes it for a flag, and it knows no "--"
	}
	args := []string{"new", d.Title, "-b", escape(d.Body), "--json"}
	if d.Priority != 0 {
		args = append(args, "-p", strconv.Itoa(d.Priority))
	}
	var made tissueRow
	if err := t.ask(ctx, &made, args...); err != nil {
		return Issue{}, err
	}
	if err := t.need(ctx, made.ID, d.Needs); err != nil {
		return Issue{}, err
	}
	return t.Show(ctx, made.ID)
}

// need writes the needs of a new issue. If one cannot be written, need pauses the
// issue, which must not be worked on without all its needs.
func (t tissue) need(ctx context.Context, id string, needs []string) error {
	for _, need := range needs {
		if _, err := t.run(ctx, "", "dep", "add", need, "blocks", id, "--quiet"); err != nil {
			paused := t.Set(ctx, id, StatusPaused, "Not all that this needs could be noted.")
			return errors.Join(fmt.Errorf("issue %s was made, but not that it needs %s: %w", id, need, err), paused)
		}
	}
	return nil
}

func (t tissue) Set(ctx context.Context, id string, s Status, note string) error {
	if err := s.check(); err != nil {
		return err
	}
	i, comments, err := t.show(ctx, id)
	if err != nil {
		return err
	}
	if note = asNote(note); !endsWithNote(comments, note) {
		if _, err := t.run(ctx, "", "comment", i.ID, "-m", escape(note), "--quiet"); err != nil {
			return err
		}
	}
	if i.Status == s {
		return nil
	}
	_, err = t.run(ctx, "", "status", i.ID, string(s), "--quiet")
	return err
}

// escape doubles each backslash, because tissue reads \n and \t as escapes.
func escape(text string) string { return strings.ReplaceAll(text, `\`, `\\`) }
