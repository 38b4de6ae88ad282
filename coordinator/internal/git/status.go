package git

import (
	"context"
	"fmt"
	"strings"
)

// A Change is one entry of a status: what a checkout holds that its commit does
// not.
type Change struct {
	Kind   byte   // 1 changed, 2 renamed, u unmerged, ? untracked
	Index  byte   // what the index has over the commit; '.' is nothing
	Work   byte   // what the work tree has over the index
	Sub    bool   // it is a submodule
	Staged string // the index's object of a changed one
	Path   string // as git names it, from the top
}

// Changes lists what is staged, modified or untracked in a checkout. With paths it
// looks only there.
func (r Repo) Changes(ctx context.Context, paths ...string) ([]Change, error) {
	out, err := r.Run(ctx, statusArgs(paths...)...)
	if err != nil {
		return nil, err
	}
	return parseStatus(out)
}

func statusArgs(paths ...string) []string {
	args := []string{
		"status",
		"--porcelain=v2",
		"-z",
		"--untracked-files=all",
		"--no-renames",
		"--ignore-submodules=none",
		"--ignored=no",
		"--",
	}
	return append(args, paths...)
}

// statusFields is how many parts the entries of a kind have before and with
// their path.
var statusFields = map[byte]int{'1': 9, '2': 10, 'u': 11, '?': 2}

// parseStatus reads git status --porcelain=v2 -z. What it does not know is an
// error: a change that is overlooked is work that is lost.
func parseStatus(out []byte) (list []Change, err error) {
	entries := Records(out)
	for i := 0; i < len(entries); i++ {
		c, err := parseChange(string(entries[i]))
		if err != nil {
			return nil, err
		}
		if c.Kind == 0 {
			continue // a header
		}
		if c.Kind == '2' {
			i++ // the old name follows
		}
		list = append(list, c)
	}
	return list, nil
}

func parseChange(entry string) (Change, error) {
	if strings.HasPrefix(entry, "# ") {
		return Change{}, nil
	}
	fields := statusFields[(entry + " ")[0]]
	part := strings.SplitN(entry, " ", fields)
	if fields == 0 || len(part) != fields || part[fields-1] == "" || len(part[0]) != 1 {
		return Change{}, fmt.Errorf("git status said %q", entry)
	}
	c := Change{Kind: entry[0], Index: '.', Work: '?', Path: part[fields-1]}
	if c.Kind == '?' {
		return c, nil
	}
	if len(part[1]) != 2 || part[2] == "" {
		return Change{}, fmt.Errorf("git status said %q", entry)
	}
	c.Index, c.Work, c.Sub, c.Staged = part[1][0], part[1][1], part[2][0] == 'S', part[7]
	return c, nil
}

// maxNamed bounds how many files an error names.
const maxNamed = 10

// NameChanges returns the names of the first changed files, for an error.
func NameChanges(list []Change) string {
	var names []string
	for _, c := range list {
		names = append(names, c.Path)
	}
	return NameSome(names)
}

// NameSome returns the first names of a list, for an error.
func NameSome(names []string) string {
	more := ""
	if over := len(names) - maxNamed; over > 0 {
		names, more = names[:maxNamed], fmt.Sprintf(" and %d more", over)
	}
	return fmt.Sprintf("%q", names) + more
}
