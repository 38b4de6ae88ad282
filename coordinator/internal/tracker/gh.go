package tracker

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/markdown"
)

// github is the adapter for GitHub issues, through the command gh. The contract is
// taken from pkg/cmd/issue, pkg/cmd/label and api of github.com/cli/cli/v2 at
// v2.83.0. GitHub's own statuses are open and closed. Labels say everything else;
// a label that the repository lacks is created. A line "Needs: #1, #2" in the body
// holds the needs. A need that is not an open issue holds nothing up.
type github struct{ tool }

var githubTool = tool{
	program: "gh",
	timeout: 2 * toolTime,
	env:     []string{"GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1", "GIT_TERMINAL_PROMPT=0", "NO_COLOR=1"},
	install: "install GitHub's command line (github.com/cli/cli), or set issues.tracker in config.toml",
}

func (g github) answers() answers {
	return answers{opList: g.list, opShow: g.show, opNew: g.create, opSet: g.set}
}

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

// list returns the open issues, and a closed one for each other issue that they need.
func (g github) list(ctx context.Context, _ request) ([]Issue, error) {
	var printed []ghIssue
	if err := g.ask(ctx, &printed, "issue", "list", "--state=open", "--limit="+ghMost, "--json="+ghFields); err != nil {
		return nil, err
	}
	var all []Issue
	known := map[string]bool{}
	for _, i := range printed {
		r, err := i.issue()
		if err != nil {
			return nil, err
		}
		all, known[r.ID] = append(all, r), true
	}
	for _, r := range all {
		for _, need := range r.Needs {
			if !known[need] {
				all, known[need] = append(all, Issue{ID: need, Status: StatusClosed}), true
			}
		}
	}
	return all, nil
}

// show returns the issue with a number. Prefixes do not count: the beginning of a
// number is the number of another issue.
func (g github) show(ctx context.Context, q request) ([]Issue, error) {
	number, err := strconv.Atoi(q.ID)
	if err != nil || number <= 0 {
		return nil, ErrNotFound
	}
	var i ghIssue
	err = g.ask(ctx, &i, "issue", "view", strconv.Itoa(number), "--json="+ghFields+",comments")
	if failedWith(err, "Could not resolve to an issue") || err == nil && strings.Contains(i.URL, "/pull/") {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	r, err := i.issue()
	return []Issue{r}, err
}

// issue returns the issue in our words, or an error if gh printed something that is no issue.
func (i ghIssue) issue() (Issue, error) {
	r := Issue{
		ID:       strconv.Itoa(i.Number),
		Title:    i.Title,
		Body:     i.Body,
		Status:   StatusOpen,
		Priority: defaultPriority,
		Needs:    needsLines(i.Body),
		Created:  i.Created,
	}
	switch {
	case i.Number <= 0:
		return r, toolError{"gh issue", "an issue without a number"}
	case i.State != "OPEN" && i.State != "CLOSED":
		return r, toolError{"gh issue", fmt.Sprintf("issue %d has the state %q", i.Number, markdown.Shorten(i.State))}
	}
	for _, c := range i.Comments {
		r.Comments = append(r.Comments, Comment{c.At, c.Body})
	}
	for _, label := range slices.Backward(i.Labels) {
		if s := Status(label.Name); slices.Contains(ghLabels, s) && (s == StatusDuplicate) == (i.State == "CLOSED") {
			r.Status = s
		}
		if n, ok := ghPriority(label.Name); ok {
			r.Priority = n
		}
	}
	if i.State == "CLOSED" && r.Status != StatusDuplicate {
		r.Status = StatusClosed
	}
	return r, nil
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

func (g github) create(ctx context.Context, q request) ([]Issue, error) {
	if len(q.Needs) > 0 {
		q.Body = strings.TrimSpace(q.Body + "\n\nNeeds: #" + strings.Join(q.Needs, ", #"))
	}
	args := []string{"issue", "create", "--title=" + q.Title, "--body-file=-"}
	if q.Priority != 0 {
		label := fmt.Sprintf("P%d", q.Priority)
		if err := g.label(ctx, label); err != nil {
			return nil, err
		}
		args = append(args, "--label="+label)
	}
	out, err := g.run(ctx, q.Body, args...)
	if err != nil {
		return nil, err
	}
	address := strings.TrimSpace(out)
	if !strings.Contains(address, "/issues/") {
		return nil, toolError{
			"gh issue",
			fmt.Sprintf("create printed %q instead of an issue's address", markdown.Shorten(address)),
		}
	}
	return []Issue{{ID: path.Base(address)}}, nil
}

// label creates a label unless it exists.
func (g github) label(ctx context.Context, name string) error {
	_, err := g.run(ctx, "", "label", "create", name, "--description=Set by Afar")
	if failedWith(err, "already exists") {
		return nil
	}
	return err
}

func (g github) set(ctx context.Context, q request) ([]Issue, error) {
	if q.Note != "" {
		if _, err := g.run(ctx, q.Note, "issue", "comment", q.ID, "--body-file=-"); err != nil {
			return nil, err
		}
	}
	if q.Status == "" {
		return nil, nil
	}
	if err := g.relabel(ctx, q); err != nil || q.Status.Over() == q.Was.Over() {
		return nil, err
	}
	change := []string{"issue", "reopen", q.ID}
	switch q.Status {
	case StatusClosed:
		change = []string{"issue", "close", q.ID, "--reason=completed"}
	case StatusDuplicate:
		change = []string{"issue", "close", q.ID, "--reason=not planned"}
	}
	_, err := g.run(ctx, "", change...)
	return nil, err
}

// relabel removes the label of the old status and adds the label of the new one.
func (g github) relabel(ctx context.Context, q request) error {
	args := []string{"issue", "edit", q.ID}
	if slices.Contains(ghLabels, q.Was) {
		args = append(args, "--remove-label="+string(q.Was))
	}
	if slices.Contains(ghLabels, q.Status) {
		if err := g.label(ctx, string(q.Status)); err != nil {
			return err
		}
		args = append(args, "--add-label="+string(q.Status))
	}
	if len(args) == 3 {
		return nil
	}
	_, err := g.run(ctx, "", args...)
	return err
}
