package web

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/wire"
)

// mostDeeds bounds the events of a run on one page.
const mostDeeds = 80

// runs shows all runs.
func (c *Channel) runs(q *query) (page.View, error) {
	list, err := q.runsShown()
	if err != nil {
		return nil, err
	}
	v := page.Runs{List: list.rows, All: list.all, Home: c.cfg.Home, Start: c.runForm()}
	v.Start.Dirs, err = q.workDirs()
	return v, err
}

// runForm returns the form that starts a run, without directories.
func (c *Channel) runForm() page.RunForm {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := page.RunForm{
		Key:    c.startKey,
		Agent:  c.cfg.RunAgent,
		Agents: c.cfg.Agents,
		Mode:   c.cfg.RunMode,
		Modes:  run.Modes(),
	}
	if c.cfg.RunMode == "" {
		f.Closed = "runs are not supported on Windows"
	} else if err := c.cfg.Core.Counts(Name); err != nil {
		f.Closed = err.Error()
	}
	return f
}

// workDirs returns where sessions and runs work, the last first. Worktrees of runs are left out.
func (s *shared) workDirs() (dirs []string, err error) {
	runs, err := s.runs()
	if err != nil {
		return nil, err
	}
	some, err := read(s.reader, wire.OpSessions, wire.SessionsRequest{Most: mostListed})
	if err != nil {
		return nil, err
	}
	last := map[string]int64{}
	for _, r := range runs.rows {
		if r.Worktree == "" && r.Machine == "" {
			last[r.Dir] = max(last[r.Dir], r.Since)
		}
	}
	for _, v := range some.Sessions {
		if v.Machine != "" {
			continue
		}
		last[v.Project] = max(last[v.Project], v.Since)
	}
	delete(last, "")
	byTime := func(a, b string) int { return cmp.Or(cmp.Compare(last[b], last[a]), cmp.Compare(a, b)) }
	return slices.SortedFunc(maps.Keys(last), byTime), nil
}

// A runList is the part of the runs that pages list, with how many there are.
type runList struct {
	rows []page.RunRow
	all  int
}

// runsShown returns the first runs of the machine that the page is about.
func (q *query) runsShown() (runList, error) {
	if name := q.machine(); name != "" {
		return q.readRuns(name)
	}
	return q.runs()
}

// readRuns returns the first runs of a machine, or of all, with their open questions.
func (s *shared) readRuns(machine string) (out runList, err error) {
	list, err := read(s.reader, wire.OpRuns, wire.RunsRequest{Most: mostListed, Machine: machine})
	if err != nil {
		return out, err
	}
	status, err := s.status()
	asks := map[string][]wire.Ask{}
	for _, a := range status.Asks {
		if waits(a) {
			asks[a.Session] = append(asks[a.Session], a)
		}
	}
	out.all = list.All
	for _, r := range list.Runs {
		out.rows = append(out.rows, page.RunRow{Run: r, Asks: asks[r.Conversation]})
	}
	return out, err
}

// urgentRuns returns the runs that need a person or work.
func (q *query) urgentRuns() ([]page.RunRow, error) {
	all, err := q.runsShown()
	idle := func(r page.RunRow) bool { return slices.Contains([]string{"idle", "done", "stopped"}, r.State) }
	return slices.DeleteFunc(slices.Clone(all.rows), idle), err
}

// runNamed returns the run with a name.
func (s *shared) runNamed(name string) (row page.RunRow, err error) {
	if row.Run, err = read(s.reader, wire.OpRun, wire.Named{ID: name}); err != nil {
		return row, err
	}
	status, err := s.status()
	for _, a := range status.Asks {
		if waits(a) && a.Session == row.Conversation {
			row.Asks = append(row.Asks, a)
		}
	}
	return row, err
}

// run shows one run: its newest events, or those before the one that the query names.
func (c *Channel) run(q *query) (page.View, error) {
	row, err := q.runNamed(q.PathValue("name"))
	if err != nil {
		return nil, err
	}
	v := page.Run{Run: row.Run, Cards: cardsOf(row.Asks), Closed: c.closedOn(row.Run.Origin), Home: c.cfg.Home}
	in := wire.RunLogRequest{ID: v.Run.ID, Last: mostDeeds}
	if text := q.FormValue("before"); text != "" {
		if in.Before, err = strconv.ParseInt(text, 10, 64); err != nil || in.Before <= 0 {
			return nil, fmt.Errorf("the place in the run is %q; want the number of an event", text)
		}
		v.Further.Newest = q.URL.Path
	}
	log, err := read(q.reader, wire.OpRunLog, in)
	if err != nil && v.Run.AwayAt == 0 {
		return nil, err
	}
	v.Events = log.Events
	if len(v.Events) > 0 && v.Events[0].N > 1 {
		v.Further.Earlier = q.URL.Path + "?before=" + strconv.FormatInt(v.Events[0].N, 10)
	}
	if v.Run.Machine != "" {
		return v, nil
	}
	v.Texts, err = textsOf(q, v)
	return v, err
}

// closedOn says why the page cannot decide about a thing, "" if it can.
func (c *Channel) closedOn(at wire.Origin) string {
	m, err := c.cfg.Core.Machine(at.Machine)
	if at.Machine == "" || err != nil || m.Decides {
		return c.closed()
	}
	return ask.From{Name: m.Name}.OnlyThere()
}

// mostTexts bounds the texts for a run on one page.
const mostTexts = 50

// textsOf returns the texts for a run that belong to the stretch of its events.
func textsOf(q *query, v page.Run) (texts []wire.Message, err error) {
	in := wire.InboxRequest{For: wire.ToRun + v.Run.Name, Last: mostTexts}
	inbox, err := read(q.reader, wire.OpInbox, in)
	from, until := int64(0), int64(0)
	if v.Further.Earlier != "" {
		from = v.Events[0].At
	}
	if v.Further.Newest != "" && len(v.Events) > 0 {
		until = v.Events[len(v.Events)-1].At
	}
	for _, m := range inbox.Messages {
		if m.At >= from && (until == 0 || m.At <= until) {
			texts = append(texts, m)
		}
	}
	return texts, err
}

// runEvent shows one event of a run, whole.
func (c *Channel) runEvent(q *query) (page.View, error) {
	r, err := q.runNamed(q.PathValue("name"))
	if err != nil {
		return nil, err
	}
	n, err := strconv.ParseInt(q.PathValue("n"), 10, 64)
	if err != nil || n <= 0 {
		return nil, errNoPage
	}
	log, err := read(q.reader, wire.OpRunLog, wire.RunLogRequest{ID: r.ID, Before: n + 1, Last: 1})
	if err != nil {
		return nil, err
	}
	if len(log.Events) == 0 || log.Events[0].N != n {
		return nil, errNoPage
	}
	return page.RunEvent{Name: r.Name, Event: log.Events[0], Home: c.cfg.Home}, nil
}

// startRunForm starts a run, and leads to its page.
func startRunForm(d *decision) (string, error) {
	in, err := d.runRequest()
	if err != nil {
		return "", err
	}
	r, err := decide(d, wire.OpRunStart, in)
	if err != nil {
		return "", err
	}
	d.page.renewKey()
	d.PostForm.Set("back", "/run/"+r.Name)
	return r.Name + " is started.", nil
}

// key names the request of a form that begins something. The same form is the same request.
func (d *decision) key() string {
	sum := sha256.Sum256([]byte(d.PostForm.Encode()))
	return base32.StdEncoding.EncodeToString(sum[:])[:26]
}

// renewKey gives the next form that begins something another key: the same content is then a new request.
func (c *Channel) renewKey() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.startKey = rand.Text()
}

// runRequest reads the form that starts a run.
func (d *decision) runRequest() (in wire.RunStartRequest, err error) {
	field := func(name string) string { return strings.TrimSpace(d.PostForm.Get(name)) }
	in = wire.RunStartRequest{
		ID:       d.key(),
		Agent:    field("agent"),
		Name:     field("name"),
		Dir:      d.page.inHome(field("dir")),
		Mode:     field("mode"),
		Model:    field("model"),
		Worktree: field("worktree") != "",
		Prompt:   field("prompt"),
	}
	if text := field("budget"); text != "" {
		if in.BudgetUSD, err = strconv.ParseFloat(text, 64); err != nil {
			return in, fmt.Errorf("the budget is %q; want an amount such as 2.50", text)
		}
	}
	in.ForMS, err = d.length()
	return in, err
}

// inHome returns a path that a person typed, with their home directory in the place of "~".
func (c *Channel) inHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/') {
		return c.cfg.Home + rest
	}
	return path
}

// sendRunForm sends a text to a run.
func sendRunForm(d *decision) (string, error) {
	return d.send(wire.ToRun + d.PathValue("name"))
}

// stopRunForm ends what a run does now.
func stopRunForm(d *decision) (string, error) {
	r, err := decide(d, wire.OpRunStop, wire.Named{ID: d.PathValue("name")})
	switch {
	case err != nil:
		return "", err
	case r.PID != 0:
		return r.Name + " is told to end its turn.", nil
	}
	return r.Name + " is " + r.State + ".", nil
}

// removeRunForm takes a run out of the lists.
func removeRunForm(d *decision) (string, error) {
	r, err := decide(d, wire.OpRunRemove, wire.Named{ID: d.PathValue("name")})
	if err != nil {
		return "", err
	}
	said := r.Name + " is removed. " + r.Agent + " keeps the conversation."
	if r.Keeps != "" {
		said += " Its worktree stays: " + r.Keeps
	}
	return said, nil
}
