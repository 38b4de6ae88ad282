package tracker

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// fakeGitHub stands in for gh. The contract is taken from pkg/cmd/issue, pkg/cmd/label
// and api of github.com/cli/cli/v2 at v2.83.0. It accepts only the flags of each
// command, refuses labels and numbers as GitHub does, and prints only the fields that
// --json names.
func fakeGitHub(args []string) error {
	if len(args) < 2 {
		return refused("unknown command for \"gh\"")
	}
	if os.Getenv("GH_PROMPT_DISABLED") == "" {
		return refused("want GH_PROMPT_DISABLED: gh would ask a person")
	}
	name := args[0] + " " + args[1]
	f := &ghStore{}
	store := filepath.Join(".git", "standin.json")
	if err := load(store, f); err != nil {
		return refused("failed to run git: fatal: not a git repository: %v", err)
	}
	do, ok := map[string]func(ghLine) error{
		"issue list":    f.list,
		"issue view":    f.view,
		"issue create":  f.create,
		"issue edit":    f.edit,
		"issue comment": f.comment,
		"issue close":   f.close,
		"issue reopen":  f.reopen,
		"label create":  f.label,
	}[name]
	if !ok {
		return refused("unknown command %q for \"gh\"", name)
	}
	line, err := readGH(name, args[2:])
	if err != nil {
		return err
	}
	if err := do(line); err != nil {
		return err
	}
	return save(store, f)
}

type ghLine struct {
	flags map[string]string
	rest  []string
}

var ghFlags = map[string]string{
	"issue list":    "--state --limit --json",
	"issue view":    "--json",
	"issue create":  "--title --body --body-file --label",
	"issue edit":    "--add-label --remove-label --title --body",
	"issue comment": "--body --body-file",
	"issue close":   "--comment --reason",
	"issue reopen":  "--comment",
	"label create":  "--color --description",
}

func readGH(name string, args []string) (ghLine, error) {
	line := ghLine{flags: map[string]string{}}
	for _, arg := range args {
		flag, value, given := strings.Cut(arg, "=")
		switch {
		case !strings.HasPrefix(arg, "-"):
			line.rest = append(line.rest, arg)
		case given && slices.Contains(strings.Fields(ghFlags[name]), flag):
			line.flags[flag] = value
		default:
			return line, refused("unknown flag: %s\n\nUsage:  gh %s", arg, name)
		}
	}
	want := 1
	if slices.Contains([]string{"issue list", "issue create"}, name) {
		want = 0
	}
	if len(line.rest) != want {
		return line, refused("accepts %d arg(s), received %d", want, len(line.rest))
	}
	return line, nil
}

type ghStore struct {
	Clock  int
	Issues []*ghRecord
	Labels []string
}

type ghRecord struct {
	Number   int
	Title    string
	Body     string
	State    string
	At       time.Time
	Labels   []string
	Comments []ghComment
}

type ghComment struct {
	ID   string    `json:"id"`
	Body string    `json:"body"`
	At   time.Time `json:"createdAt"`
}

func (f *ghStore) tick() time.Time { f.Clock++; return later(f.Clock) }

// fields returns the fields that --json names. As in gh, an unknown name is an error.
func (r *ghRecord) fields(names string) (map[string]any, error) {
	labels := []map[string]string{}
	for _, l := range r.Labels {
		labels = append(labels, map[string]string{"id": "L_" + l, "name": l, "description": "", "color": "ededed"})
	}
	all := map[string]any{
		"number":    r.Number,
		"title":     r.Title,
		"body":      r.Body,
		"state":     r.State,
		"createdAt": r.At,
		"labels":    labels,
		"url":       r.url(),
		"comments":  append([]ghComment{}, r.Comments...),
	}
	out := map[string]any{}
	for _, name := range strings.Split(names, ",") {
		value, ok := all[name]
		if !ok {
			return nil, refused("Unknown JSON field: %q", name)
		}
		out[name] = value
	}
	return out, nil
}

func (r *ghRecord) url() string {
	if r.Number == 100 {
		return "https://github.com/acme/api/pull/100"
	}
	return fmt.Sprint("https://github.com/acme/api/issues/", r.Number)
}

func (f *ghStore) find(arg string) (*ghRecord, error) {
	number, err := strconv.Atoi(strings.TrimPrefix(arg, "#"))
	if err != nil {
		return nil, refused("invalid issue format: %q", arg)
	}
	if number == 100 { // there is one pull request
		return &ghRecord{Number: 100, Title: "a change", State: "OPEN"}, nil
	}
	i := slices.IndexFunc(f.Issues, func(r *ghRecord) bool { return r.Number == number })
	if i < 0 {
		return nil, refused(
			"GraphQL: Could not resolve to an issue or pull request with the number of %d. (repository.issue)",
			number,
		)
	}
	return f.Issues[i], nil
}

func (f *ghStore) list(line ghLine) error {
	most, err := strconv.Atoi(line.flags["--limit"])
	if err != nil || most < 1 {
		return refused("invalid limit: %v", line.flags["--limit"])
	}
	rows := []any{}
	for _, r := range slices.Backward(f.Issues) {
		if line.flags["--state"] == "open" && r.State != "OPEN" {
			continue
		}
		row, err := r.fields(line.flags["--json"])
		if err != nil {
			return err
		}
		rows = append(rows, row)
	}
	return printJSON(rows[:min(most, len(rows))])
}

func (f *ghStore) view(line ghLine) error {
	r, err := f.find(line.rest[0])
	if err != nil {
		return err
	}
	row, err := r.fields(line.flags["--json"])
	if err != nil {
		return err
	}
	return printJSON(row)
}

// text returns the text given with --body or --body-file=-.
func (line ghLine) text() (string, error) {
	if line.flags["--body-file"] != "-" {
		return line.flags["--body"], nil
	}
	raw, err := io.ReadAll(os.Stdin)
	return string(raw), err
}

func (f *ghStore) create(line ghLine) error {
	text, err := line.text()
	_, body := line.flags["--body"]
	switch {
	case err != nil:
		return err
	case line.flags["--title"] == "" || !body && line.flags["--body-file"] == "":
		return refused(
			"must provide `--title` and `--body` (or `--fill` or `fill-first` or `--fillverbose`) " +
				"when not running interactively",
		)
	}
	r := &ghRecord{Number: len(f.Issues) + 1, Title: line.flags["--title"], Body: text, State: "OPEN", At: f.tick()}
	if err := f.addLabel(r, line.flags["--label"]); err != nil {
		return refused("could not add label: %v", err)
	}
	f.Issues = append(f.Issues, r)
	fmt.Println(r.url())
	return nil
}

func (f *ghStore) addLabel(r *ghRecord, label string) error {
	if label == "" || slices.Contains(r.Labels, label) {
		return nil
	}
	if !slices.Contains(f.Labels, label) {
		return refused("'%s' not found", label)
	}
	r.Labels = append(r.Labels, label)
	return nil
}

func (f *ghStore) edit(line ghLine) error {
	r, err := f.find(line.rest[0])
	if err != nil {
		return err
	}
	if len(line.flags) == 0 {
		return refused("field to edit flag required when not running interactively")
	}
	if label := line.flags["--remove-label"]; label != "" && !slices.Contains(f.Labels, label) {
		return refused("'%s' not found", label)
	}
	if err := f.addLabel(r, line.flags["--add-label"]); err != nil {
		return err
	}
	r.Labels = slices.DeleteFunc(r.Labels, func(l string) bool { return l == line.flags["--remove-label"] })
	fmt.Println(r.url())
	return nil
}

func (f *ghStore) comment(line ghLine) error {
	r, err := f.find(line.rest[0])
	if err != nil {
		return err
	}
	text, err := line.text()
	if err != nil || text == "" {
		return refused("body cannot be blank: %v", err)
	}
	at := f.tick()
	r.Comments = append(r.Comments, ghComment{fmt.Sprint("IC_", at.Unix()), text, at})
	fmt.Println(r.url() + "#issuecomment-1")
	return nil
}

func (f *ghStore) close(line ghLine) error {
	r, err := f.find(line.rest[0])
	if err != nil {
		return err
	}
	if reason := line.flags["--reason"]; !slices.Contains([]string{"", "completed", "not planned"}, reason) {
		return refused(
			"invalid argument %q for \"-r, --reason\" flag: valid values are {completed|not planned}",
			reason,
		)
	}
	r.State = "CLOSED"
	fmt.Fprintf(os.Stderr, "✓ Closed issue acme/api#%d (%s)\n", r.Number, r.Title)
	return nil
}

func (f *ghStore) reopen(line ghLine) error {
	r, err := f.find(line.rest[0])
	if err != nil {
		return err
	}
	r.State = "OPEN"
	return nil
}

func (f *ghStore) label(line ghLine) error {
	name := line.rest[0]
	if slices.ContainsFunc(f.Labels, func(l string) bool { return strings.EqualFold(l, name) }) {
		return refused("label with name %q already exists; use `--force` to update its color and description", name)
	}
	f.Labels = append(f.Labels, name)
	return nil
}
