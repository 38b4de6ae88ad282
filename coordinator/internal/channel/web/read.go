package web

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/config"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// The most rows of a list. A list that is cut says so, or links to the rest.
const (
	mostNews    = 20
	mostEntries = 200
	mostRunning = 12  // sessions on the first page
	mostListed  = 100 // sessions on a page of their list
	mostSpoken  = 50
	mostPast    = 100
)

// entries returns the newest entries of some kinds, newest first.
func entries(r reader, kinds ...string) ([]wire.Entry, error) {
	out, err := read(r, wire.OpLog, wire.LogRequest{Last: true, Limit: mostNews, Kinds: kinds})
	slices.Reverse(out.Entries)
	return out.Entries, err
}

// stretch returns at most in.Limit entries, newest first, that come before the one which the
// query names under a name, and where the others are.
func stretch(q *query, name string, in wire.LogRequest) (part []wire.Entry, further page.Further, err error) {
	if text := q.FormValue(name); text != "" {
		if in.Before, err = strconv.ParseInt(text, 10, 64); err != nil || in.Before <= 0 {
			return nil, further, fmt.Errorf("the place in the journal is %q; want the number of an entry", text)
		}
		further.Newest = q.URL.Path
	}
	limit := in.Limit
	in.Last, in.Limit = true, limit+1 // one more tells whether there are earlier ones
	log, err := read(q.reader, wire.OpLog, in)
	part = log.Entries
	slices.Reverse(part)
	if len(part) > limit {
		part = part[:limit]
		further.Earlier = q.URL.Path + "?" + name + "=" + part[limit-1].ID
	}
	return part, further, err
}

// placeOf returns the path of the page about an entry.
func (c *Channel) placeOf(e wire.Entry) string {
	if r, ok := c.cfg.Core.RunOf(session.ID(e.Session)); ok {
		return "/run/" + url.PathEscape(r.Name)
	}
	if e.Token == "" {
		return "/report"
	}
	return "/session/" + url.PathEscape(e.Token)
}

// cardsOf returns the open questions as cards, oldest first. Identical questions are one.
func cardsOf(asks []wire.Ask) (cards []page.Card) {
	for _, card := range wording.Cards(slices.DeleteFunc(slices.Clone(asks), func(a wire.Ask) bool { return !waits(a) })) {
		cards = append(cards, cardOf(card...))
	}
	return cards
}

// waits reports whether the person can still answer an ask.
func waits(a wire.Ask) bool { return a.State == "open" || a.Parked }

func cardOf(asks ...wire.Ask) page.Card {
	card, on := page.Card{Asks: asks, Closed: asks[0].Closed}, asks[0].AnswerAt
	if len(on) > 0 && !slices.Contains(on, Name) {
		card.Closed = "answers count from " + strings.Join(on, " and ") + " alone"
	}
	return card
}

// now shows what needs the person, then the sessions.
func (c *Channel) now(q *query) (page.View, error) {
	status, err := q.status()
	if err != nil {
		return nil, err
	}
	part, err := c.running(q, 0, mostRunning)
	if err != nil {
		return nil, err
	}
	runs, err := q.urgentRuns()
	if err != nil {
		return nil, err
	}
	cards, ended, err := c.inboxOf(q, status.Asks)
	if err != nil {
		return nil, err
	}
	news, err := q.news()
	return page.Now{
		Status:   status,
		Cards:    cards,
		Runs:     runs,
		Sessions: part,
		News:     news,
		Ended:    ended,
		Home:     c.cfg.Home,
	}, err
}

// A question that ended keeps its place among those that wait for keptFor, and is told among what happened
// lately for toldFor.
const (
	keptFor = time.Minute
	toldFor = 4 * time.Hour
)

// inboxOf returns the open questions and those that ended a moment ago as cards, oldest first, and the questions
// that ended before.
func (c *Channel) inboxOf(q *query, open []wire.Ask) (cards []page.Card, before []wire.ReportedAsk, err error) {
	cards = cardsOf(on(q, open, func(a wire.Ask) wire.Origin { return a.Origin }))
	now := c.cfg.Now()
	past, err := read(q.reader, wire.OpPast, wire.PastRequest{Since: now.Add(-toldFor).UnixMilli()})
	if err != nil {
		return nil, nil, err
	}
	for _, a := range past.Asks {
		// It is on the card of another question, or nobody was asked.
		if a.Card != "" || a.Channel == "grant" || a.Channel == "lease" {
			continue
		}
		if a.OpenedAt+a.WaitedMS < now.Add(-keptFor).UnixMilli() {
			before = append(before, a)
			continue
		}
		shown, err := read(q.reader, wire.OpAsk, wire.Named{ID: a.ID})
		if err != nil {
			return nil, nil, err
		}
		if q.isOn()(shown.Origin) {
			cards = append(cards, endedCard(shown))
		}
	}
	slices.SortStableFunc(cards, func(a, b page.Card) int { return cmp.Compare(a.Face().OpenedAt, b.Face().OpenedAt) })
	return cards, before, nil
}

// sessions shows the sessions that run, a part at a time.
func (c *Channel) sessions(q *query) (page.View, error) {
	from, err := q.from()
	if err != nil {
		return nil, err
	}
	part, err := c.running(q, from, mostListed)
	return page.Sessions{Running: part, Home: c.cfg.Home}, err
}

// from returns the place in a list at which the page begins.
func (q *query) from() (n int, err error) {
	text := q.FormValue("from")
	if text == "" {
		return 0, nil
	}
	if n, err = strconv.Atoi(text); err != nil || n < 0 {
		return 0, fmt.Errorf("the list begins at %q; want a number", text)
	}
	return n, nil
}

// running returns a part of the sessions that run.
func (c *Channel) running(q *query, from, most int) (out page.Running, err error) {
	status, err := q.status()
	if err != nil {
		return out, err
	}
	part, err := read(q.reader, wire.OpSessions, wire.SessionsRequest{From: from, Most: most, Machine: q.machine()})
	out = page.Running{Part: part, From: from, Most: most, Asks: map[string]int{}, Loops: status.Loops}
	for _, a := range status.Asks {
		if waits(a) {
			out.Asks[a.Session]++
		}
	}
	return out, err
}

// session shows one session, with the newest entries of its journal.
func (c *Channel) session(q *query) (page.View, error) {
	shown, err := read(q.reader, wire.OpSession, wire.Named{ID: q.PathValue("token")})
	if err != nil {
		return nil, err
	}
	status, err := q.status()
	if err != nil {
		return nil, err
	}
	grants, err := read(q.reader, wire.OpGrants, wire.None{})
	if err != nil {
		return nil, err
	}
	undos, err := read(q.reader, wire.OpUndos, wire.None{})
	if err != nil {
		return nil, err
	}
	v := page.Session{Session: shown.Session, Home: c.cfg.Home}
	v.Cards = cardsOf(only(status.Asks, func(a wire.Ask) string { return a.Session }, shown.ID))
	if i := slices.IndexFunc(status.Loops, func(l wire.Loop) bool { return l.Session == shown.ID }); i >= 0 {
		v.Loop = &status.Loops[i]
	}
	if shown.Machine != "" { // its journal, grants and snapshots are there
		v.Closed, v.Steps = c.closedOn(shown.Origin), shown.Steps
		return v, nil
	}
	v.Entries, v.Further, err = stretch(q, "before", wire.LogRequest{Session: shown.ID, Limit: mostEntries})
	if v.Further.Newest == "" { // the last tools stand among the newest entries
		v.Steps = shown.Steps
	}
	v.Grants = only(grants.Grants, func(g wire.Grant) string { return g.Session }, shown.ID)
	v.Undos = only(undos.Undos, func(u wire.Undo) string { return u.Session }, shown.ID)
	return v, err
}

// only returns the values whose key is one of a session.
func only[V any](values []V, key func(V) string, session string) (out []V) {
	for _, v := range values {
		if key(v) == session {
			out = append(out, v)
		}
	}
	return out
}

func (c *Channel) loops(q *query) (page.View, error) {
	loops, err := read(q.reader, wire.OpLoops, wire.None{})
	if err != nil {
		return nil, err
	}
	reviews, err := entries(q.reader, string(event.ReviewMade))
	v := page.Loops{Reviews: reviews, Home: c.cfg.Home}
	v.Loops = on(q, loops.Loops, func(l wire.Loop) wire.Origin { return l.Origin })
	for _, repo := range projectsOf(loops.Loops) {
		v.Issues = append(v.Issues, c.issuesOf(repo))
	}
	return v, err
}

// mostProjects bounds the projects whose issues are listed.
const mostProjects = 10

// projectsOf returns the repositories whose issues active loops work through.
func projectsOf(loops []wire.Loop) (repos []string) {
	for _, l := range loops {
		for _, f := range l.Stack {
			if l.Active && l.Machine == "" && f.Issue != nil && !slices.Contains(repos, f.Issue.Repo) {
				repos = append(repos, f.Issue.Repo)
			}
		}
	}
	return repos[:min(len(repos), mostProjects)]
}

func (c *Channel) questions(q *query) (page.View, error) {
	status, err := q.status()
	if err != nil {
		return nil, err
	}
	cards, _, err := c.inboxOf(q, status.Asks)
	if err != nil {
		return nil, err
	}
	v := page.Questions{Cards: cards, Channel: status.Channels, Home: c.cfg.Home}
	before := q.FormValue("before")
	past, err := read(q.reader, wire.OpPast, wire.PastRequest{Before: before, Limit: mostPast + 1})
	v.Past = past.Asks
	if len(v.Past) > mostPast {
		v.Past = v.Past[:mostPast]
		v.Further.Earlier = q.URL.Path + "?before=" + url.QueryEscape(v.Past[mostPast-1].ID)
	}
	if before != "" {
		v.Further.Newest = q.URL.Path
	}
	return v, err
}

func (c *Channel) question(q *query) (page.View, error) {
	shown, err := read(q.reader, wire.OpAsk, wire.Named{ID: q.PathValue("id")})
	if err != nil {
		return nil, err
	}
	return page.Question{Card: endedCard(shown), Home: c.cfg.Home}, nil
}

// endedCard returns one question as a card, with how it ended if it has.
func endedCard(shown wire.AskReply) page.Card {
	card := cardOf(shown.Ask)
	card.Undo = shown.Undo
	if shown.How != "" {
		card.Ended = []string{strings.TrimSuffix(shown.How+" · "+shown.Ask.Outcome, " · ")}
	}
	return card
}

func (c *Channel) guard(q *query) (page.View, error) {
	status, err := q.status()
	if err != nil {
		return nil, err
	}
	v := page.Guard{Guard: status.Guard, Command: q.FormValue("explain"), Home: c.cfg.Home}
	denied := wire.LogRequest{Kinds: []string{string(event.GuardDenied)}, Limit: mostSpoken}
	if v.Denied, v.OfDenied, err = stretch(q, "denied", denied); err != nil {
		return nil, err
	}
	spoke := wire.LogRequest{Kinds: []string{string(event.GuardSpoke)}, Limit: mostSpoken}
	if v.Spoke, v.OfSpoke, err = stretch(q, "asked", spoke); err != nil {
		return nil, err
	}
	if v.Past, err = entries(q.reader, string(event.GuardOverridden)); err != nil {
		return nil, err
	}
	undos, err := read(q.reader, wire.OpUndos, wire.None{})
	slices.Reverse(undos.Undos)
	v.Undos = undos.Undos
	if v.Command != "" {
		v.Explain, v.Trouble = c.explain(q, v.Command)
	}
	return v, err
}

// explain returns what `afar guard explain` prints of a command, or why it prints nothing.
func (c *Channel) explain(q *query, command string) (text, trouble string) {
	out, err := c.afar(q.Context(), "guard", "explain", command)
	if len(out) == 0 && err != nil {
		return "", err.Error()
	}
	return string(out), ""
}

// spans are the times that a report can cover; the first is the usual one.
var spans = []string{"8h", "1h", "24h", "168h"}

func (c *Channel) report(q *query) (page.View, error) {
	span := cmp.Or(q.FormValue("since"), spans[0])
	back, err := time.ParseDuration(span)
	if err != nil || back <= 0 {
		return nil, fmt.Errorf("the time is %q; want one such as 8h", span)
	}
	since := c.cfg.Now().Add(-back).UnixMilli()
	report, err := read(q.reader, wire.OpReport, wire.ReportRequest{Since: since})
	v := page.Report{Report: report, Spans: spans, Since: span, Home: c.cfg.Home}
	for _, part := range report.Spent {
		v.Cost = append(v.Cost, page.Spent(part))
	}
	return v, err
}

func (c *Channel) settings(q *query) (page.View, error) {
	status, err := q.status()
	if err != nil {
		return nil, err
	}
	telegram, err := read(q.reader, wire.OpTelegram, wire.None{})
	v := page.Settings{
		Channels: status.Channels,
		Telegram: telegram,
		Pairing:  c.pairing(),
		Home:     c.cfg.Home,
	}
	var settings struct{ Settings []page.Setting }
	var doctor struct{ Checks []wire.Check }
	err = errors.Join(err, c.config.read(&settings), c.doctor.read(&doctor))
	v.Settings, v.Quick, v.Checks = settings.Settings, quickOf(settings.Settings), doctor.Checks
	own := visitorOf(q.Request).ID
	for _, b := range c.cfg.Core.Browsers() {
		v.Browsers = append(v.Browsers, page.Browser{
			ID:      string(b.ID),
			Name:    b.Agent,
			Since:   b.Since.UnixMilli(),
			Seen:    b.LastSeen.UnixMilli(),
			Expires: b.Expires.UnixMilli(),
			Own:     b.ID == own,
		})
	}
	return v, err
}

// quickOf returns the settings that can be changed on the page.
func quickOf(all []page.Setting) (out []page.Field) {
	for _, c := range config.Choices {
		i := slices.IndexFunc(all, func(s page.Setting) bool { return s.Key == c.Key })
		switch {
		case i < 0: // they cannot be read
		case all[i].From == "default":
			out = append(out, page.Field{Key: c.Key, Label: c.Label, Usual: all[i].Value})
		default:
			out = append(out, page.Field{Key: c.Key, Label: c.Label, Value: strings.TrimPrefix(all[i].Value, "$")})
		}
	}
	return out
}
