package coordinator

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel/hub"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/fleet"
	"github.com/afar-sh/afar/coordinator/internal/fleetwork"
	"github.com/afar-sh/afar/coordinator/internal/link"
	"github.com/afar-sh/afar/coordinator/internal/task"
	"github.com/afar-sh/afar/coordinator/wire"
)

// A fleetPart is what this machine runs for its fleet: nothing, the hub, or the channel of a member.
type fleetPart struct {
	self    fleet.Self
	keys    *link.Keys
	hub     *fleetwork.Hub
	link    func() link.State
	leaving func(context.Context) error // of a member
}

// findFleet reads what this machine is in its fleet. A machine without one loads nothing more.
func (c *Coordinator) findFleet() error {
	set, err := c.store.Settings()
	if err != nil {
		return err
	}
	c.fleet.self = set.Fleet.Self
	if c.fleet.self.Role == fleet.None {
		return nil
	}
	c.fleet.keys, err = link.LoadKeys(c.cfg.Dirs.Fleet())
	return err
}

// machine returns the name of this machine for people, which is the one that it has in its fleet.
func (c *Coordinator) machine() string { return cmp.Or(c.fleet.self.Name, home.Machine()) }

// newHubChannel makes the way of a member to its person.
func (c *Coordinator) newHubChannel(shared *feature.Core) (channel, error) {
	ch, err := hub.New(hub.Config{
		Core: shared, Log: c.cfg.Log, Version: c.cfg.Version, Self: c.fleet.self, Keys: c.fleet.keys,
		Act:   c.server.Act,
		Do:    c.server.Remote,
		Place: c.placeOf,
		Items: c.items,
	})
	if err != nil {
		return nil, err
	}
	c.fleet.link, c.fleet.leaving = ch.State, ch.Leave
	return ch, nil
}

// openFleet makes what a hub runs.
func (c *Coordinator) openFleet() error {
	if c.fleet.self.Role != fleet.Hub {
		return nil
	}
	carrier, err := fleetwork.LinkServer(c.fleet.self, c.cfg.Bin, c.cfg.Dirs.Fleet())
	if err != nil {
		return err
	}
	c.fleet.hub, err = fleetwork.New(fleetwork.Config{
		Core: c.core, Log: c.cfg.Log, Version: c.cfg.Version, Self: c.fleet.self, Keys: c.fleet.keys, Server: carrier,
		Person: func() string {
			if p := c.telegram.Status().Person; p != nil {
				return p.Name
			}
			return ""
		},
	})
	if err == nil {
		c.fleet.link = c.fleet.hub.State
	}
	return err
}

func (c *Coordinator) fleetSettings() fleetwork.Setup {
	return fleetwork.Setup{
		Core: c.core, Dir: c.cfg.Dirs.Fleet(), Version: c.cfg.Version, Machine: home.Machine(),
		Hub: c.fleet.hub, Link: c.fleet.link, Leaving: c.fleet.leaving,
	}
}

// placeOf says where an ask of this machine comes from, for the hub.
func (c *Coordinator) placeOf(a ask.Ask) (from ask.From) {
	from.Project = a.Cwd
	v, err := c.core.Session(string(a.Session))
	if err != nil {
		from.Token = a.Tool
		if a.Task != "" {
			from.Token = "task:" + a.Task
		}
		from.Session = from.Token
		return from
	}
	from.Token, from.Session, from.Project, from.Label = v.Token, v.Names()[0], v.Project, v.Label()
	return from
}

// mostMirrored bounds the runs and the tasks of this machine that the hub shows: those that need the person first. The
// others are read there when somebody asks for them.
const mostMirrored = 200

// items returns what the hub shows of this machine beside its questions, as `--json` has it.
func (c *Coordinator) items() (all []fleet.Item) {
	add := func(kind, id string, v any) {
		if raw, err := json.Marshal(v); err == nil {
			all = append(all, fleet.Item{Name: kind + " " + id, Body: raw})
		}
	}
	here := func(op string, in any) (any, error) { return c.server.Remote(context.Background(), "hub", op, in) }
	if now, err := wire.OpStatus.With(wire.StatusRequest{}).Through(here); err == nil {
		for _, v := range now.Sessions {
			add(fleet.OfSession, v.ID, v)
		}
		for _, l := range now.Loops {
			add(fleet.OfLoop, l.Session, l)
		}
	}
	if runs, err := wire.OpRuns.With(wire.RunsRequest{Most: mostMirrored}).Through(here); err == nil {
		for _, r := range runs.Runs {
			add(fleet.OfRun, r.ID, r)
		}
	}
	if tasks, err := wire.OpTasks.With(wire.None{}).Through(here); err == nil {
		isOld := func(t wire.Task) bool { return t.Status == string(task.Archived) }
		open := slices.DeleteFunc(tasks.Tasks, isOld)
		for _, t := range open[:min(len(open), mostMirrored)] {
			add(fleet.OfTask, t.ID, t)
		}
	}
	return all
}
