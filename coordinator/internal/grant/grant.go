// Package grant holds standing permissions: what a person allowed for the rest of a
// session, for a limited time. It is pure. The guard finds out what a call needs; this
// package compares that with what was granted.
package grant

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
)

// For is how long a grant lasts, unless its session ends first.
const For = time.Hour

// An ID names a grant.
type ID string

// A Need is what a call asks for: plain commands, a file, or a tool by its
// name. The zero value can never be granted.
type Need struct {
	Tool     string
	Commands [][]string // of Bash
	Path     string     // of a file tool: resolved
	Root     string     // the project, resolved
	Named    bool       // only the tool's name is known (MCP)
	Loses    bool       // the call may destroy something, which must be kept before the call runs
}

// Empty reports whether n is something that no rule can cover.
func (n Need) Empty() bool {
	switch {
	case n.Tool == "":
		return true
	case len(n.Commands) > 0, n.Path != "", n.Named:
		return false
	}
	return true
}

// A Rule is one permission. Of a command it stores only the plain words at the
// beginning. An exact command is stored as a digest.
type Rule struct {
	Tool string   `json:"tool"`
	Argv []string `json:"argv,omitempty"` // how the command begins
	Sum  string   `json:"sum,omitempty"`  // digest of the one command
	Path string   `json:"path,omitempty"` // the file, or the directory of the files
	Deep bool     `json:"deep,omitempty"` // files below Path at any depth
	Text string   `json:"text"`           // for people, without secrets
}

// A Grant is a set of rules for one session.
type Grant struct {
	ID        ID         `json:"id"`
	Session   session.ID `json:"session"`
	Rules     []Rule     `json:"rules"`
	Ask       string     `json:"ask"`             // the question that it was given for
	Nonce     string     `json:"nonce,omitempty"` // unguessable; binds a button to this grant
	By        string     `json:"by"`
	Channel   string     `json:"channel"`
	At        time.Time  `json:"at"`
	ExpiresAt time.Time  `json:"expires_at"`
	EndedAt   time.Time  `json:"ended_at,omitzero"`
	How       string     `json:"how,omitempty"` // how it ended
	// Kept are the rules that Claude Code keeps for it in its own settings. Such a grant permits nothing
	// by itself, and has no end.
	Kept []Kept `json:"kept,omitempty"`
}

// A Kept is a rule of a settings file of Claude Code.
type Kept struct {
	Rule string `json:"rule"`
	File string `json:"file"`
}

// Active reports whether g is in force at now.
func (g Grant) Active(now time.Time) bool {
	return g.EndedAt.IsZero() && (len(g.Kept) > 0 || now.Before(g.ExpiresAt))
}

// ErrEnded says that a grant has ended already.
var ErrEnded = errors.New("the grant has ended")

// End returns g as ended at now.
func End(g Grant, how string, now time.Time) (Grant, error) {
	if !g.EndedAt.IsZero() {
		return g, ErrEnded
	}
	g.EndedAt, g.How = now, how
	return g, nil
}

// Text returns what g permits, in one line for people.
func (g Grant) Text() string { return Text(g.Permits()) }

// Permits returns what g permits, in words.
func (g Grant) Permits() []Rule {
	rules := g.Rules
	for _, k := range g.Kept {
		rules = append(rules, Rule{Text: line(k.Rule)})
	}
	return rules
}

// Text returns what the rules permit, in one line for people.
func Text(rules []Rule) string {
	var out []string
	for _, r := range rules {
		if !slices.Contains(out, r.Text) {
			out = append(out, r.Text)
		}
	}
	return strings.Join(out, " · ")
}

// Narrowest returns the narrowest rules that cover n, nil if no rule may cover it.
func Narrowest(n Need) []Rule {
	switch {
	case n.Empty():
		return nil
	case n.Path != "":
		return []Rule{fileRule(n)}
	case n.Named:
		return []Rule{{Tool: n.Tool, Text: line(n.Tool)}}
	}
	var out []Rule
	for _, argv := range n.Commands {
		if len(argv) == 0 {
			return nil
		}
		out = append(out, commandRule(n.Tool, argv))
	}
	return out
}

// fileRule returns the rule for the file that was asked for and the other files in its
// directory. Below a directory of the project it includes the subdirectories.
func fileRule(n Need) Rule {
	dir := path.Dir(n.Path)
	r := Rule{Tool: n.Tool, Path: dir, Deep: dir != n.Root}
	shown := strings.TrimPrefix(strings.TrimPrefix(dir, n.Root), "/")
	does := n.Tool
	if slices.Contains(writers, n.Tool) {
		does = "write and edit"
	}
	r.Text = line(does + " " + shown + "/…")
	if shown == "" {
		r.Text = line(does + " files directly in the project")
	}
	return r
}

func commandRule(tool string, argv []string) Rule {
	head := prefix(argv)
	text := strings.Join(head, " ")
	if head != nil && !wide(argv) && redact.Mask(text) == text {
		return Rule{Tool: tool, Argv: head, Text: line(text + " …")}
	}
	return Rule{Tool: tool, Sum: sum(argv), Text: line("exactly " + strings.Join(argv, " "))}
}

// operands are the programs without subcommands. Their arguments name what they work
// on, and they do not overwrite it.
var operands = []string{
	"touch", "mkdir", "ls", "cat", "head", "tail", "wc", "echo", "grep", "diff", "stat", "file", "du",
}

// depth returns how many words the command of a program has at most.
func depth(program string) int {
	switch program {
	case "git", "go", "cargo":
		return 2
	}
	return 3
}

// prefix returns the beginning of a command that says what it does: the program and
// the bare words that follow. It returns nil if only the program would be left, and for
// programs such as rm, of which each call is different.
func prefix(argv []string) []string {
	if slices.Contains(operands, argv[0]) {
		return argv[:1]
	}
	head := argv[:min(len(argv), depth(argv[0]))]
	if i := slices.IndexFunc(head[1:], func(word string) bool { return !bare.MatchString(word) }); i >= 0 {
		head = head[:i+1]
	}
	if len(head) == 1 || slices.Contains([]string{"cd", "rm", "cp", "mv", "uniq", "ln"}, argv[0]) {
		return nil
	}
	return slices.Clone(head)
}

// bare matches a word that is a name, and not an option, a path or a text.
var bare = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_:+-]{0,39}$`)

func sum(argv []string) string {
	h := sha256.New()
	for _, word := range argv {
		fmt.Fprintf(h, "%d:%s|", len(word), word)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// maxText bounds a rule's text, in bytes.
const maxText = 120

func line(s string) string { return text.ClipBytes(text.Fold(redact.Clean(s)), maxText) }

// Covers reports whether rules cover every part of n.
func Covers(rules []Rule, n Need) bool {
	if n.Empty() {
		return false
	}
	if len(n.Commands) == 0 {
		covers := func(r Rule) bool { return r.tool(n.Tool) && (r.names(n) || r.holds(n.Path)) }
		return slices.ContainsFunc(rules, covers)
	}
	for _, argv := range n.Commands {
		if !slices.ContainsFunc(rules, func(r Rule) bool { return r.Tool == n.Tool && r.begins(argv) }) {
			return false
		}
	}
	return true
}

// writers are the tools that change a file. A rule for one of them covers the others.
var writers = []string{"Write", "Edit", "MultiEdit"}

// tool reports whether r applies to calls of a tool.
func (r Rule) tool(name string) bool {
	return r.Tool == name || slices.Contains(writers, r.Tool) && slices.Contains(writers, name)
}

// names reports whether n is about a tool by its name, and r is for all calls of a tool.
func (r Rule) names(n Need) bool {
	return n.Named && n.Path == "" && len(r.Path)+len(r.Sum)+len(r.Argv) == 0
}

// holds reports whether r is for a directory that contains a file.
func (r Rule) holds(file string) bool {
	if r.Path == "" || path.Clean(file) != file {
		return false
	}
	dir := path.Dir(file)
	return dir == r.Path || r.Deep && strings.HasPrefix(dir, strings.TrimSuffix(r.Path, "/")+"/")
}

func (r Rule) begins(argv []string) bool {
	if r.Sum != "" {
		return sum(argv) == r.Sum
	}
	if len(r.Argv) == 0 || wide(argv) {
		return false
	}
	return slices.Equal(r.Argv, argv[:min(len(argv), len(r.Argv))])
}

// Find returns the grants of a session that together cover n at now. It returns none
// if they do not cover all of n.
func Find(all []Grant, id session.ID, n Need, now time.Time) []Grant {
	var rules []Rule
	var used []Grant
	for _, g := range all {
		if g.Session == id && len(g.Kept) == 0 && g.Active(now) {
			rules, used = append(rules, g.Rules...), append(used, g)
		}
	}
	if !Covers(rules, n) {
		return nil
	}
	return slices.DeleteFunc(used, func(g Grant) bool { return !g.helps(n) })
}

// helps reports whether g covers a part of n.
func (g Grant) helps(n Need) bool {
	if len(n.Commands) == 0 {
		return Covers(g.Rules, n)
	}
	return slices.ContainsFunc(n.Commands, func(argv []string) bool {
		return Covers(g.Rules, Need{Tool: n.Tool, Commands: [][]string{argv}})
	})
}
