// Package judge adapts the guard to package hooks, for the hook binaries that judge
// calls. It is a package of its own because linking the guard and its shell parser
// slows the start of a process.
package judge

import (
	"github.com/afar-sh/afar/coordinator/callsite"
	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/hooks"
)

// Call judges one tool call; it is a hooks.Guard. It reads the policy files. It asks
// git only if the verdict depends on it.
func Call(c hooks.Call) (hooks.Judgement, error) {
	call, err := guard.NewCall(c.Tool, c.Input)
	if err != nil {
		return hooks.Judgement{}, err
	}
	where := callsite.Context(c.Dirs, c.Bin, c.Cwd, c.Project)
	where.Created = callsite.Created(c.Transcript)
	where.Kept = callsite.Kept(c.Dirs, c.Transcript)
	where.Older = callsite.Older(c.Transcript)
	where.Skills = c.Skills
	where.ReadOnly = wire.ReadsOnly(c.Agent)
	d := guard.Judge(call, where)
	behind := where
	behind.Walled = true
	changed, person := "", d.Person
	for _, path := range guard.HostFiles(call, where) {
		if person == d.Person && d.Part != "" {
			person += ": " + d.Part // the call does not show it
		}
		if !where.Older(path) && !c.Skills() {
			changed = path
		}
	}
	return hooks.Judgement{
		Changed:  changed,
		Verdict:  hooks.Verdict(d.Verdict),
		Rule:     d.Rule,
		From:     d.From,
		Part:     d.Part,
		Reason:   d.Reason,
		Person:   person,
		Loses:    d.Verdict == guard.Ask && len(guard.Losses(call, d.Effects, c.Cwd)) > 0,
		Bounded:  d.Verdict == guard.Ask && guard.Judge(call, behind).Verdict == guard.None,
		Consults: where.ReadOnly && d.Steps.Calls("afar", "consult"),
		Proposes: guard.ProposesRun(call, d),
		Broken:   where.Broken,
	}, nil
}

// Broken returns what is wrong with the policy files of a place, in one line, "" for
// nothing.
func Broken(p hooks.Place) string { return callsite.Broken(p.Dirs, p.Cwd, p.Project) }
