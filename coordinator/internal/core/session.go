package core

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/table"
	"github.com/afar-sh/afar/coordinator/internal/wake"
)

// A sessionTable holds the sessions.
type sessionTable struct {
	*table.Table[session.ID, session.Session]
	byToken  *table.Index[session.ID, session.Session]
	byName   *table.Index[session.ID, session.Session] // the shortest, see session.Session.Names
	byClient *table.Index[session.ID, session.Session] // the live ones, by the id of their client's process
	living   table.Set[session.ID, session.Session]    // those that have not ended; the others are kept for days
	unmarked *table.Index[session.ID, session.Session] // by the id of the client that had no birthmark
}

func newSessionTable(s *State) sessionTable {
	t := Register(s, store.Sessions, table.Traits[session.Session]{
		Due: unreportedAt, Expire: Expiry(s, (*Draft).reportUnprotected), Touches: sessionParts, Stays: session.Session.Live,
	})
	return sessionTable{
		Table:    t,
		byToken:  t.IndexBy(func(v session.Session) string { return v.Token }),
		byName:   t.IndexBy(func(v session.Session) string { return v.Names()[0] }),
		byClient: t.IndexBy(func(v session.Session) string { return table.KeyIf(v.Live(), strconv.Itoa(v.Client)) }),
		living:   t.Where(session.Session.Live),
		unmarked: t.IndexBy(func(v session.Session) string {
			return table.KeyIf(v.Unmarked.Known(), strconv.Itoa(v.Unmarked.PID))
		}),
	}
}

func sessionParts(before, after session.Session) []wake.Part {
	parts := []wake.Part{OfSession(after.ID)}
	if before.Transcript != after.Transcript {
		parts = append(parts, Transcripts)
	}
	rests := after.State == session.Idle || after.State == session.Ended
	if rests && before.State != after.State {
		parts = append(parts, Stops)
	}
	return parts
}

// unreportedAt returns when a session must be reported as unprotected.
func unreportedAt(v session.Session, _ time.Time) time.Time {
	if v.Reported {
		return time.Time{}
	}
	return v.UnprotectedAt()
}

// reportUnprotected tells the person once of a session that runs without Afar's hooks.
func (s *Draft) reportUnprotected(v session.Session) {
	v.Reported = true
	s.Sessions.Put(s.Batch, v)
	text := "session " + v.Token + " in " + v.Project + " runs without Afar's hooks: no guard, no asks"
	s.Record(event.SessionUnprotected, v.ID, v.Token, text)
	s.Notify("unprotected", v.ID, channel.News{Kind: channel.Unprotected, Of: v.Token, What: v.Project})
}

// See records what a hook or a session file says of a session, and returns the session.
func (c *Core) See(in session.Sighting) (v session.Session, err error) {
	err = c.Do(func(s *Draft) error {
		old, known := s.Sessions.Rows[in.ID]
		v = session.See(old, in, s.Now)
		s.Batch.MayWait = known && saysNothing(old, v)
		if s.Batch.MayWait && s.Now.Sub(old.SeenAt) < seenEvery {
			v = old
			return nil
		}
		if v.Token == "" {
			v.Token = s.newToken(v)
		}
		s.Sessions.Put(s.Batch, v)
		if in.Hooked && v.Protected() && !old.Protected() {
			text := fmt.Sprintf("session %s started in %s", v.Token, v.Project)
			s.Record(event.SessionStarted, v.ID, v.Token, text)
			s.followRooms(v)
		}
		return nil
	})
	return v, err
}

// seenEvery is how old a session's recorded sign of life may become. A hook that reports
// nothing else need not wait for the disk.
const seenEvery = time.Minute

// saysNothing reports whether a sighting changed only its time.
func saysNothing(before, after session.Session) bool {
	before.SeenAt = after.SeenAt
	return reflect.DeepEqual(before, after)
}

// newToken returns a name for a session. The conversation of a run has the name of the run, if
// no living session has it.
func (s *State) newToken(v session.Session) string {
	if r, ok := s.Runs.ByConversation.One(string(v.ID)); ok && !s.takenToken(r.Name) {
		return r.Name
	}
	return session.NewToken(v.Cwd, v.ID, s.takenToken)
}

func (s *State) takenToken(token string) bool {
	lives := func(v session.Session) bool { return v.State != session.Ended }
	return slices.ContainsFunc(s.Sessions.byToken.All(token), lives)
}

// EndSession closes a session and the asks that it had.
func (c *Core) EndSession(id session.ID, why string) error {
	return c.Do(func(s *Draft) error {
		if v := s.Sessions.Rows[id]; v.Live() {
			s.endSession(v, why, ask.Cancel)
		}
		return nil
	})
}

// endSession closes a session, and ends its asks with end.
func (s *Draft) endSession(v session.Session, why string, end ending) {
	v = session.To(v, session.Ended, s.Now)
	v.Vanished = why == clientGone
	v.Waiter, v.WaitsIn, v.Holder, v.Mod = "", session.Process{}, session.Process{}, session.Process{}
	s.Sessions.Put(s.Batch, v)
	s.followRooms(v)
	s.Record(event.SessionEnded, v.ID, v.Token, "session "+v.Token+" ended: "+why)
	s.endAsks(v.ID, end, "the session ended")
	for _, m := range message.Doubt(s.here(v.ID)) {
		s.Messages.Put(s.Batch, m) // its conversation is looked at; see UnshownPrompts
	}
	s.missed(v)
	if v.Halting() {
		s.markHalts()
	}
	s.endGrants(v.ID)
	s.beside.SessionEnds(s, v.ID)
	s.leaveLoop(v, why)
	s.freeRunOf(v.ID)
}

// leaveLoop ends the loop of a conversation that was cleared. It tells the
// person of a print session that ended before its loop, because its terminal is not
// watched.
func (s *Draft) leaveLoop(v session.Session, why string) {
	l := s.Loops.Rows[v.ID]
	_, runs := s.RunOf(v.ID)
	switch {
	case !l.Active(), runs: // a turn of a run is over, see turnOver
	case why == cleared:
		if out, err := loop.Cancel(l, "/clear", s.Now); err == nil {
			s.PutLoop(v.ID, out)
		}
	case !v.Interactive():
		if l, text := loop.Leave(l); text != "" {
			s.Loops.Put(s.Batch, l)
			s.Notify("loop-left", v.ID, channel.News{Kind: channel.LoopSays, Of: v.Token, What: text})
		}
	}
}

// cleared is the host's word for the end of a conversation that the person discarded.
// Every other conversation can be resumed, together with its loop.
const cleared = "clear"

// Typed notes that a person typed a prompt into a session, which is given in one
// line without secrets: their asks stay at the terminal for another grace.
func (c *Core) Typed(id session.ID, prompt string) error {
	return c.Do(func(s *Draft) error {
		s.dropCheckIns(id, "answered at the terminal")
		s.handOver(id)
		for _, a := range s.Asks.Of(id) {
			if a.Kind != ask.CheckIn {
				if next, _ := ask.Remode(a, s.Mode(id, s.Now), s.Now); next != a {
					s.PutAsk(next)
				}
			}
		}
		s.typedInLoop(id)
		if v, ok := s.Sessions.Rows[id]; ok {
			if v.Halting() {
				v = session.EndHalt(v, s.Now) // another turn begins
				s.markHalts()
			}
			v.TypedAt, v.Typed, v.Prompts = s.Now, prompt, v.Prompts+1
			s.Sessions.Put(s.Batch, v)
		}
		return nil
	})
}

// waiting marks a session as waiting for an answer.
func (s *Draft) waiting(id session.ID) {
	if v, ok := s.Sessions.Rows[id]; ok {
		s.Sessions.Put(s.Batch, session.To(v, session.Waiting, s.Now))
	}
}

// Mode returns the away mode that is in force for a session.
func (s *State) Mode(id session.ID, now time.Time) session.Mode {
	return session.Effective(s.Sessions.Rows[id].Away, s.Settings.Away, now)
}

// SetAway sets the away mode of one session, named by token or id, or of all
// when name is empty. A mode of zero duration has no end.
func (c *Core) SetAway(name string, mode session.Mode, d time.Duration) error {
	return c.Do(setAway(name, mode, d))
}

func setAway(name string, mode session.Mode, d time.Duration) func(*Draft) error {
	return func(s *Draft) error {
		away := session.Away{Mode: mode}
		if d > 0 {
			away.Until = s.Now.Add(d)
		}
		if mode == session.Default {
			away = session.Away{}
		}
		subject := "all"
		if name == "" {
			s.NewSettings().Away = away
		} else {
			v, ok := s.Find(name)
			if !ok {
				return fmt.Errorf("session %q: %w", name, ErrNotFound)
			}
			v.Away, subject = away, v.Token
			s.Sessions.Put(s.Batch, v)
		}
		s.Record(event.AwaySet, "", subject, awayText(subject, away))
		s.remode()
		return nil
	}
}

// Away returns the away mode that holds for a session now.
func (c *Core) Away(id session.ID) (mode session.Mode) {
	c.View(func(s *State, now time.Time) { mode = s.Mode(id, now) })
	return mode
}

// remode applies to the open asks the away modes that are in force after the draft.
func (s *Draft) remode() {
	for _, a := range s.Asks.Waiting() {
		if next, _ := ask.Remode(a, s.modeAfter(a.Session), s.Now); next != a {
			s.putTicked(a, ask.Tick(next, s.Now))
		}
	}
}

// modeAfter returns the away mode of a session as the draft leaves it.
func (s *Draft) modeAfter(id session.ID) session.Mode {
	v, _ := s.Sessions.After(s.Batch, id)
	all := s.Settings.Away
	if s.Batch.Settings != nil {
		all = s.Batch.Settings.Away
	}
	return session.Effective(v.Away, all, s.Now)
}

func awayText(subject string, a session.Away) string {
	if a.Mode == "" {
		return "away is that of all sessions for " + subject
	}
	text := fmt.Sprintf("away is %s for %s", a.Mode, subject)
	if !a.Until.IsZero() {
		text += " until " + a.Until.Format("15:04")
	}
	return text
}

// Find looks a session up by token or id; a living one wins.
func (s *State) Find(name string) (found session.Session, ok bool) {
	found, ok = s.Sessions.Rows[session.ID(name)]
	for _, v := range s.Sessions.byToken.All(name) {
		if !found.Live() {
			found, ok = v, true
		}
	}
	return found, ok
}

// Session returns one session by token or id.
func (c *Core) Session(name string) (v session.Session, err error) {
	ok := false
	c.View(func(s *State, _ time.Time) { v, ok = s.Find(name) })
	if !ok {
		return v, fmt.Errorf("session %q: %w", name, ErrNotFound)
	}
	return v, nil
}

// Sessions returns all sessions in memory, the living ones first, by token.
func (c *Core) Sessions() []session.Session {
	var out []session.Session
	c.View(func(s *State, _ time.Time) {
		out = slices.AppendSeq(slices.Grow(out, len(s.Sessions.Rows)), maps.Values(s.Sessions.Rows))
	})
	sort.Slice(out, func(i, j int) bool {
		if a, b := out[i].State == session.Ended, out[j].State == session.Ended; a != b {
			return b
		}
		return out[i].Token < out[j].Token
	})
	return out
}

// SessionsSince returns the sessions that have not ended, or not before a time, in no order.
func (c *Core) SessionsSince(ended time.Time) (out []session.Session) {
	c.View(func(s *State, _ time.Time) {
		for _, v := range s.Sessions.Rows {
			if v.Live() || !v.Since.Before(ended) {
				out = append(out, v)
			}
		}
	})
	return out
}

// SessionsNamed returns those of SessionsSince that have a name as their shortest.
func (c *Core) SessionsNamed(name string, ended time.Time) (out []session.Session) {
	c.View(func(s *State, _ time.Time) {
		out = slices.DeleteFunc(s.Sessions.byName.All(name), func(v session.Session) bool {
			return !v.Live() && v.Since.Before(ended)
		})
	})
	return out
}

// Running returns at most most of the sessions that have not ended, after the first from of
// them, and how many there are. Those that need the person come first, see
// session.Session.Urgency. The newest are first among equals.
func (c *Core) Running(from, most int) (part []session.Session, all int) {
	var order []urgent
	c.View(func(s *State, now time.Time) { order = s.urgent(now) })
	slices.SortFunc(order, urgent.compare)
	all = len(order)
	order = order[min(from, all):]
	c.View(func(s *State, _ time.Time) {
		for _, u := range order[:min(most, len(order))] {
			part = append(part, s.Sessions.Rows[u.id])
		}
	})
	return part, all
}

// An urgent is the place of a session among those that run.
type urgent struct {
	id      session.ID
	urgency int
	since   int64 // in unix nanoseconds
}

func (u urgent) compare(other urgent) int {
	return cmp.Or(cmp.Compare(other.urgency, u.urgency), cmp.Compare(other.since, u.since), cmp.Compare(u.id, other.id))
}

// driven reports whether a session is a turn of a run: it is listed among the runs.
func (s *State) driven(id session.ID) bool {
	r, ok := s.Runs.ByConversation.One(string(id))
	return ok && r.Busy()
}

// urgent returns the places of the sessions that run, in no order.
func (s *State) urgent(now time.Time) []urgent {
	asked := map[session.ID]bool{}
	for _, a := range s.Asks.Waiting() {
		asked[a.Session] = asked[a.Session] || a.Waiting()
	}
	var out []urgent
	for id := range s.Sessions.living.IDs() {
		if s.driven(id) {
			continue
		}
		v := s.Sessions.Rows[id]
		out = append(out, urgent{id: id, urgency: v.Urgency(asked[id], now), since: v.Since.UnixNano()})
	}
	return out
}

// WasUnmarked reports whether a process is a client that had no birthmark before Afar gave it
// one. Sessions that have ended count too: a client goes on to its next session.
func (c *Core) WasUnmarked(p session.Process) (was bool) {
	c.View(func(s *State, _ time.Time) {
		was = p.Known() && p.Born != "" && slices.ContainsFunc(s.Sessions.unmarked.All(strconv.Itoa(p.PID)),
			func(v session.Session) bool { return v.Unmarked == p })
	})
	return was
}

// IsClient reports whether a process is the client of a living session.
func (c *Core) IsClient(pid int) bool {
	_, is := c.OfClient(pid)
	return is
}

// OfClient returns the living session of a client's process. If the client has begun
// another conversation, it returns the newest.
func (c *Core) OfClient(pid int) (found session.Session, ok bool) {
	c.View(func(s *State, _ time.Time) {
		for _, v := range s.Sessions.byClient.All(strconv.Itoa(pid)) {
			if !v.SeenAt.Before(found.SeenAt) {
				found, ok = v, true
			}
		}
	})
	return found, ok
}
