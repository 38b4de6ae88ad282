package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/callsite"
	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/policy"
	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/text"
)

func newGuardTest(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "test FILE", Short: "Hold the guard against a team's own cases", Args: exactly("a file of cases"),
		Example: "afar guard test .afar/guard.toml",
		Long: "Judges each [[case]] of a TOML file as the hook would in this directory, and says which get\n" +
			"another verdict than wanted. Nothing is run, and no coordinator is needed: fit for CI.\n" +
			"Git is not asked: a case says itself what git would say, else the worse is assumed.\n" +
			"Ends with 1 when a case or a policy file is wrong. docs/guard-policy.md shows the format.",
	}
	trusted := c.Flags().Bool("trusted", false, "take the project's policy as if it was trusted")
	asJSON := jsonFlag(c, "cases, failed: a list of line, call, want, have, rule, from")
	c.RunE = func(_ *cobra.Command, args []string) error { return a.guardTest(args[0], *trusted, *asJSON) }
	return c
}

// A miss is a case with an unexpected verdict, as --json prints it.
type miss struct {
	Line int    `json:"line"`
	Call string `json:"call"`
	Want string `json:"want"`
	Have string `json:"have"`
	Rule string `json:"rule,omitempty"` // the one that spoke
	From string `json:"from,omitempty"`
}

func (a *app) guardTest(file string, trusted, asJSON bool) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read cases: %w", err)
	}
	cases, err := policy.Cases(raw)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	at, err := a.here()
	if err != nil {
		return err
	}
	if broken := callsite.Broken(at.dirs, at.cwd, at.project); broken != "" {
		return fmt.Errorf("%s", broken)
	}
	missed := []miss{}
	for _, c := range cases {
		if d := guard.Judge(c.Call, a.caseContext(at, c, trusted)); !asWanted(c, d) {
			missed = append(missed, miss{c.Line, c.String(), wanted(c), caseWord(d.Verdict), d.Rule, d.From})
		}
	}
	return a.tellMissed(file, len(cases), missed, asJSON)
}

func (a *app) caseContext(at spot, c policy.Case, trusted bool) guard.Context {
	cwd := at.cwd
	if c.Dir != "" {
		cwd = filepath.Join(at.project, c.Dir)
	}
	ctx := callsite.Context(at.dirs, a.bin, cwd, at.project)
	ctx.ReadOnly = c.ReadOnly
	ctx.Git = func(string) guard.GitFacts { return c.Git }
	ctx.Unsaved = nil // the verdict of a case must not depend on the work tree
	for i := range ctx.Amendments {
		ctx.Amendments[i].Loosens = ctx.Amendments[i].Loosens || trusted
	}
	return ctx
}

func asWanted(c policy.Case, d guard.Decision) bool {
	return c.Want == d.Verdict && (c.Rule == "" || c.Rule == d.Rule)
}

func wanted(c policy.Case) string {
	if c.Rule != "" {
		return caseWord(c.Want) + " by " + c.Rule
	}
	return caseWord(c.Want)
}

// caseWord returns a verdict as it is written in a file of cases.
func caseWord(v guard.Verdict) string {
	if v == guard.None {
		return "pass"
	}
	return string(v)
}

func (a *app) tellMissed(file string, total int, missed []miss, asJSON bool) error {
	if asJSON {
		if err := a.printJSON(map[string]any{"cases": total, "failed": missed}); err != nil {
			return err
		}
	} else {
		renderMisses(a.page(), file, missed)
	}
	if len(missed) > 0 {
		return fmt.Errorf("guard test: %d of %s got another verdict", len(missed), text.Count(total, "case"))
	}
	if !asJSON {
		a.say("%s as wanted", text.Count(total, "case"))
	}
	return nil
}

func renderMisses(p *terminal.Page, file string, missed []miss) {
	for _, m := range missed {
		p.Line("%s %s:%d: %s", p.Paint(terminal.Red, "✖"), file, m.Line, terminal.OneLine(m.Call, 200))
		have := m.Have
		if m.Rule != "" {
			have += " by " + m.Rule
		}
		if m.From != "" {
			have += ", " + p.Path(m.From)
		}
		p.Line("    want %s, have %s", m.Want, have)
	}
}
