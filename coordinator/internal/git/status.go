package git

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// A Change is one entry of git status: a path at which a checkout differs from its
// commit.
type Change struct {
	Kind   byte   // 1 changed, 2 renamed, u unmerged, ? untracked, ! ignored
	Index  byte   // how the index differs from the commit; '.' means not at all
	Work   byte   // how the work tree differs from the index
	Sub    bool   // the path is a submodule
	Staged string // the object in the index, for Kind 1
	Path   string // as git names it, from the top
}

// Changes returns what is staged, modified or untracked in a checkout. With paths
// it returns only the changes there.
func (r Repo) Changes(ctx context.Context, paths ...string) ([]Change, error) {
	return r.Status(ctx, append([]string{"--ignore-submodules=none", "--ignored=no", "--"}, paths...)...)
}

// Status returns the entries of git status. The arguments say what it looks at.
func (r Repo) Status(ctx context.Context, args ...string) ([]Change, error) {
	command := []string{"status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames"}
	out, err := r.Run(ctx, append(command, args...)...)
	if err != nil {
		return nil, err
	}
	return parseStatus(out)
}

// statusFields is the number of fields in an entry of each kind, path included.
var statusFields = map[byte]int{'1': 9, '2': 10, 'u': 11, '?': 2, '!': 2}

// parseStatus reads the output of git status --porcelain=v2 -z. An unknown entry is
// an error: to overlook a change is to lose work.
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

// parseChange reads one entry. For a header it returns the zero Change.
func parseChange(entry string) (Change, error) {
	if strings.HasPrefix(entry, "# ") {
		return Change{}, nil
	}
	fields := statusFields[(entry + " ")[0]]
	part := strings.SplitN(entry, " ", fields)
	if fields == 0 || len(part) != fields || len(part[0]) != 1 || slices.Contains(part, "") {
		return Change{}, fmt.Errorf("git status printed %q", entry)
	}
	c := Change{Kind: entry[0], Index: '.', Work: '?', Path: part[fields-1]}
	if fields == 2 {
		return c, nil
	}
	if len(part[1]) != 2 {
		return Change{}, fmt.Errorf("git status printed %q", entry)
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
