package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/place"
)

func newGuard(a *app) *cobra.Command {
	return group("guard", "See what the guard thinks of a command, and why", newGuardExplain(a), newGuardRules(a))
}

func newGuardExplain(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "explain CMD…", Short: "Say whether a shell command would be denied, asked or passed, and why",
		Long: "Judges a shell command as the hook would, in this directory. Nothing is run.\n" +
			"Quote the command, or put -- before it.",
		Args: cobra.ArbitraryArgs,
	}
	asJSON := jsonFlag(c, "verdict, rule, reason, person, part, effects")
	c.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usageError{errors.New("afar guard explain needs a command")}
		}
		return a.explain(strings.Join(args, " "), *asJSON)
	}
	return c
}

func (a *app) explain(command string, asJSON bool) error {
	ctx, err := a.place()
	if err != nil {
		return err
	}
	d := guard.Judge(guard.Call{Tool: "Bash", Args: []guard.Arg{{Path: "command", Value: command}}}, ctx)
	if asJSON {
		return a.printJSON(explained(d))
	}
	renderDecision(a.page(), d)
	return nil
}

// place is what the hook would tell the guard about a session in this directory.
func (a *app) place() (guard.Context, error) {
	dirs, err := a.dirs()
	if err != nil {
		return guard.Context{}, err
	}
	cwd, err := os.Getwd()
	if err != nil {
		return guard.Context{}, err
	}
	return place.Context(dirs, a.bin, cwd, project(cwd)), nil
}

// project is the repository that holds a directory, else the directory.
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
	Verdict string   `json:"verdict"`
	Rule    string   `json:"rule,omitempty"`
	Reason  string   `json:"reason,omitempty"`
	Person  string   `json:"person,omitempty"`
	Part    string   `json:"part,omitempty"`
	Effects []effect `json:"effects"`
}

type effect struct {
	Kind   string `json:"kind"`
	Op     string `json:"op,omitempty"`
	Target string `json:"target,omitempty"`
	Sure   string `json:"sure"`
	Via    string `json:"via,omitempty"`
	Away   string `json:"away,omitempty"`
	Part   string `json:"part,omitempty"`
}

func explained(d guard.Decision) verdict {
	v := verdict{Verdict: word(d.Verdict), Rule: d.Rule, Reason: d.Reason, Person: d.Person, Part: d.Part, Effects: []effect{}}
	for _, e := range d.Effects {
		v.Effects = append(v.Effects, effect{string(e.Kind), e.Op, e.Target, string(e.Sure), e.Via, e.Away, e.Part})
	}
	return v
}

func word(v guard.Verdict) string {
	if v == guard.None {
		return "none"
	}
	return string(v)
}

func renderDecision(p *page, d guard.Decision) {
	switch d.Verdict {
	case guard.Deny:
		p.line("%s: %s", p.paint(red, "denied"), oneLine(d.Person, 300))
	case guard.Ask:
		p.line("%s: %s", p.paint(yellow, "asked first"), oneLine(d.Person, 300))
	default:
		p.line("%s: the guard has no opinion, the host decides", p.paint(green, "passed"))
	}
	var rows [][]cell
	for _, f := range [][2]string{{"rule", d.Rule}, {"part", d.Part}, {"says", d.Reason}} {
		if f[1] != "" {
			rows = append(rows, []cell{{f[0], dim}, plain(oneLine(f[1], 400))})
		}
	}
	p.table(rows)
	renderEffects(p, d.Effects)
}

func renderEffects(p *page, effects []guard.Effect) {
	if len(effects) == 0 {
		return
	}
	p.head("What it would do")
	var rows [][]cell
	for _, e := range effects {
		what := strings.TrimSpace(e.Op + " " + e.Target)
		rows = append(rows, []cell{plain(string(e.Kind)), plain(oneLine(what, 80)), {string(e.Sure), dim}, {oneLine(e.Via, 30), dim}})
	}
	p.table(rows)
}

func newGuardRules(a *app) *cobra.Command {
	c := &cobra.Command{Use: "rules", Short: "List all rules", Args: exactly()}
	asJSON := jsonFlag(c, "a list of id, verdict, why, instead")
	c.RunE = func(*cobra.Command, []string) error {
		if *asJSON {
			return a.printJSON(ruleList(guard.Rules()))
		}
		var rows [][]cell
		for _, r := range guard.Rules() {
			rows = append(rows, []cell{{word(r.Verdict), verdictInk(r.Verdict)}, {r.ID, bold}, plain(oneLine(r.Why, 100))})
		}
		a.page().table(rows)
		return nil
	}
	return c
}

func ruleList(rules []guard.Rule) []map[string]string {
	out := []map[string]string{}
	for _, r := range rules {
		out = append(out, map[string]string{"id": r.ID, "verdict": word(r.Verdict), "why": r.Why, "instead": r.Instead})
	}
	return out
}

func verdictInk(v guard.Verdict) ink {
	if v == guard.Deny {
		return red
	}
	return yellow
}
