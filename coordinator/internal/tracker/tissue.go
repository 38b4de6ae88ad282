package tracker

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// tissue is the adapter for the tracker of that name, which keeps an append-only log in .tissue.
// The contract is taken from README.md ("Agent-first CLI contract", "JSON output
// reference") and src/main.zig of github.com/femtomc/tissue. Statuses and
// priorities are the same as here. "A blocks B" there is "B needs A" here.
type tissue struct{ tool }

var tissueTool = tool{
	program: "tissue",
	timeout: toolTime,
	install: "install tissue (github.com/femtomc/tissue), or set issues.tracker in config.toml",
}

func (t tissue) answers() answers {
	return answers{opList: t.list, opReady: t.list, opShow: t.show, opNew: t.create, opSet: t.set}
}

// A tissueRow is one issue in the output of `list` and `ready`.
type tissueRow struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Body     string `json:"body"`
	Status   Status `json:"status"`
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

// list returns the issues that `list` or `ready` prints. Those that are not over are
// complete; the others have only the fields of `list`.
func (t tissue) list(ctx context.Context, q request) (all []Issue, err error) {
	var printed []tissueRow
	if err := t.ask(ctx, &printed, string(q.Op), "--json"); err != nil {
		return nil, err
	}
	for _, listed := range printed {
		found := []Issue{tissueShown{Issue: listed}.issue()}
		if checkID(listed.ID) == nil && !listed.Status.Over() {
			found, err = t.show(ctx, request{ID: listed.ID})
		}
		if err != nil && !errors.Is(err, ErrNotFound) { // it may have been removed meanwhile
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

func (t tissue) show(ctx context.Context, q request) ([]Issue, error) {
	var s tissueShown
	err := t.ask(ctx, &s, "show", q.ID, "--json")
	switch {
	case failedWith(err, "Issue not found", "Invalid issue ID"):
		return nil, ErrNotFound
	case failedWith(err, "Ambiguous issue ID"):
		return nil, errAmbiguous
	case err != nil:
		return nil, err
	}
	return []Issue{s.issue()}, nil
}

func (s tissueShown) issue() Issue {
	i := Issue{
		ID:       s.Issue.ID,
		Title:    s.Issue.Title,
		Body:     s.Issue.Body,
		Status:   s.Issue.Status,
		Priority: s.Issue.Priority,
	}
	if s.Issue.Created > 0 {
		i.Created = time.UnixMilli(s.Issue.Created)
	}
	for _, c := range s.Comments {
		i.Comments = append(i.Comments, Comment{time.UnixMilli(c.At), c.Body})
	}
	for _, d := range s.Deps {
		if d.Kind == "blocks" && d.To == i.ID {
			i.Needs = append(i.Needs, d.From)
		}
	}
	return i
}

func (t tissue) create(ctx context.Context, q request) ([]Issue, error) {
	if strings.HasPrefix(q.Title, "-") {
		q.Title = " " + q.Title // else tissue takes it for a flag, and it knows no "--"
	}
	args := []string{"new", q.Title, "-b", escape(q.Body), "--json"}
	if q.Priority != 0 {
		args = append(args, "-p", strconv.Itoa(q.Priority))
	}
	var made tissueRow
	if err := t.ask(ctx, &made, args...); err != nil {
		return nil, err
	}
	if checkID(made.ID) != nil {
		return nil, toolError{"tissue new", fmt.Sprintf("invalid id %.80q", made.ID)}
	}
	for _, need := range q.Needs {
		_, _ = t.run(ctx, "", "dep", "add", need, "blocks", made.ID, "--quiet") // New looks whether it is there
	}
	return []Issue{{ID: made.ID}}, nil
}

func (t tissue) set(ctx context.Context, q request) ([]Issue, error) {
	if q.Note != "" {
		if _, err := t.run(ctx, "", "comment", q.ID, "-m", escape(q.Note), "--quiet"); err != nil {
			return nil, err
		}
	}
	if q.Status == "" {
		return nil, nil
	}
	_, err := t.run(ctx, "", "status", q.ID, string(q.Status), "--quiet")
	return nil, err
}

// escape doubles each backslash, because tissue reads \n and \t as escapes.
func escape(text string) string { return strings.ReplaceAll(text, `\`, `\\`) }
