package git

import (
	"context"
	"fmt"
	"strings"
)

// A pending is one entry of a status: what a checkout holds that its commit does
// not.
type pending struct {
	kind   byte   // 1 changed, 2 renamed, u unmerged, ? untracked
	index  byte   // what the index has over the commit; '.' is nothing
	work   byte   // what the work tree has over the index
	sub    bool   // it is a submodule
	staged string // the index's object of a changed one
	path   string // as git names it, from the top
}

// changes lists what is staged, modified or untracked in a checkout, in the
// given paths alone where there are any.
func (r Repo) changes(ctx context.Context, paths ...string) ([]pending, error) {
	out, err := r.Run(ctx, statusArgs(paths...)...)
	if err != nil {
		return nil, err
	}
	return parseStatus(out)
}

func statusArgs(paths ...string) []string {
	args := []string{"status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=none", "--ignored=no", "--"}
	return append(args, paths...)
}

// statusFields is how many parts the entries of a kind have before and with
// their path.
var statusFields = map[byte]int{'1': 9, '2': 10, 'u': 11, '?': 2}

// parseStatus reads git status --porcelain=v2 -z. What it does not know is an
// error: a change that is overlooked is work that is lost.
func parseStatus(out []byte) (list []pending, err error) {
	entries := Records(out)
	for i := 0; i < len(entries); i++ {
		c, err := parseChange(string(entries[i]))
		if err != nil {
			return nil, err
		}
		if c.kind == 0 {
			continue // a header
		}
		if c.kind == '2' {
			i++ // the old name follows
		}
		list = append(list, c)
	}
	return list, nil
}

func parseChange(entry string) (pending, error) {
	if strings.HasPrefix(entry, "# ") {
		return pending{}, nil
	}
	fields := statusFields[(entry + " ")[0]]
	part := strings.SplitN(entry, " ", fields)
	if fields == 0 || len(part) != fields || part[fields-1] == "" || len(part[0]) != 1 {
		return pending{}, fmt.Errorf("git status said %q", entry)
	}
	c := pending{kind: entry[0], index: '.', work: '?', path: part[fields-1]}
	if c.kind == '?' {
		return c, nil
	}
	if len(part[1]) != 2 || part[2] == "" {
		return pending{}, fmt.Errorf("git status said %q", entry)
	}
	c.index, c.work, c.sub, c.staged = part[1][0], part[1][1], part[2][0] == 'S', part[7]
	return c, nil
}

// maxNamed bounds how many files an error names.
const maxNamed = 10

// some names the first of the changed files.
func some(list []pending) string {
	var names []string
	for _, c := range list {
		names = append(names, c.path)
	}
	return someNames(names)
}

func someNames(names []string) string {
	more := ""
	if over := len(names) - maxNamed; over > 0 {
		names, more = names[:maxNamed], fmt.Sprintf(" and %d more", over)
	}
	return fmt.Sprintf("%q", names) + more
}
