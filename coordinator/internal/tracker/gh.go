package tracker

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/markdown"
)

// github is the tracker for GitHub issues, through the command gh. The contract is
// taken from pkg/cmd/issue, pkg/cmd/label and api of github.com/cli/cli/v2 at
// v2.83.0. GitHub's own statuses are open and closed. Labels say everything else;
// a label that the repository lacks is created. A line "Needs: #1, #2" in the body
// holds the needs.
type github struct{ tool }

func newGitHub(top string) Tracker {
	return github{
		tool{
			program: "gh",
			top:     top,
			timeout: 2 * toolTime,
			env:     []string{"GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1", "GIT_TERMINAL_PROMPT=0", "NO_COLOR=1"},
			install: "install GitHub's command line (github.com/cli/cli), or set issues.tracker in config.toml",
		},
	}
}

func (g github) Name() string { return "gh" }

// ghMost is how many open issues are read. The default of gh is 30.
const ghMost = "1000"

const ghFields = "number,title,body,state,labels,createdAt,url"

// ghLabels are the statuses that GitHub lacks. Each is a label there.
var ghLabels = []Status{StatusInProgress, StatusPaused, StatusDuplicate}

// A ghIssue is one issue in the output of `list` and `view`. Only `view` has
// comments.
type ghIssue struct {
	Number  int       `json:"number"`
	Title   string    `json:"title"`
	Body    string    `json:"body"`
	State   string    `json:"state"`
	Created time.Time `json:"createdAt"`
	URL     string    `json:"url"`
	Labels  []struct {
		Name string `json:"name"`
	} `json:"labels"`
	Comments []struct {
		Body string    `json:"body"`
		At   time.Time `json:"createdAt"`
	} `json:"comments"`
}

func (g github) List(ctx context.Context) ([]Issue, error) {
	open, err := g.open(ctx)
	return notOver(open), err
}

func (g github) Ready(ctx context.Context) ([]Issue, error) {
	open, err := g.open(ctx)
	return ready(open), err
}

// open returns the open issues. A need that is not one of them is closed or does
// not exist, and holds nothing up.
func (g github) open(ctx context.Context) ([]Issue, error) {
	var rows []ghIssue
	if err := g.ask(ctx, &rows, "issue", "list", "--state=open", "--limit="+ghMost, "--json="+ghFields); err != nil {
		return nil, err
	}
	var all []Issue
	for _, r := range rows {
		i, err := g.issue(r)
		if err != nil {
			return nil, err
		}
		all = append(all, i)
	}
	open, known := len(all), index(all)
	for _, i := range all[:open] {
		for _, need := range i.Needs {
			if _, is := known[need]; !is {
				known[need] = len(all)
				all = append(all, Issue{ID: need, Status: StatusClosed})
			}
		}
	}
	settle(all)
	return all[:open], nil
}

func (g github) Show(ctx context.Context, id string) (Issue, error) {
	i, _, err := g.show(ctx, id)
	if err != nil {
		return i, err
	}
	for _, need := range i.Needs {
		n, _, err := g.show(ctx, need)
		switch {
		case errors.Is(err, ErrNotFound):
		case err != nil:
			return i, err
		case !n.Status.Over():
			i.Waits = append(i.Waits, need)
		}
	}
	return i, nil
}

// show returns the issue with a number. Prefixes do not count: the beginning of a
// number is the number of another issue.
func (g github) show(ctx context.Context, id string) (Issue, []comment, error) {
	number, err := strconv.Atoi(strings.TrimPrefix(id, "#"))
	if err != nil || number <= 0 {
		return Issue{}, nil, fmt.Errorf("%w: %q", ErrNotFound, markdown.Shorten(id))
	}
	var r ghIssue
	err = g.ask(ctx, &r, "issue", "view", strconv.Itoa(number), "--json="+ghFields+",comments")
	if failedWith(err, "Could not resolve to an issue") || err == nil && strings.Contains(r.URL, "/pull/") {
		return Issue{}, nil, fmt.Errorf("%w: %q", ErrNotFound, markdown.Shorten(id))
	}
	if err != nil {
		return Issue{}, nil, err
	}
	i, err := g.issue(r)
	return i, r.comments(), err
}

func (r ghIssue) comments() (out []comment) {
	for _, c := range r.Comments {
		out = append(out, comment{c.At, c.Body})
	}
	return out
}

func (g github) issue(r ghIssue) (Issue, error) {
	i := Issue{
		ID:       strconv.Itoa(r.Number),
		Title:    r.Title,
		Body:     joinComments(r.Body, r.comments()),
		Status:   StatusOpen,
		Priority: DefaultPriority,
		Needs:    needsLines(r.Body),
		Created:  r.Created,
	}
	switch {
	case r.Number <= 0:
		return i, toolError{"gh issue", "an issue without a number"}
	case r.State != "OPEN" && r.State != "CLOSED":
		return i, toolError{"gh issue", fmt.Sprintf("issue %d has the state %q", r.Number, markdown.Shorten(r.State))}
	}
	for _, label := range slices.Backward(r.Labels) {
		if s := Status(label.Name); slices.Contains(ghLabels, s) && (s == StatusDuplicate) == (r.State == "CLOSED") {
			i.Status = s
		}
		if n, ok := ghPriority(label.Name); ok {
			i.Priority = n
		}
	}
	if r.State == "CLOSED" && i.Status != StatusDuplicate {
		i.Status = StatusClosed
	}
	return g.checked(i)
}

// ghPriority returns the priority of a label P1 to P5, and false for others.
func ghPriority(label string) (int, bool) {
	rest, ok := strings.CutPrefix(strings.ToUpper(label), "P")
	n, err := parsePriority(rest)
	return n, ok && err == nil
}

// needsLines returns the numbers in lines such as "Needs: #1, #2". It is used
// because not every version of gh knows GitHub's own dependencies.
func needsLines(body string) (needs []string) {
	for line := range strings.Lines(body) {
		rest, ok := cutFold(strings.TrimSpace(line), "needs:")
		if !ok {
			continue
		}
		for _, word := range fieldsOf(rest) {
			number := issueNumber.FindStringSubmatch(word)
			if number != nil && !slices.Contains(needs, number[1]) {
				needs = append(needs, number[1])
			}
		}
	}
	return needs
}

// issueNumber matches the number of an issue in a text.
var issueNumber = regexp.MustCompile(`^#0*([1-9][0-9]{0,17})$`)

func cutFold(text, prefix string) (rest string, ok bool) {
	if len(text) < len(prefix) || !strings.EqualFold(text[:len(prefix)], prefix) {
		return "", false
	}
	return text[len(prefix):], true
}

func (g github) New(ctx context.Context, d Draft) (Issue, error) {
	d, err := d.checked()
	if err != nil {
		return Issue{}, fmt.Errorf("new issue: %w", err)
	}
	var needs []string
	for _, id := range d.Needs {
		need, _, err := g.show(ctx, id)
		if err != nil {
			return Issue{}, err
		}
		needs = append(needs, "#"+need.ID)
	}
	if len(needs) > 0 {
		d.Body = strings.TrimSpace(d.Body + "\n\nNeeds: " + strings.Join(needs, ", "))
	}
	args := []string{"issue", "create", "--title=" + d.Title, "--body-file=-"}
	if d.Priority != 0 {
		label := fmt.Sprintf("P%d", d.Priority)
		if err := g.label(ctx, label); err != nil {
			return Issue{}, err
		}
		args = append(args, "--label="+label)
	}
	out, err := g.run(ctx, d.Body, args...)
	if err != nil {
		return Issue{}, err
	}
	return g.showCreated(ctx, out)
}

// showCreated returns the issue whose address `create` printed.
func (g github) showCreated(ctx context.Context, out string) (Issue, error) {
	address := strings.TrimSpace(out)
	if number := path.Base(address); strings.Contains(address, "/issues/") {
		return g.Show(ctx, number)
	}
	return Issue{}, toolError{
		"gh issue",
		fmt.Sprintf("create printed %q instead of an issue's address", markdown.Shorten(address)),
	}
}

// label creates a label unless it exists.
func (g github) label(ctx context.Context, name string) error {
	_, err := g.run(ctx, "", "label", "create", name, "--description=Set by Afar")
	if failedWith(err, "already exists") {
		return nil
	}
	return err
}

func (g github) Set(ctx context.Context, id string, s Status, note string) error {
	if err := s.check(); err != nil {
		return err
	}
	i, comments, err := g.show(ctx, id)
	if err != nil {
		return err
	}
	if note = asNote(note); !endsWithNote(comments, note) {
		if _, err := g.run(ctx, note, "issue", "comment", i.ID, "--body-file=-"); err != nil {
			return err
		}
	}
	if i.Status == s {
		return nil
	}
	if err := g.relabel(ctx, i, s); err != nil {
		return err
	}
	switch {
	case s.Over() && !i.Status.Over():
		_, err = g.run(ctx, "", "issue", "close", i.ID, "--reason="+ghReason(s))
	case !s.Over() && i.Status.Over():
		_, err = g.run(ctx, "", "issue", "reopen", i.ID)
	}
	return err
}

func ghReason(s Status) string {
	if s == StatusDuplicate {
		return "not planned"
	}
	return "completed"
}

// relabel removes the label of the old status and adds the label of the new one.
func (g github) relabel(ctx context.Context, i Issue, s Status) error {
	args := []string{"issue", "edit", i.ID}
	if slices.Contains(ghLabels, i.Status) {
		args = append(args, "--remove-label="+string(i.Status))
	}
	if slices.Contains(ghLabels, s) {
		if err := g.label(ctx, string(s)); err != nil {
			return err
		}
		args = append(args, "--add-label="+string(s))
	}
	if len(args) == 3 {
		return nil
	}
	_, err := g.run(ctx, "", args...)
	return err
}
