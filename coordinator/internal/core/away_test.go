package core_test

import (
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// TestAwayModes is the table of product.md: when a question of an attended session leaves its
// terminal, by mode, per session and global, with end times, and with a person who types.
func TestAwayModes(t *testing.T) {
	off, on, auto := session.Off, session.On, session.Auto
	type act func(r *rig)
	away := func(name string, m session.Mode, d time.Duration) act {
		return func(r *rig) { r.ok(r.SetAway(name, m, d)) }
	}
	typed := func(r *rig) { r.ok(r.Typed("s", "")) }
	wait := func(d time.Duration) act { return func(r *rig) { r.pass(d) } }
	opened := func(r *rig) { r.openAsk(newAsk("a", "x")) }
	subagent := func(r *rig) {
		a := newAsk("a", "x")
		a.Agent = "agent-1"
		r.openAsk(a)
	}
	for name, c := range map[string]struct {
		acts  []act
		shown bool
	}{
		"auto, at first":                    {[]act{opened}, false},
		"auto is the default, within grace": {[]act{opened, wait(session.Grace - 1)}, false},
		"auto, after grace":                 {[]act{opened, wait(session.Grace)}, true},
		"auto, typing postpones by the grace": {
			[]act{opened, wait(15 * time.Second), typed, wait(15 * time.Second)}, false,
		},
		"auto, and no longer": {
			[]act{opened, wait(15 * time.Second), typed, wait(session.Grace)}, true,
		},
		"auto, typing calls no card back": {[]act{opened, wait(session.Grace), typed}, true},
		"auto, typing again and again": {
			[]act{opened, wait(15 * time.Second), typed, wait(15 * time.Second), typed, wait(15 * time.Second)}, false,
		},
		"auto, a subagent has no dialog yet": {[]act{subagent}, true},
		"on, at once":                        {[]act{away("", on, 0), opened}, true},
		"on, typing before ends nothing":     {[]act{away("", on, 0), typed, opened}, true},
		"on, typing after ends nothing":      {[]act{away("", on, 0), opened, typed}, true},
		"on, set while it is open":           {[]act{opened, away("", on, 0)}, true},
		"off, never":                         {[]act{away("", off, 0), opened, wait(10 * time.Minute)}, false},
		"off, a subagent too":                {[]act{away("", off, 0), subagent}, false},
		"off, set within grace":              {[]act{opened, away("", off, 0), wait(10 * time.Minute)}, false},
		"off ends, the question was open": {
			[]act{away("", off, time.Minute), opened, wait(time.Minute), wait(session.Grace)}, true,
		},
		"on ends, auto is left":      {[]act{away("", on, time.Minute), wait(time.Minute), opened}, false},
		"on ends, the card stays":    {[]act{away("", on, time.Minute), opened, wait(time.Minute)}, true},
		"the session's own wins, on": {[]act{away("", off, 0), away("s", on, 0), opened}, true},
		"the session's own wins, off": {
			[]act{away("", on, 0), away("s", off, 0), opened, wait(10 * time.Minute)}, false,
		},
		"another session's does not": {[]act{away("t", on, 0), opened}, false},
		"the session's own ends, global holds": {
			[]act{away("", on, 0), away("s", off, time.Minute), wait(time.Minute), opened}, true,
		},
		"auto with an end, then off again": {
			[]act{away("", off, 0), away("s", auto, time.Minute), wait(time.Minute), opened, wait(10 * time.Minute)},
			false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.pair()
			r.see("s", "/p")
			r.see("t", "/t")
			for _, do := range c.acts {
				do(r)
			}
			if a := r.state("a", ask.Open); a.Shown != c.shown {
				t.Errorf("shown %v", a.Shown)
			}
			if r.restart(); r.state("a", ask.Open).Shown != c.shown {
				t.Error("a restart changed it")
			}
		})
	}
}

// TestTypingKeepsAway checks that typing never changes a mode.
func TestTypingKeepsAway(t *testing.T) {
	r := newRig(t)
	r.see("s", "/p")
	r.ok(r.SetAway("", session.On, time.Hour))
	for range 5 {
		r.ok(r.Typed("s", ""))
		r.pass(5 * time.Minute)
	}
	if got := r.Away("s"); got != session.On {
		t.Errorf("away is %s", got)
	}
}
