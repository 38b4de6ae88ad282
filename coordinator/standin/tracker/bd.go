package tracker

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// fakeBeads stands in for bd. The contract is taken from runs of bd 1.0.0: the flags of
// each command, JSON errors on stdout, the two forms of a dependency, the refusals of
// `close`, and a `create` that only warns. TestRealBeadsConforms runs the same suite
// with bd itself.
func fakeBeads(args []string) error {
	if len(args) == 0 {
		return nil
	}
	if os.Getenv("BD_NO_HOOKS") != "1" {
		return refused("the project's hooks would run")
	}
	store := filepath.Join(".beads", "standin.json")
	if _, err := os.Stat(".beads"); err != nil {
		return bdError("no beads database found")
	}
	f := &beadsStore{}
	if err := load(store, f); err != nil {
		return err
	}
	do, ok := map[string]func(bdLine) error{
		"list":     f.list,
		"ready":    f.ready,
		"show":     f.show,
		"create":   f.create,
		"update":   f.update,
		"close":    f.close,
		"comments": f.comment,
		"version":  f.version,
	}[args[0]]
	if !ok {
		return refused("Error: unknown command %q for \"bd\"\nRun 'bd --help' for usage.", args[0])
	}
	line, err := readBD(args)
	if err != nil {
		return err
	}
	if err := do(line); err != nil {
		return err
	}
	return save(store, f)
}

// bdError prints the reason to stdout, as bd does with --json, and returns an error.
func bdError(format string, args ...any) error {
	_ = printJSON(map[string]string{"error": fmt.Sprintf(format, args...)})
	return refused("")
}

type bdLine struct {
	flags map[string]string
	rest  []string
}

// bdFlags are the flags of each command. One that takes no value ends with an
// exclamation mark.
var bdFlags = map[string]string{
	"list":     "--all! --limit",
	"ready":    "--limit",
	"show":     "",
	"create":   "--title --body-file --priority --deps --type",
	"update":   "--status --add-label --remove-label",
	"close":    "--reason",
	"comments": "",
	"version":  "",
}

// readBD splits a command line as cobra does.
func readBD(args []string) (bdLine, error) {
	line := bdLine{flags: map[string]string{}}
	known := append(strings.Fields(bdFlags[args[0]]), "--json!")
	for i := 1; i < len(args); i++ {
		name, value, given := strings.Cut(args[i], "=")
		switch {
		case args[i] == "--":
			line.rest = append(line.rest, args[i+1:]...)
			return line, nil
		case !strings.HasPrefix(args[i], "-"):
			line.rest = append(line.rest, args[i])
		case slices.Contains(known, args[i]+"!"):
			line.flags[args[i]] = "true"
		case slices.Contains(known, name) && given:
			line.flags[name] = value
		case slices.Contains(known, name) && i+1 < len(args):
			i++
			line.flags[name] = args[i]
		default:
			return line, refused("Error: unknown flag: %s\nUsage:\n  bd %s", args[i], args[0])
		}
	}
	if line.flags["--json"] == "" {
		return line, refused("the stand-in prints only JSON")
	}
	return line, nil
}

type beadsStore struct {
	Clock  int
	Issues []*bdRecord
}

type bdRecord struct {
	ID          string      `json:"id"`
	Title       string      `json:"title"`
	Description string      `json:"description,omitempty"`
	Status      string      `json:"status"`
	Priority    int         `json:"priority"`
	Type        string      `json:"issue_type"`
	Created     time.Time   `json:"created_at"`
	Updated     time.Time   `json:"updated_at"`
	CloseReason string      `json:"close_reason,omitempty"`
	Labels      []string    `json:"labels,omitempty"`
	Needs       []string    `json:"needs,omitempty"` // only in the stand-in's store
	Comments    []bdComment `json:"comments,omitempty"`
}

type bdComment struct {
	ID     string    `json:"id"`
	Issue  string    `json:"issue_id"`
	Author string    `json:"author"`
	Text   string    `json:"text"`
	At     time.Time `json:"created_at"`
}

func (f *beadsStore) tick() time.Time { f.Clock++; return later(f.Clock) }

// row returns an issue as `list` (whole is false) or `show` prints it.
func (f *beadsStore) row(r *bdRecord, whole bool) map[string]any {
	raw, _ := json.Marshal(r)
	out := map[string]any{}
	_ = json.Unmarshal(raw, &out)
	delete(out, "needs")
	var deps []map[string]any
	for _, id := range r.Needs {
		if need := f.exact(id); whole {
			dep := f.row(need, false)
			delete(dep, "dependencies")
			dep["dependency_type"] = "blocks"
			deps = append(deps, dep)
		} else {
			deps = append(deps, map[string]any{
				"issue_id":      r.ID,
				"depends_on_id": id,
				"type":          "blocks",
				"created_at":    r.Created,
				"metadata":      "{}",
			})
		}
	}
	if deps != nil {
		out["dependencies"] = deps
	}
	if !whole {
		delete(out, "comments")
		out["comment_count"], out["dependency_count"] = len(r.Comments), len(r.Needs)
	}
	return out
}

func (f *beadsStore) exact(id string) *bdRecord {
	i := slices.IndexFunc(f.Issues, func(r *bdRecord) bool { return r.ID == id })
	if i < 0 {
		return nil
	}
	return f.Issues[i]
}

// find returns the issue whose id, with or without its prefix, begins with a text.
func (f *beadsStore) find(id string) (*bdRecord, error) {
	if r := f.exact(id); r != nil {
		return r, nil
	}
	var like []*bdRecord
	for _, r := range f.Issues {
		if strings.HasPrefix(r.ID, id) || strings.HasPrefix(r.ID, "acme-"+id) {
			like = append(like, r)
		}
	}
	switch len(like) {
	case 0:
		return nil, refused("no issue found matching %q", id)
	case 1:
		return like[0], nil
	}
	return nil, refused("ambiguous ID %q matches %d issues\nUse more characters to disambiguate", id, len(like))
}

func (f *beadsStore) waits(r *bdRecord) (open []string) {
	for _, id := range r.Needs {
		if f.exact(id).Status != "closed" {
			open = append(open, id)
		}
	}
	return open
}

func (f *beadsStore) list(line bdLine) error {
	most, err := strconv.Atoi(line.flags["--limit"])
	if err != nil {
		return bdError("invalid limit")
	}
	rows := []any{}
	for _, r := range f.Issues {
		if line.flags["--all"] != "" || r.Status != "closed" {
			rows = append(rows, f.row(r, false))
		}
	}
	if most > 0 {
		rows = rows[:min(most, len(rows))]
	}
	return printJSON(rows)
}

func (f *beadsStore) ready(line bdLine) error {
	if line.flags["--limit"] != "0" {
		return bdError("the stand-in has no limit")
	}
	rows := []any{}
	for _, r := range f.Issues {
		if r.Status == "open" && len(f.waits(r)) == 0 {
			rows = append(rows, f.row(r, false))
		}
	}
	return printJSON(rows)
}

// show skips ids that do not exist, and fails if it finds no issue at all.
func (f *beadsStore) show(line bdLine) error {
	rows := []any{}
	for _, id := range line.rest {
		r, err := f.find(id)
		if err != nil {
			fmt.Fprintf(os.Stderr, "Error fetching %s: %v\n", id, err)
			continue
		}
		rows = append(rows, f.row(r, true))
	}
	if len(rows) == 0 {
		return bdError("no issues found matching the provided IDs")
	}
	return printJSON(rows)
}

func (f *beadsStore) create(line bdLine) error {
	title, text := line.flags["--title"], ""
	if len(line.rest) > 0 || title == "" {
		return bdError("title required")
	}
	switch line.flags["--body-file"] {
	case "":
	case "-":
		raw, err := io.ReadAll(os.Stdin)
		if err != nil {
			return err
		}
		text = string(raw)
	default:
		return bdError("the stand-in reads only stdin")
	}
	p := cmp.Or(line.flags["--priority"], "2")
	priority := slices.Index([]string{"0", "1", "2", "3", "4"}, p)
	if priority < 0 {
		return bdError("invalid priority %q (expected 0-4 or P0-P4)", p)
	}
	at := f.tick()
	r := &bdRecord{
		ID:          "acme-" + strconv.FormatInt(at.UnixMilli()*7919%1679616, 36),
		Title:       title,
		Description: text,
		Status:      "open",
		Priority:    priority,
		Type:        cmp.Or(line.flags["--type"], "task"),
		Created:     at,
		Updated:     at,
	}
	f.Issues = append(f.Issues, r)
	for _, id := range strings.FieldsFunc(line.flags["--deps"], func(c rune) bool { return c == ',' }) {
		if f.exact(id) == nil || os.Getenv("STANDIN_BD_LOSES_DEPS") != "" {
			fmt.Fprintf(os.Stderr, "Warning: failed to add dependency %s -> %s\n", r.ID, id)
			continue
		}
		r.Needs = append(r.Needs, id)
	}
	return printJSON(f.row(r, true))
}

func (f *beadsStore) update(line bdLine) error {
	r, err := f.find(strings.Join(line.rest, " "))
	if err != nil {
		return bdError("%v", err)
	}
	if s, ok := line.flags["--status"]; ok {
		if !slices.Contains([]string{"open", "in_progress", "blocked", "deferred", "closed", "pinned", "hooked"}, s) {
			return bdError(
				"invalid status %q (built-in: open, in_progress, blocked, deferred, closed, pinned, hooked)",
				s,
			)
		}
		r.Status = s
	}
	r.Labels = slices.DeleteFunc(r.Labels, func(l string) bool { return l == line.flags["--remove-label"] })
	if l := line.flags["--add-label"]; l != "" && !slices.Contains(r.Labels, l) {
		r.Labels = append(r.Labels, l)
	}
	r.Updated = f.tick()
	return printJSON([]any{f.row(r, false)})
}

func (f *beadsStore) close(line bdLine) error {
	r, err := f.find(strings.Join(line.rest, " "))
	if err != nil {
		return bdError("resolving ID %s: %v", strings.Join(line.rest, " "), err)
	}
	if open := f.waits(r); len(open) > 0 {
		return refused("cannot close %s: blocked by open issues %v (use --force to override)", r.ID, open)
	}
	r.Status, r.CloseReason, r.Updated = "closed", line.flags["--reason"], f.tick()
	return printJSON([]any{f.row(r, false)})
}

func (f *beadsStore) version(bdLine) error {
	return printJSON(
		map[string]string{
			"branch":  "master",
			"build":   "dev",
			"version": cmp.Or(os.Getenv("STANDIN_BD_VERSION"), "1.0.0"),
		},
	)
}

func (f *beadsStore) comment(line bdLine) error {
	if len(line.rest) != 3 || line.rest[0] != "add" {
		return bdError("usage: bd comments add [issue-id] [text]")
	}
	r, err := f.find(line.rest[1])
	if err != nil {
		return bdError("%v", err)
	}
	c := bdComment{ID: fmt.Sprint("01a2", f.Clock), Issue: r.ID, Author: "ann", Text: line.rest[2], At: f.tick()}
	r.Comments = append(r.Comments, c)
	return printJSON(c)
}
