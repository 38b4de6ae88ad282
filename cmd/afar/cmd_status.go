package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

func newStatus(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "status", Short: "Show sessions, loops, open questions, channels", Args: exactly(),
		Example: "afar status --json",
		Long: "Shows the sessions with what they are about, their model, context and todos as far as Claude Code " +
			"tells,\n" +
			"the loops, what waits for you, and the channels. afar watch keeps them on the screen.",
	}
	asJSON := jsonFlag(c, "coordinator, page, settings, channels, sessions, loops, asks, background")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return read(c.Context(), a, wire.OpStatus, wire.StatusRequest{}, *asJSON, renderStatus)
	}
	return c
}

func renderStatus(p *page, s wire.StatusReply) {
	p.line("%s %s, pid %d, up %s · away %s", p.paint(bold, "Afar"), oneLine(s.Coordinator.Version, 40),
		s.Coordinator.PID, wording.Span(p.now.Sub(milli(s.Coordinator.Since))), awayText(p, s.Settings))
	renderGuard(p, s.Guard)
	renderBackground(p, s.Background)
	if s.Settings.Paused {
		p.line("%s only the guard speaks. `afar resume` ends it.", p.paint(yellow, "Paused:"))
	}
	for _, v := range s.Settings.Silenced {
		p.line("%s %s (%s): %s", p.paint(yellow, "Asks for silence:"), oneLine(v.Project, 200), oneLine(v.Why, 60),
			wording.Silence(v))
	}
	renderChannels(p, s.Channels)
	if len(s.Sessions)+len(s.Asks)+len(s.Loops) == 0 {
		p.line("\n%s", view.Sessions.Empty)
		return
	}
	renderSessions(p, s.Sessions)
	renderLoops(p, s)
	renderOpenAsks(p, s.Asks)
	renderPlaces(p, s)
}

// renderPlaces says how a line of the status is opened on the page. In many terminals its
// name is a link besides.
func renderPlaces(p *page, s wire.StatusReply) {
	var name string
	switch {
	case s.Page.URL == "":
		return
	case len(s.Asks) > 0:
		name = shortID(s.Asks[0])
	case len(s.Sessions) > 0:
		name = oneLine(s.Sessions[0].Token, 40)
	default:
		return
	}
	p.line("\n%s", p.paint(dim, "On the page, "+oneLine(s.Page.Where, 40)+": afar open "+name))
}

// renderGuard shows the guard's grade, and the mods that can overrule it. An older
// coordinator does not send them.
func renderGuard(p *page, g wire.Guard) {
	if g.Grade == "" {
		return
	}
	p.line("%s %s%s", p.paint(bold, "Guard"), wording.Grade(visible(g.Grade)), modNames(g.Mods))
}

// renderBackground shows what Afar's own questions to a model have cost. An older coordinator
// does not say that.
func renderBackground(p *page, b wire.Background) {
	if b.BudgetUSD > 0 {
		p.line("%s $%.2f of $%.2f today", p.paint(bold, "Background questions"), b.SpentUSD, b.BudgetUSD)
	}
}

func modNames(mods []wire.Mod) string {
	if len(mods) == 0 {
		return ""
	}
	var all []string
	for _, m := range mods {
		all = append(all, oneLine(m.ID, 40)+" ("+oneLine(strings.Join(m.Events, ", "), 60)+")")
	}
	return " · mods that can decide: " + strings.Join(all, ", ")
}

func awayText(p *page, s wire.Settings) string {
	if s.AwayUntil > 0 {
		return fmt.Sprintf("%s until %s", s.Away, p.clock(s.AwayUntil))
	}
	return s.Away
}

func renderChannels(p *page, channels []wire.Channel) {
	p.head("Channels")
	var rows [][]cell
	for _, ch := range channels {
		rows = append(rows, []cell{mark(ch.State), plain(oneLine(ch.ID, 20)), plain(oneLine(ch.State, 20)),
			{oneLine(ch.Note, 100), dim}})
	}
	p.table(rows)
}

func renderSessions(p *page, sessions []wire.Session) {
	if len(sessions) == 0 {
		return
	}
	p.head("Sessions")
	things(p, view.Sessions, sessions, view.Session)
}

func renderLoops(p *page, s wire.StatusReply) {
	if len(s.Loops) == 0 {
		return
	}
	places := map[string]string{}
	for _, at := range s.Sessions {
		places[at.ID] = at.URL
	}
	p.head("Loops")
	things(p, view.Loops, s.Loops, func(l wire.Loop) view.Thing {
		t := view.Loop(l)
		t.URL = places[l.Session]
		return t
	})
}

func renderOpenAsks(p *page, asks []wire.Ask) {
	if len(asks) == 0 {
		return
	}
	p.head("Waiting for you")
	var rows [][]cell
	cards := view.Cards(asks)
	for _, c := range cards {
		rows = append(rows, []cell{
			{p.link(c.URL, shortID(c.Asks[0])), bold}, plain(oneLine(c.Who, 40)), plain(p.ago(c.Asks[0].OpenedAt)),
			plain(oneLine(c.Title, 100) + wording.Times(c.Asks)),
		})
	}
	p.table(rows)
	if ways := cards[0].Ways(); ways != "" {
		p.line("  Answer: %s · whole text: afar asks", oneLine(ways, 300))
	}
}
