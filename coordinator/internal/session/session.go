// Package session says which conversations of the host exist, where they run
// and how they stand, and when their questions leave the terminal. It is pure:
// values in, values out.
package session

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"
	"time"
)

// ID is the host's session_id, read from hook input and from nothing else.
type ID string

// A State is how a session stands.
type State string

// The states of a session.
const (
	Working State = "working" // the model or a tool runs
	Waiting State = "waiting" // a question is open
	Idle    State = "idle"    // the prompt is free
	Ended   State = "ended"
)

// A Session is one conversation of the host.
type Session struct {
	ID         ID        `json:"id"`
	Token      string    `json:"token"` // slug-4hex, what a person calls it
	Cwd        string    `json:"cwd"`
	Project    string    `json:"project"`
	Transcript string    `json:"transcript"`
	Mode       string    `json:"mode"`            // the host's permission mode
	Model      string    `json:"model,omitempty"` // that the session started with, where the host says it
	State      State     `json:"state"`
	Since      time.Time `json:"since"` // of State
	Entrypoint string    `json:"entrypoint"`
	Attended   bool      `json:"attended"`
	Background bool      `json:"background,omitempty"` // of `claude --bg`
	Name       string    `json:"name,omitempty"`       // what the host or the person calls it, for people
	Terminal   string    `json:"terminal"`
	Client     int       `json:"client"`                // process id of the host's client
	ClientBorn string    `json:"client_born,omitempty"` // see Process
	StartedAt  time.Time `json:"started_at"`
	SeenAt     time.Time `json:"seen_at"`
	TypedAt    time.Time `json:"typed_at,omitzero"` // the last prompt of a person
	Typed      string    `json:"typed,omitempty"`   // that prompt in one line, without secrets
	// Hooked is true once a hook of ours spoke for the session. A session
	// without it is unprotected: the host runs it, and we do not.
	Hooked bool `json:"hooked"`
	// Reported is true once the person was told that it is unprotected.
	Reported bool `json:"reported,omitempty"`
	Away     Away `json:"away"`
	// Tools counts tool calls since the last Stop: the progress of a loop.
	Tools int `json:"tools"`
	// Agents is true while subagents of the session run on, as the last Stop
	// saw it.
	Agents bool `json:"agents,omitempty"`
	// Crons are the digests of the prompts that the host will type by the clock,
	// as the last Stop saw them.
	Crons []string `json:"crons,omitempty"`
	// Shells are the background shells that the last Stop saw.
	Shells []string `json:"shells,omitempty"`
	// Waiter names the one hook that waits in the background to wake the session, and
	// WaitsIn is its process.
	Waiter  string  `json:"waiter,omitempty"`
	WaitsIn Process `json:"waits_in,omitzero"`
	// Holder is the Stop hook that holds the session at its check-in.
	Holder Process `json:"holder,omitzero"`
	// Batches is true once the session's hook has asked for texts behind its tools.
	Batches bool `json:"batches,omitempty"`
	// Vanished is true of a session that ended because its client was gone: a hook of a
	// client that lives says otherwise.
	Vanished bool `json:"vanished,omitempty"`
	// Inbox is the socket at which the client takes texts, "" where it has none.
	Inbox string `json:"inbox,omitempty"`
	// Halt is the last end of a turn that the person wanted.
	Halt *Halt `json:"halt,omitempty"`
	// Denials are those of the running turn.
	Denials Denials `json:"denials,omitzero"`
	// Broken is what the person was told is wrong with the guard's policy files.
	Broken string `json:"broken,omitempty"`
	// Settings is the last change of settings that the session did not take over
	// and the person was told of.
	Settings string `json:"settings,omitempty"`
	// Overridden are the calls that are known to have got past the guard, by the
	// host's ids; "unseen " stands before those that it never saw.
	Overridden []string `json:"overridden,omitempty"`
	// Notices wait for the session's terminal.
	Notices []string `json:"notices,omitempty"`
	// Tells are what the session's model must know and was not told for sure.
	Tells []Tell `json:"tells,omitempty"`
	// Anchor is what the session must find again after a compaction.
	Anchor   string    `json:"anchor,omitempty"`
	AnchorAt time.Time `json:"anchor_at,omitzero"`
	AnchorOf string    `json:"anchor_of,omitempty"` // the loop that ran then
	// Review is the gate that its person switched on.
	Review Review `json:"review,omitzero"`
}

// Settle is how long a session may run before a hook of ours must have spoken
// for it.
const Settle = 10 * time.Second

// A Sighting is what one hook call or session file says of a session. Empty
// fields say nothing.
type Sighting struct {
	ID                    ID
	Cwd, Transcript, Mode string
	Entrypoint, Terminal  string
	Client                int
	ClientBorn            string
	Attended, KnowAtt     bool
	Batch                 bool     // its hook asks for texts behind its tools
	Background            bool     // of `claude --bg`; with KnowAtt
	Agents, KnowAgents    bool     // subagents run on: said at Stop alone
	Crons                 []string // the host's scheduled prompts, with KnowAgents
	Model                 string   // said at SessionStart alone
	Name                  string   // never one that the host made of the directory
	Inbox                 string   // the client's socket for texts
	Hooked                bool     // a hook of ours says it
	Starts                bool     // the session runs: also one that had ended lives again
	State                 State
}

// Scheduled reports whether a prompt is one that the host types by the clock: no
// person is there.
func (s Session) Scheduled(prompt string) bool { return slices.Contains(s.Crons, digest(prompt)) }

func digest(prompt string) string {
	sum := sha256.Sum256([]byte(strings.TrimSpace(prompt)))
	return hex.EncodeToString(sum[:8])
}

// UnprotectedAt returns when s counts as running without our hooks; the zero
// time is never.
func (s Session) UnprotectedAt() time.Time {
	if s.Hooked || s.State == Ended {
		return time.Time{}
	}
	return s.StartedAt.Add(Settle)
}

// Unprotected reports whether the host runs the session without our hooks.
func (s Session) Unprotected(now time.Time) bool {
	at := s.UnprotectedAt()
	return !at.IsZero() && !now.Before(at)
}

// See returns s with what the sighting adds. An ended session stays ended,
// whatever a late hook says of it; a sighting that Starts it begins a new life,
// for the host resumes under the same id.
func See(s Session, in Sighting, now time.Time) Session {
	if s.StartedAt.IsZero() || in.Starts && s.State == Ended && !s.left(in) || s.returns(in) {
		s = begin(s, now)
	}
	s.ID, s.SeenAt = in.ID, now
	keep(&s.Cwd, in.Cwd)
	keep(&s.Transcript, in.Transcript)
	keep(&s.Mode, in.Mode)
	keep(&s.Entrypoint, in.Entrypoint)
	keep(&s.Terminal, in.Terminal)
	keep(&s.Name, in.Name)
	keep(&s.Model, in.Model)
	if s.Project == "" {
		s.Project = s.Cwd
	}
	s = s.ranBy(Process{in.Client, in.ClientBorn})
	keep(&s.Inbox, in.Inbox)
	if in.KnowAtt {
		s.Attended, s.Background = in.Attended, in.Background
	}
	if in.KnowAgents {
		s.Agents, s.Crons = in.Agents, nil
		for _, prompt := range in.Crons {
			s.Crons = append(s.Crons, digest(prompt))
		}
	}
	if s.State == Ended {
		return s
	}
	s.Hooked, s.Batches = s.Hooked || in.Hooked, s.Batches || in.Batch
	return To(s, in.State, now)
}

// left reports whether a sighting is of the client that left s, which has ended,
// as its own hook said: after /clear its session file names s for a moment more.
// Should the client come back to s, a hook says so.
func (s Session) left(in Sighting) bool {
	return s.Hooked && !in.Hooked && in.Client != 0 && in.Client == s.Client
}

// ranBy returns s with the client that runs it now. What waited for another one's turn
// to end does not reach this one.
func (s Session) ranBy(client Process) Session {
	if !client.Known() || client == s.Process() {
		return s
	}
	if known := s.Process(); known.PID != client.PID || known.Born != "" && client.Born != "" {
		s.Waiter, s.WaitsIn, s.Holder, s.Inbox = "", Process{}, Process{}, ""
	}
	s.Client, s.ClientBorn = client.PID, client.Born
	return s
}

// returns reports whether a hook speaks for s after its client was taken for gone: it
// has another client now, or had one that nobody could see.
func (s Session) returns(in Sighting) bool {
	return s.State == Ended && s.Vanished && in.Hooked && in.ClientBorn != "" &&
		(Process{in.Client, in.ClientBorn}) != s.Process()
}

func begin(s Session, now time.Time) Session {
	s.Halt = nil
	s.StartedAt, s.Hooked, s.Reported, s.Shells, s.Tools, s.Agents = now, false, false, nil, 0, false
	s.Batches, s.Vanished, s.Waiter, s.WaitsIn, s.Holder = false, false, "", Process{}, Process{}
	return To(s, Idle, now)
}

// SeeShells returns s with the background shells that its stop shows. fresh is true when
// one of them is new since the last stop.
func SeeShells(s Session, shells []string) (_ Session, fresh bool) {
	for _, id := range shells {
		fresh = fresh || !slices.Contains(s.Shells, id)
	}
	s.Shells = shells
	return s, fresh
}

// Label tells s from other sessions in words: its name, and that it runs in the
// background. "" says nothing.
func (s Session) Label() string {
	switch {
	case s.Name != "" && s.Background:
		return s.Name + " · in the background"
	case s.Background:
		return "in the background"
	}
	return s.Name
}

// To returns s in the given state; an empty state changes nothing.
func To(s Session, state State, now time.Time) Session {
	if state != "" && s.State != state {
		s.State, s.Since = state, now
	}
	return s
}

func keep(dst *string, v string) {
	if v != "" {
		*dst = v
	}
}

// slugMax keeps a token short enough for one line on a phone.
const slugMax = 24

// NewToken names a session after the last part of its cwd and four hex digits
// of its id. taken reports tokens already in use; the digits then come from a
// rehash.
func NewToken(cwd string, id ID, taken func(string) bool) string {
	slug := slug(path.Base(strings.ReplaceAll(cwd, `\`, "/")))
	sum := sha256.Sum256([]byte(id))
	for {
		token := slug + "-" + hex.EncodeToString(sum[:2])
		if !taken(token) {
			return token
		}
		sum = sha256.Sum256(sum[:])
	}
}

func slug(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= slugMax {
			break
		}
	}
	if s := strings.Trim(b.String(), "-"); s != "" {
		return s
	}
	return "session"
}
