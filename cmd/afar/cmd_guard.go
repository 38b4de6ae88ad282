package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/callsite"
	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/policy"
	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/text"
)

func newGuard(a *app) *cobra.Command {
	return group("guard", "See what the guard thinks of a command, and why", newGuardExplain(a), newGuardRules(a),
		newGuardTest(a), newGuardTrust(a), newGuardInstall(a), newGuardRemove(a))
}

func newGuardExplain(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "explain CMD…", Short: "Say whether a shell command would be denied, asked or passed, and why",
		Example: "afar guard explain 'git push --force origin main'",
		Long: "Judges a shell command as the hook would, in this directory, and draws what was understood of it.\n" +
			"Nothing is run. The command is the rest of the line: options of explain stand before it. Quote a\n" +
			"command with pipes, redirections or variables, so that your own shell does not take them.",
		Args: atLeast("a command"),
	}
	c.Flags().SetInterspersed(false)
	tool := c.Flags().String("tool", "", "judge a call of this `tool`; CMD is then its input as JSON")
	reading := c.Flags().Bool("reads-only", false, "judge it in an agent that may only read")
	asJSON := jsonFlag(c, "verdict, rule, from, reason, person, part, file, line, effects, steps, silenced, files")
	c.RunE = func(_ *cobra.Command, args []string) error {
		call, err := callOf(*tool, commandLine(args))
		if err != nil {
			return usageError{err}
		}
		return a.explain(call, *reading, *asJSON)
	}
	return c
}

// commandLine returns the command in the arguments: a single argument unchanged, or
// several words joined. It quotes a word again if the person's shell removed the quotes.
func commandLine(args []string) string {
	if len(args) == 1 {
		return args[0]
	}
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = a
		if a == "" || strings.ContainsAny(a, " \t\n'\"\\") {
			words[i] = text.ShellQuote(a)
		}
	}
	return strings.Join(words, " ")
}

// callOf returns the call of a tool with its input as JSON, or of the shell.
func callOf(tool, text string) (guard.Call, error) {
	if tool == "" {
		return guard.ShellCall(text), nil
	}
	return guard.ReadCall(tool, text)
}

func (a *app) explain(call guard.Call, reading, asJSON bool) error {
	at, err := a.here()
	if err != nil {
		return err
	}
	ctx := callsite.Context(at.dirs, a.bin, at.cwd, at.project)
	ctx.Steps, ctx.ReadOnly = true, reading
	d, files := guard.Judge(call, ctx), policy.Files(at.dirs, at.cwd, at.project)
	if asJSON {
		return a.printJSON(explained(d, files))
	}
	p := a.page()
	renderDecision(p, d)
	renderSteps(p, d)
	renderPolicies(p, files)
	return nil
}

// A spot is the place where a session in this directory would run.
type spot struct {
	dirs         home.Dirs
	cwd, project string
}

func (a *app) here() (spot, error) {
	dirs, err := a.dirs()
	if err != nil {
		return spot{}, err
	}
	cwd, err := os.Getwd()
	if err != nil {
		return spot{}, err
	}
	return spot{dirs, cwd, project(cwd)}, nil
}

// project returns the repository that holds a directory, or else the directory.
func project(cwd string) string {
	for dir := cwd; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return cwd
		}
	}
}

// A verdict is a decision as --json prints it. Verdict is deny, ask or none.
type verdict struct {
	Verdict  string      `json:"verdict"`
	Rule     string      `json:"rule,omitempty"`
	From     string      `json:"from,omitempty"` // policy file and line
	Reason   string      `json:"reason,omitempty"`
	Person   string      `json:"person,omitempty"`
	Part     string      `json:"part,omitempty"`
	File     string      `json:"file,omitempty"` // that the command runs and that gave the verdict
	Line     int         `json:"line,omitempty"`
	Effects  []effect    `json:"effects"`
	Steps    []step      `json:"steps,omitempty"`
	Silenced []quietRule `json:"silenced,omitempty"` // rules that would have asked
	Files    []policed   `json:"files,omitempty"`    // policy files
}

type effect struct {
	Kind    string `json:"kind"`
	Op      string `json:"op,omitempty"`
	Target  string `json:"target,omitempty"`
	Sure    string `json:"sure"`
	Via     string `json:"via,omitempty"`
	Away    string `json:"away,omitempty"`
	Part    string `json:"part,omitempty"`
	File    string `json:"file,omitempty"` // that the command runs and that has the effect
	Line    int    `json:"line,omitempty"`
	Verdict string `json:"verdict"`
	Rule    string `json:"rule,omitempty"`
	From    string `json:"from,omitempty"`
}

type step struct {
	Words   []string `json:"words"`
	Dir     string   `json:"dir,omitempty"`
	Effects []int    `json:"effects,omitempty"` // indexes
	Steps   []step   `json:"steps,omitempty"`
}

type quietRule struct {
	Rule string `json:"rule"`
	From string `json:"from"`
}

type policed struct {
	Path  string `json:"path"`
	State string `json:"state"`
	Error string `json:"error,omitempty"`
	Hash  string `json:"hash,omitempty"`
}

func explained(d guard.Decision, files []policy.File) verdict {
	v := verdict{
		Verdict: word(d.Verdict),
		Rule:    d.Rule,
		From:    d.From,
		Reason:  d.Reason,
		Person:  d.Person,
		Part:    d.Part,
		File:    d.Code.File,
		Line:    d.Code.Line,
		Effects: []effect{},
	}
	for i, e := range d.Effects {
		o := opinionOn(d, i)
		v.Effects = append(v.Effects, effect{
			Kind:    string(e.Kind),
			Op:      string(e.Op),
			Target:  shownHoles(e.Target),
			Sure:    string(e.Sure),
			Via:     e.Via,
			Away:    e.Away,
			Part:    shownHoles(e.Part),
			File:    e.Code.File,
			Line:    e.Code.Line,
			Verdict: word(o.Verdict),
			Rule:    o.Rule,
			From:    o.From,
		})
	}
	if d.Steps != nil {
		v.Steps = stepsOf(d.Steps.Steps)
	}
	for _, s := range d.Silenced {
		v.Silenced = append(v.Silenced, quietRule(s))
	}
	for _, f := range files {
		v.Files = append(v.Files, policed{f.Path, string(f.State), errorText(f.Err), hashOf(f)})
	}
	return v
}

func opinionOn(d guard.Decision, effect int) guard.Opinion {
	if effect < len(d.Opinions) {
		return d.Opinions[effect]
	}
	return guard.Opinion{}
}

func stepsOf(steps []*guard.Step) (out []step) {
	for _, s := range steps {
		words := []string{}
		for _, w := range s.Words {
			words = append(words, shownHoles(w))
		}
		out = append(out, step{words, shownHoles(s.Dir), s.Effects, stepsOf(s.Steps)})
	}
	return out
}

// shownHoles replaces the parts that the guard does not know with an ellipsis.
func shownHoles(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' {
			return '…'
		}
		return r
	}, s)
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func word(v guard.Verdict) string {
	if v == guard.None {
		return "none"
	}
	return string(v)
}

func renderDecision(p *terminal.Page, d guard.Decision) {
	switch d.Verdict {
	case guard.Deny:
		p.Line("%s: %s", p.Paint(terminal.Red, "denied"), terminal.OneLine(d.Person, 300))
	case guard.Ask:
		p.Line("%s: %s", p.Paint(terminal.Yellow, "asked first"), terminal.OneLine(d.Person, 300))
	default:
		p.Line("%s: the guard has no opinion, the host decides", p.Paint(terminal.Green, "passed"))
	}
	rule := d.Rule
	if d.From != "" {
		rule += ", " + p.Path(d.From)
	}
	var rows [][]string
	for _, f := range [][2]string{{"rule", rule}, {"part", d.Part}, {"file", codeLine(p, d)}, {"says", d.Reason}} {
		if f[1] != "" {
			rows = append(rows, []string{p.Paint(terminal.Dim, f[0]), terminal.OneLine(f[1], 400)})
		}
	}
	for _, s := range d.Silenced {
		said := s.Rule + " would ask; " + p.Path(s.From) + " turns it off"
		rows = append(rows, []string{p.Paint(terminal.Dim, "quiet"), said})
	}
	p.Table(rows)
}

// codeLine names the line of a file that gave the verdict, "" if the command itself did.
func codeLine(p *terminal.Page, d guard.Decision) string {
	switch {
	case d.Code.File == "":
		return ""
	case d.Code.Line == 0:
		return p.Path(d.Code.File)
	}
	return fmt.Sprintf("%s, line %d", p.Path(d.Code.File), d.Code.Line)
}

func newGuardRules(a *app) *cobra.Command {
	c := &cobra.Command{Use: "rules", Short: "List all rules", Args: exactly()}
	asJSON := jsonFlag(c, "a list of id, verdict, why, instead")
	c.RunE = func(*cobra.Command, []string) error {
		if *asJSON {
			return a.printJSON(ruleList(guard.Rules()))
		}
		renderRules(a.page(), guard.Rules())
		return nil
	}
	return c
}

// renderRules lists the rules, grouped by pack.
func renderRules(p *terminal.Page, rules []guard.Rule) {
	var packs []string
	rows := map[string][][]string{}
	for _, r := range rules {
		pack := r.Pack()
		if rows[pack] == nil {
			packs = append(packs, pack)
		}
		rows[pack] = append(rows[pack], []string{p.Paint(verdictInk(r.Verdict), word(r.Verdict)),
			p.Paint(terminal.Bold, r.ID), terminal.OneLine(r.Why, 100)})
	}
	for _, pack := range packs {
		p.Head(pack)
		p.Table(rows[pack])
	}
	p.Line("\nWith examples, and what to do instead: docs/guard.md. Why one command is stopped: afar guard explain CMD")
}

func ruleList(rules []guard.Rule) []map[string]string {
	out := []map[string]string{}
	for _, r := range rules {
		out = append(out, map[string]string{"id": r.ID, "verdict": word(r.Verdict), "why": r.Why, "instead": r.Instead})
	}
	return out
}

func verdictInk(v guard.Verdict) terminal.Ink {
	if v == guard.Deny {
		return terminal.Red
	}
	return terminal.Yellow
}
