// Package feature keeps the nouns that use the life of sessions, questions, loops and runs and are not part of it:
// triggers, modules, the other machines of a fleet, snapshots, sign-ins, facts, suggestions, proposed runs, reviews,
// errands of issues and background questions. It also has what is told of that life: reports, alarms, the journal. It owns
// the tables of its nouns, in the state of core and under its lock.
//
// Core does not import this package. It tells of what happens through core.Beside, in the commit in which it happens.
package feature

import (
	"context"
	"errors"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/fleet"
	"github.com/afar-sh/afar/coordinator/internal/module"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/signin"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/table"
	"github.com/afar-sh/afar/coordinator/internal/trigger"
	"github.com/afar-sh/afar/coordinator/internal/wake"
)

// A Core is a core.Core with the nouns of this package. Its methods may be called from any goroutine.
type Core struct {
	*core.Core
	*own
	cfg *core.Config // of the core.Core
}

// own is the state that this package adds. The lock of core guards it.
type own struct {
	undos    undoTable
	browsers browserTable
	facts    *table.Table[string, store.FactSeen]
	triggers *table.Table[trigger.Name, trigger.Trigger] // what is kept beside their files
	firings  firingTable
	modules  *table.Table[module.Name, module.Module] // which are enabled
	machines *table.Table[fleet.MachineID, fleet.Machine]
	orders   orderTable
	mirrors  mirrorTable

	present map[fleet.MachineID]time.Time // since when each machine is connected
	links   signin.Links
}

// New returns the Core with the state of a store. It takes back the claims that are not proven, see core.Claim.
func New(cfg core.Config) (*Core, error) {
	c := &Core{own: &own{present: map[fleet.MachineID]time.Time{}}}
	var err error
	c.Core, err = core.New(cfg, func(s *core.State) core.Beside {
		c.cfg = s.Cfg
		c.join(s)
		return beside{c.own}
	})
	if err != nil {
		return nil, err
	}
	return c, errors.Join(c.Disprove(c.claims()), c.do(reschedule), c.setDaily())
}

// join adds the tables to the state of a core.
func (o *own) join(s *core.State) {
	o.undos = newUndoTable(s, o)
	o.browsers = newBrowserTable(s, o)
	o.facts = core.Register(s, store.FactsSeen, table.Traits[store.FactSeen]{})
	o.triggers = core.Register(s, store.Triggers, table.Traits[trigger.Trigger]{
		Due: triggerDue, Expire: expiry(s, o, (*draft).expireTrigger), Touches: triggerParts,
	})
	o.firings = newFiringTable(s)
	o.modules = core.Register(s, store.Modules, table.Traits[module.Module]{Touches: moduleParts})
	o.machines = core.Register(s, store.Machines, table.Traits[fleet.Machine]{Touches: machineParts})
	o.orders = newOrderTable(s)
	o.mirrors = newMirrorTable(s)
}

// claims returns the claims of triggers that are on and of modules that are enabled.
func (c *Core) claims() (all []core.Claim) {
	c.view(func(s *draft) { all = append(s.triggerClaims(), s.moduleClaims()...) })
	return all
}

// Act is core's Act with the Core that the act works on.
func (c *Core) Act(act channel.Act, do func(*Core) (channel.Settlement, error)) error {
	return c.Core.Act(act, func(one *core.Core) (channel.Settlement, error) { return do(&Core{one, c.own, c.cfg}) })
}

// Use has other rules in force from now on. Questions that are open keep their times.
func (c *Core) Use(r core.Rules) error { return errors.Join(c.Core.Use(r), c.setDaily()) }

// A draft is a change of the state that is not committed yet, of core's and of what this package adds.
type draft struct {
	*core.Draft
	*own
}

// do changes the state and wakes the waiters.
func (c *Core) do(f func(*draft) error) error {
	return c.Do(func(d *core.Draft) error { return f(&draft{d, c.own}) })
}

// view reads the state under the lock. What f changes is dropped.
func (c *Core) view(f func(*draft)) {
	c.View(func(s *core.State, now time.Time) { f(&draft{s.At(now), c.own}) })
}

// until waits until over returns true, which only a change of some parts can bring about, at most until ctx ends.
func (c *Core) until(ctx context.Context, over func(*draft) bool, parts ...wake.Part) {
	c.Until(ctx, func(s *core.State) bool { return over(&draft{s.At(time.Time{}), c.own}) }, parts...)
}

// expiry returns what a table does with a value whose time has come.
func expiry[V any](s *core.State, o *own, expire func(*draft, V)) func(*store.Batch, V, time.Time) {
	return core.Expiry(s, func(d *core.Draft, v V) { expire(&draft{d, o}, v) })
}

// A follow is what follows from an ask.
type follow func(s *draft, a ask.Ask)

// decided says what follows when the person has decided an ask of a kind.
var decided = map[ask.Kind]follow{
	ask.Missed:     (*draft).missedDecided,
	ask.Proposal:   (*draft).startProposed,
	ask.Suggestion: (*draft).suggestionDecided,
	ask.WakeUp:     (*draft).wakeDecided,
	ask.Widen:      (*draft).widen,
}

// declined says what follows when an ask of a kind has ended without a yes. It may follow more than once.
var declined = map[ask.Kind]follow{
	ask.Missed:   (*draft).missedDeclined,
	ask.Proposal: (*draft).proposalDeclined,
	ask.WakeUp:   (*draft).wakeDeclined,
}

// beside is what core calls, see core.Beside.
type beside struct{ *own }

func (b beside) on(d *core.Draft) *draft { return &draft{d, b.own} }

func (b beside) AskChanges(d *core.Draft, a ask.Ask) ask.Ask { return b.on(d).followUndo(a) }
func (b beside) AnswerTaken(d *core.Draft, a ask.Ask)        { b.on(d).countAnswer(a) }
func (b beside) CallRan(d *core.Draft, o ask.Outcome)        { b.on(d).ranUndo(o) }
func (b beside) SessionEnds(d *core.Draft, id session.ID)    { b.on(d).endUndos(id) }
func (b beside) RunChanged(d *core.Draft, id run.ID)         { b.on(d).handUp(id) }

func (b beside) Forward(d *core.Draft, a ask.Ask, p core.Press) channel.Worded {
	return b.on(d).forward(a, p)
}

func (b beside) Decided(d *core.Draft, a ask.Ask) {
	if follow := decided[a.Kind]; follow != nil {
		follow(b.on(d), a)
	}
}

func (b beside) Declined(d *core.Draft, a ask.Ask) {
	if follow := declined[a.Kind]; follow != nil {
		follow(b.on(d), a)
	}
}
