package suggestion

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/internal/atomicfile"
)

// A Kept is a permission rule that Claude Code writes into a settings file when it takes a suggestion.
type Kept struct {
	Rule string // as the file has it, such as Bash(npm view:*)
	In   string // localSettings, projectSettings or userSettings
}

// Keeps returns the rules that Claude Code keeps for good if it takes the suggestions at some places
// of the list.
func Keeps(raw json.RawMessage, places []int) (kept []Kept) {
	var list []suggestion
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil
	}
	for i, s := range list {
		if !slices.Contains(places, i) || s.Type != "addRules" || s.Behavior != "allow" || s.Destination == "session" {
			continue
		}
		for _, r := range s.Rules {
			kept = append(kept, Kept{Rule: r.written(), In: s.Destination})
		}
	}
	return kept
}

// written returns a rule as a settings file has it.
func (r rule) written() string {
	if r.Content == "" {
		return r.Tool
	}
	return r.Tool + "(" + strings.NewReplacer(`\`, `\\`, `(`, `\(`, `)`, `\)`).Replace(r.Content) + ")"
}

// Holds reports whether a settings file allows a rule.
func Holds(path, rule string) bool {
	raw, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	v, err := hostjson.ParseLenient(string(raw), hostjson.MaxDepth)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(v.Get(allowed).Items(), func(item hostjson.Value) bool { return item.Str() == rule })
}

// allowed is the path of the rules that a settings file allows.
const allowed = "permissions.allow"

// Remove takes a rule out of those that a settings file allows. The rest of the file stays as it is.
// A file that does not have the rule is not changed.
func Remove(path, rule string) error {
	if !Holds(path, rule) {
		return nil
	}
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is a link; take %s out of the file that it names by hand", path, rule)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text := string(raw)
	v, err := hostjson.ParseLenient(text, hostjson.MaxDepth)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	list := v.Get(allowed)
	at := listAt(text, list.Raw())
	if at < 0 {
		return fmt.Errorf("%s: cannot find the list of allowed rules; take %s out by hand", path, rule)
	}
	var left []string
	for _, item := range list.Items() {
		if item.Str() != rule {
			left = append(left, item.Raw())
		}
	}
	if err := atomicfile.Write(path, text[:at]+relist(list.Raw(), left)+text[at+len(list.Raw()):]); err != nil {
		return err
	}
	return os.Chmod(path, info.Mode().Perm())
}

// listAt returns where the list of the key allow begins in a text, -1 if that is not certain.
func listAt(text, list string) int {
	found := -1
	for from := 0; ; {
		i := strings.Index(text[from:], list)
		if i < 0 {
			return found
		}
		at := from + i
		before := strings.TrimRight(text[:at], " \t\r\n")
		before, isMember := strings.CutSuffix(before, ":")
		if isMember && strings.HasSuffix(strings.TrimRight(before, " \t\r\n"), `"allow"`) {
			if found >= 0 {
				return -1
			}
			found = at
		}
		from = at + 1
	}
}

// relist returns a list with these items, with the spaces that the old one had between its items.
func relist(old string, items []string) string {
	if len(items) == 0 {
		return "[]"
	}
	open := old[:len(old)-len(strings.TrimLeft(old[1:], " \t\r\n"))] // the bracket and what follows it
	shut := old[len(strings.TrimRight(old[:len(old)-1], " \t\r\n")):]
	between := ", "
	if space := open[1:]; strings.Contains(space, "\n") {
		between = "," + space
	}
	return open + strings.Join(items, between) + shut
}
