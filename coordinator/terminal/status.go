package terminal

import (
	"fmt"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// Status shows what runs, what waits for the person, and whether they are reached.
func Status(p *Page, s wire.StatusReply) {
	p.Line("%s %s, pid %d, up %s · away %s", p.Paint(Bold, "Afar"), OneLine(s.Coordinator.Version, 40),
		s.Coordinator.PID, wording.Span(p.Now.Sub(time.UnixMilli(s.Coordinator.Since))), awayText(p, s.Settings))
	renderGuard(p, s.Guard)
	renderBackground(p, s.Background)
	if s.Settings.Paused {
		p.Line("%s only the guard speaks. `afar resume` ends it.", p.Paint(Yellow, "Paused:"))
	}
	for _, v := range s.Settings.Silenced {
		p.Line("%s %s (%s): %s", p.Paint(Yellow, "Asks for silence:"), OneLine(v.Project, 200), OneLine(v.Why, 60),
			wording.Silence(v))
	}
	renderChannels(p, s.Channels)
	if len(s.Fleet) > 0 {
		p.Head("Fleet")
		checks(p, s.Fleet, false)
	}
	if len(s.Sessions)+len(s.Asks)+len(s.Loops) == 0 {
		p.Line("\n%s", view.Sessions.Empty)
		return
	}
	renderSessions(p, s.Sessions)
	renderLoops(p, s)
	renderOpenAsks(p, s.Asks)
	renderPlaces(p, s)
}

// renderPlaces says how a line of the status is opened on the page. In many terminals its
// name is a link besides.
func renderPlaces(p *Page, s wire.StatusReply) {
	var name string
	switch {
	case s.Page.URL == "":
		return
	case len(s.Asks) > 0:
		name = shortID(s.Asks[0])
	case len(s.Sessions) > 0:
		name = OneLine(s.Sessions[0].Token, 40)
	default:
		return
	}
	p.Line("\n%s", p.Paint(Dim, "On the page, "+OneLine(s.Page.Where, 40)+": afar open "+name))
}

// renderGuard shows the guard's grade, and the mods that can overrule it.
func renderGuard(p *Page, g wire.Guard) {
	if g.Grade == "" {
		return
	}
	p.Line("%s %s%s", p.Paint(Bold, "Guard"), wording.Grade(Visible(g.Grade)), modNames(g.Mods))
}

// renderBackground shows what Afar's own questions to a model have cost, where they may cost anything.
func renderBackground(p *Page, b wire.Background) {
	if b.BudgetUSD > 0 {
		p.Line("%s $%.2f of $%.2f today", p.Paint(Bold, "Background questions"), b.SpentUSD, b.BudgetUSD)
	}
}

func modNames(mods []wire.Mod) string {
	if len(mods) == 0 {
		return ""
	}
	var all []string
	for _, m := range mods {
		all = append(all, OneLine(m.ID, 40)+" ("+OneLine(strings.Join(m.Events, ", "), 60)+")")
	}
	return " · mods that can decide: " + strings.Join(all, ", ")
}

// Away shows the away mode of all sessions, and then of those that have a mode of their own.
func Away(p *Page, s wire.StatusReply) {
	p.Line("Away is %s for all sessions.", awayText(p, s.Settings))
	var rows [][]string
	for _, v := range s.Sessions {
		if v.Away != "" {
			rows = append(rows, []string{OneLine(v.Token, 40), OneLine(v.Away, 10)})
		}
	}
	p.Table(rows)
}

func awayText(p *Page, s wire.Settings) string {
	if s.AwayUntil > 0 {
		return fmt.Sprintf("%s until %s", s.Away, p.Clock(s.AwayUntil))
	}
	return s.Away
}

func renderChannels(p *Page, channels []wire.Channel) {
	p.Head("Channels")
	var rows [][]string
	for _, ch := range channels {
		rows = append(rows, []string{p.Mark(ch.State), OneLine(ch.ID, 20), OneLine(ch.State, 20),
			p.Paint(Dim, OneLine(ch.Note, 100))})
	}
	p.Table(rows)
}

func renderSessions(p *Page, sessions []wire.Session) {
	if len(sessions) == 0 {
		return
	}
	p.Head("Sessions")
	List(p, view.Sessions, view.Each(sessions, view.Session))
}

func renderLoops(p *Page, s wire.StatusReply) {
	if len(s.Loops) == 0 {
		return
	}
	places := map[string]string{}
	for _, at := range s.Sessions {
		places[at.ID] = at.URL
	}
	p.Head("Loops")
	List(p, view.Loops, view.Each(s.Loops, func(l wire.Loop) view.Thing {
		t := view.Loop(l)
		t.URL = places[l.Session]
		return t
	}))
}

func renderOpenAsks(p *Page, asks []wire.Ask) {
	if len(asks) == 0 {
		return
	}
	p.Head("Waiting for you")
	var rows [][]string
	cards := view.Cards(asks)
	for _, c := range cards {
		rows = append(rows, []string{
			p.Paint(Bold, p.link(c.URL, shortID(c.Asks[0]))), OneLine(c.Who, 40), p.ago(c.Asks[0].OpenedAt),
			OneLine(c.Title, 100) + wording.Times(c.Asks),
		})
	}
	p.Table(rows)
	if ways := cards[0].Ways(); ways != "" {
		p.Line("  Answer: %s · whole text: afar asks", OneLine(ways, 300))
	}
}
