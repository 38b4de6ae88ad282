package tracker

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// fakeTissue stands in for tissue. The contract is taken from README.md and
// src/main.zig of github.com/femtomc/tissue. It refuses the same flags and arguments
// with the same messages, and prints the same JSON.
func fakeTissue(args []string) error {
	if len(args) == 0 {
		return refused("tissue - fast local issue tracker")
	}
	store := filepath.Join(".tissue", "standin.json")
	if _, err := os.Stat(".tissue"); err != nil {
		return refused("No tissue store found. Run 'tissue init' first.")
	}
	f := &tissueStore{}
	if err := load(store, f); err != nil {
		return err
	}
	do, ok := map[string]func([]string) error{
		"new":     f.create,
		"list":    f.list,
		"ready":   f.ready,
		"show":    f.show,
		"status":  f.status,
		"comment": f.comment,
		"dep":     f.dep,
	}[args[0]]
	if !ok {
		return refused("unknown command: %s", args[0])
	}
	if err := do(args[1:]); err != nil {
		return err
	}
	return save(store, f)
}

type tissueStore struct {
	Clock    int
	Issues   []tissueRecord
	Comments []tissueComment
	Deps     []tissueDep
}

type tissueRecord struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Body     string   `json:"body"`
	Status   string   `json:"status"`
	Priority int      `json:"priority"`
	Created  int64    `json:"created_at"`
	Updated  int64    `json:"updated_at"`
	Rev      string   `json:"rev"`
	Tags     []string `json:"tags"`
}

type tissueComment struct {
	ID    string `json:"id"`
	Issue string `json:"issue_id"`
	Body  string `json:"body"`
	At    int64  `json:"created_at"`
}

type tissueDep struct {
	From  string `json:"src_id"`
	To    string `json:"dst_id"`
	Kind  string `json:"kind"`
	State string `json:"state"`
	At    int64  `json:"created_at"`
	Rev   string `json:"rev"`
}

// flags splits arguments as tissue does: an argument that begins with - is a flag.
func (f *tissueStore) flags(
	args []string, values string, most int,
) (flags map[string]string, rest []string, err error) {
	known := strings.Fields(values)
	flags = map[string]string{}
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "--json", arg == "--quiet" && slices.Contains(known, arg):
			flags[arg] = "yes"
		case slices.Contains(known, arg):
			if i++; i == len(args) {
				return nil, nil, refused("missing value for %s", strings.Trim(arg, "-"))
			}
			flags[arg] = args[i]
		case arg == "":
			return nil, nil, refused("empty title not allowed")
		case arg[0] == '-':
			return nil, nil, refused("unknown flag: %s", arg)
		default:
			rest = append(rest, arg)
		}
	}
	if len(rest) > most {
		return nil, nil, refused("too many arguments")
	}
	return flags, rest, nil
}

func (f *tissueStore) tick() int64 { f.Clock++; return later(f.Clock).UnixMilli() }

func (f *tissueStore) create(args []string) error {
	flags, rest, err := f.flags(args, "-b --body -p --priority -t --tag --quiet", 1)
	if err != nil {
		return err
	}
	if len(rest) == 0 {
		return refused("title required")
	}
	text := cmp.Or(flags["-p"], "2")
	priority := 1 + slices.Index([]string{"1", "2", "3", "4", "5"}, text)
	if priority == 0 {
		return refused("invalid priority: %s (must be 1-5)", text)
	}
	at := f.tick()
	r := tissueRecord{
		ID:       fmt.Sprintf("acme-%08s", strconv.FormatInt(at*7919%2821109907455, 36)),
		Title:    rest[0],
		Body:     unescape(flags["-b"]),
		Status:   "open",
		Priority: priority,
		Created:  at,
		Updated:  at,
		Rev:      "01J",
		Tags:     []string{},
	}
	f.Issues = append(f.Issues, r)
	if flags["--quiet"] != "" || flags["--json"] == "" {
		fmt.Println(r.ID)
		return nil
	}
	return printJSON(r)
}

func unescape(text string) string {
	return strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\\`, `\`).Replace(text)
}

// tissueLetters are the characters that tissue allows in an id.
const tissueLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-"

func (f *tissueStore) resolve(input string) (*tissueRecord, error) {
	if strings.Trim(input, tissueLetters) != "" {
		return nil, refused("Invalid issue ID.")
	}
	var found []*tissueRecord
	for i := range f.Issues {
		_, hash, _ := strings.Cut(f.Issues[i].ID, "-")
		switch {
		case f.Issues[i].ID == input:
			return &f.Issues[i], nil
		case strings.HasPrefix(f.Issues[i].ID, input), !strings.Contains(input, "-") && strings.HasPrefix(hash, input):
			found = append(found, &f.Issues[i])
		}
	}
	switch len(found) {
	case 0:
		return nil, refused("Issue not found.")
	case 1:
		return found[0], nil
	}
	return nil, refused("Ambiguous issue ID: matches multiple issues. Use more characters.")
}

func (f *tissueStore) list(args []string) error {
	return f.rows(args, "--status --tag --search --limit", func(flags map[string]string, r tissueRecord) bool {
		return cmp.Or(flags["--status"], r.Status) == r.Status
	})
}

func (f *tissueStore) ready(args []string) error {
	return f.rows(args, "", func(_ map[string]string, r tissueRecord) bool {
		isBlocked := slices.ContainsFunc(f.Deps, func(d tissueDep) bool {
			return d.Kind == "blocks" && d.To == r.ID && !f.isOver(d.From)
		})
		return r.Status == "open" && !isBlocked
	})
}

func (f *tissueStore) isOver(id string) bool {
	r, err := f.resolve(id)
	return err != nil || slices.Contains([]string{"closed", "duplicate"}, r.Status)
}

// rows prints the issues as `list` and `ready` do: without the time of creation, and
// with the tags as text.
func (f *tissueStore) rows(
	args []string, values string, isListed func(flags map[string]string, r tissueRecord) bool,
) error {
	flags, _, err := f.flags(args, values, 0)
	if err != nil {
		return err
	}
	if flags["--json"] == "" {
		return refused("the stand-in prints only JSON")
	}
	type row struct {
		ID       string `json:"id"`
		Status   string `json:"status"`
		Title    string `json:"title"`
		Updated  int64  `json:"updated_at"`
		Priority int    `json:"priority"`
		Tags     string `json:"tags"`
		Body     string `json:"body"`
	}
	rows := []row{}
	for _, r := range f.Issues {
		if isListed(flags, r) {
			rows = append(rows, row{r.ID, r.Status, r.Title, r.Updated, r.Priority, "", r.Body})
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(b.Updated, a.Updated) })
	return printJSON(rows)
}

func (f *tissueStore) show(args []string) error {
	_, rest, err := f.flags(args, "", 1)
	if err != nil {
		return err
	}
	if len(rest) == 0 {
		return refused("id required")
	}
	r, err := f.resolve(rest[0])
	if err != nil {
		return err
	}
	out := struct {
		Issue    tissueRecord    `json:"issue"`
		Comments []tissueComment `json:"comments"`
		Deps     []tissueDep     `json:"deps"`
	}{*r, []tissueComment{}, []tissueDep{}}
	for _, c := range f.Comments {
		if c.Issue == r.ID {
			out.Comments = append(out.Comments, c)
		}
	}
	for _, d := range f.Deps {
		if d.From == r.ID || d.To == r.ID {
			out.Deps = append(out.Deps, d)
		}
	}
	return printJSON(out)
}

func (f *tissueStore) status(args []string) error {
	_, rest, err := f.flags(args, "--quiet", 2)
	if err != nil {
		return err
	}
	if len(rest) != 2 {
		return refused("usage: tissue status <id> <open|in_progress|paused|duplicate|closed>")
	}
	if !slices.Contains([]string{"open", "in_progress", "paused", "duplicate", "closed"}, rest[1]) {
		return refused("invalid status: %s (use open, in_progress, paused, duplicate, closed)", rest[1])
	}
	r, err := f.resolve(rest[0])
	if err != nil {
		return err
	}
	r.Status, r.Updated = rest[1], f.tick()
	fmt.Println(r.ID)
	return nil
}

func (f *tissueStore) comment(args []string) error {
	flags, rest, err := f.flags(args, "-m --message --quiet", 1)
	if err != nil {
		return err
	}
	text, ok := flags["-m"]
	if len(rest) == 0 || !ok {
		return refused("message required. Usage: tissue comment <id> -m <text>")
	}
	r, err := f.resolve(rest[0])
	if err != nil {
		return err
	}
	at := f.tick()
	f.Comments = append(f.Comments, tissueComment{fmt.Sprint("01J", at), r.ID, unescape(text), at})
	fmt.Println("01J", at)
	return nil
}

func (f *tissueStore) dep(args []string) error {
	if len(args) < 4 {
		return refused("usage: tissue dep <add|rm> <id> <kind> <target>")
	}
	if _, _, err := f.flags(args[4:], "--quiet", 0); err != nil {
		return err
	}
	from, err := f.resolve(args[1])
	if err != nil {
		return err
	}
	to, err := f.resolve(args[3])
	switch {
	case err != nil:
		return err
	case args[0] != "add":
		return refused("unknown dep action: %s", args[0])
	case !slices.Contains([]string{"blocks", "relates", "parent"}, args[2]):
		return refused("Invalid dependency kind. Use: blocks, relates, or parent.")
	case from.ID == to.ID:
		return refused("An issue cannot depend on itself.")
	}
	f.Deps = append(f.Deps, tissueDep{from.ID, to.ID, args[2], "active", f.tick(), "01J"})
	fmt.Println(from.ID)
	return nil
}
