package page

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// AwayText says what the away mode does with the channels that are ready.
func (n Now) AwayText() string {
	here := "here"
	for _, c := range n.Status.Channels {
		if c.ID == "telegram" && c.State == "ready" {
			here = "here and on your phone"
		}
	}
	switch n.Status.Settings.Away {
	case "on":
		return "Questions leave the terminal at once and wait " + here + "."
	case "auto":
		return "Questions wait in the terminal first. Without an answer there they also appear " + here + "."
	case "off":
		return "Questions stay in the terminal."
	}
	return ""
}

// Lately returns what happened and what became of questions, newest first.
func (n Now) Lately() (all []moment) {
	for _, e := range n.News {
		all = append(all, momentOf(e, ""))
	}
	for _, q := range n.Ended {
		fate := fateOf(q)
		all = append(all, moment{
			At: cmp.Or(q.SettledAt, q.OpenedAt), Icon: Card{Asks: []wire.Ask{q.Ask}}.Icon(), Mood: fate.Class,
			Text: strings.TrimPrefix(q.Token+": ", ": ") + line(140, q.Request) + " · " + fate.Text,
			Path: "/question/" + url(q.ID),
		})
	}
	slices.SortStableFunc(all, func(a, b moment) int { return cmp.Compare(b.At, a.At) })
	return all
}

// Lines returns the runs as the first page lists them.
func (n Now) Lines() (out []shown) {
	for _, r := range n.Runs {
		out = append(out, shown{Thing: view.Run(r.Run), Noun: view.Runs})
	}
	return out
}

// A row is a session as the list of sessions shows it.
type row struct {
	wire.Session
	Loop *wire.Loop
	Asks int // its open questions
}

// Note says what is unusual about the session, where it does nothing else.
func (r row) Note() string {
	if r.State == "unprotected" {
		return wording.Unprotected
	}
	return ""
}

// Rows returns the sessions of the part.
func (r Running) Rows() (out []row) {
	loops := map[string]*wire.Loop{}
	for i, l := range r.Loops {
		if l.Active {
			loops[l.Session] = &r.Loops[i]
		}
	}
	for _, s := range r.Part.Sessions {
		out = append(out, row{Session: s, Loop: loops[s.ID], Asks: r.Asks[s.ID]})
	}
	return out
}

// Lines returns the sessions as the first page lists them.
func (r Running) Lines() (out []shown) {
	for _, row := range r.Rows() {
		t := view.Session(row.Session)
		if l := row.Loop; l != nil && len(l.Stack) > 0 {
			t.About = cmp.Or(t.About, wording.FrameCount(*innermost(*l))+" of its loop")
		}
		out = append(out, shown{Thing: t, Noun: view.Sessions})
	}
	return out
}

// First and Last return the numbers of the part's first and last session, from 1 on.
func (r Running) First() int { return min(r.From+1, r.Last()) }

// Last: see First.
func (r Running) Last() int { return min(r.From+len(r.Part.Sessions), r.Part.All) }

// Later returns how many sessions come after the part.
func (r Running) Later() int { return r.Part.All - r.Last() }

// Before returns the path of the part before this one, "" for none.
func (r Running) Before() string {
	if r.From == 0 {
		return ""
	}
	return sessionsFrom(max(0, r.From-r.Most))
}

// After returns the path of the part after this one, "" for none.
func (r Running) After() string {
	if r.Later() <= 0 {
		return ""
	}
	return sessionsFrom(r.Last())
}

// sessionsFrom returns the path of the sessions after the first ones.
func sessionsFrom(from int) string {
	if from <= 0 {
		return "/sessions"
	}
	return "/sessions?from=" + strconv.Itoa(from)
}
