package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/policy"
	"github.com/afar-sh/afar/coordinator/terminal"
)

// maxTree bounds the lines of the drawing; --json prints everything.
const maxTree = 60

// A tree draws the commands that a call would run, each with its effects and with the
// commands that it runs in turn.
type tree struct {
	p     *terminal.Page
	d     guard.Decision
	lines []string
}

func renderSteps(p *terminal.Page, d guard.Decision) {
	if d.Steps == nil || len(d.Steps.Steps)+len(d.Steps.Effects) == 0 {
		return
	}
	p.Head("What was understood")
	t := &tree{p: p, d: d}
	t.drawStep("", d.Steps)
	for i, line := range t.lines {
		if i == maxTree {
			p.Line("  … %d more lines, in --json", len(t.lines)-i)
			return
		}
		p.Line("  %s", line)
	}
}

// drawStep draws the effects of a step and the steps below it. Each line begins with
// margin.
func (t *tree) drawStep(margin string, s *guard.Step) {
	left := len(s.Effects) + len(s.Steps)
	branch := func() (fork, next string) {
		left--
		switch {
		case margin == "" && s == t.d.Steps:
			return "", "  "
		case left == 0:
			return "└ ", "  "
		}
		return "├ ", "│ "
	}
	for _, i := range s.Effects {
		fork, _ := branch()
		t.lines = append(t.lines, margin+fork+t.effect(i))
	}
	for _, sub := range s.Steps {
		fork, next := branch()
		t.lines = append(t.lines, margin+fork+t.p.Paint(terminal.Bold,
			terminal.OneLine(shownHoles(strings.Join(sub.Words, " ")), 90))+t.opinion(t.d.StepOpinions[sub]))
		t.drawStep(margin+next, sub)
	}
}

// effect returns the line of an effect, with the guard's opinion on it.
func (t *tree) effect(i int) string {
	e, o := t.d.Effects[i], opinionOn(t.d, i)
	what := terminal.OneLine(shownHoles(strings.TrimSpace(string(e.Kind)+" "+e.Target)), 80)
	if e.Op != "" {
		what += t.p.Paint(terminal.Dim, " ("+terminal.OneLine(string(e.Op), 30)+")")
	}
	if e.Code.Line > 0 {
		what += t.p.Paint(terminal.Dim, fmt.Sprintf(", line %d of %s", e.Code.Line, filepath.Base(e.Code.File)))
	}
	if e.Sure == guard.Possible {
		what += t.p.Paint(terminal.Dim, ", perhaps")
	}
	if e.Away != "" {
		what += t.p.Paint(terminal.Dim, ", elsewhere: "+e.Away)
	}
	return "→ " + what + t.opinion(o)
}

func (t *tree) opinion(o guard.Opinion) string {
	if o.Verdict == guard.None {
		return ""
	}
	said := fmt.Sprintf("%s %s", word(o.Verdict), o.Rule)
	if o.From != "" {
		said += ", " + t.p.Path(o.From)
	}
	return "  " + t.p.Paint(verdictInk(o.Verdict), said)
}

// renderPolicies lists the policy files with their states.
func renderPolicies(p *terminal.Page, files []policy.File) {
	if len(files) == 0 {
		return
	}
	p.Head("Policy files")
	var rows [][]string
	for _, f := range files {
		sign, text := fileState(f)
		rows = append(rows, []string{p.Mark(sign), p.Path(f.Path), terminal.OneLine(text, 300)})
	}
	p.Table(rows)
}

// fileState returns the state of a policy file in words, with its sign.
func fileState(f policy.File) (sign, text string) {
	switch f.State {
	case policy.Broken:
		return "bad", "broken, so only built-in rules hold: " + f.Err.Error()
	case policy.Untrusted:
		return "off", "only what makes rules stricter is in force: " + f.Quieted() + " until `afar guard trust " +
			f.Path + "`"
	case policy.Changed:
		return "off", "changed since it was trusted, so only what makes rules stricter is in force: look at it, then " +
			"`afar guard trust " + f.Path + "`"
	}
	return "ok", "in force"
}
