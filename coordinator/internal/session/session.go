// Package session keeps the state of the host's conversations: which exist, where they
// run, and what they do. It also says when their questions leave the terminal. It is
// pure: values in, values out.
package session

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// ID is the host's session_id. It is read only from hook input.
type ID string

// A State says what a session is doing.
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
	// Unmarked is the client if it had no birthmark before Afar gave it one: no session started it.
	Unmarked  Process   `json:"unmarked,omitzero"`
	StartedAt time.Time `json:"started_at"`
	SeenAt    time.Time `json:"seen_at"`
	TypedAt   time.Time `json:"typed_at,omitzero"` // the last prompt of a person
	Typed     string    `json:"typed,omitempty"`   // that prompt in one line, without secrets
	Prompts   int       `json:"prompts,omitempty"` // the prompts so far
	// Hooked is true once one of our hooks reported the session. Before that the
	// session is unprotected: the host runs it without our hooks.
	Hooked bool `json:"hooked"`
	// Reported is true once the person was told that the session is unprotected.
	Reported bool `json:"reported,omitempty"`
	Away     Away `json:"away"`
	// Tools counts the tool calls since the last Stop. A loop uses it as progress.
	Tools int `json:"tools"`
	// Agents is true if subagents of the session were still running at the last Stop.
	Agents bool `json:"agents,omitempty"`
	// Crons are the digests of the host's scheduled prompts, as of the last Stop.
	Crons []string `json:"crons,omitempty"`
	// Shells are the background shells that were running at the last Stop.
	Shells []string `json:"shells,omitempty"`
	// Waiter names the one hook that waits in the background to wake the session, and
	// WaitsIn is its process.
	Waiter  string  `json:"waiter,omitempty"`
	WaitsIn Process `json:"waits_in,omitzero"`
	// Holder is the Stop hook that holds the session at its check-in.
	Holder Process `json:"holder,omitzero"`
	// Mod is the process with which the plugin's mod in the client waits for texts of the
	// person, which it submits as their prompts. It is unknown where no such mod runs.
	Mod Process `json:"mod,omitzero"`
	// Batches is true once the session's hook has asked for texts after tool calls.
	Batches bool `json:"batches,omitempty"`
	// Vanished is true if the session ended because its client was gone. A hook of a
	// live client can bring the session back.
	Vanished bool `json:"vanished,omitempty"`
	// Inbox is the socket at which the client takes texts, "" if it has none.
	Inbox string `json:"inbox,omitempty"`
	// Halt is the person's last request to end a turn.
	Halt *Halt `json:"halt,omitempty"`
	// Denials are those of the running turn.
	Denials Denials `json:"denials,omitzero"`
	// Broken is the fault in the guard's policy files that the person was told of.
	Broken string `json:"broken,omitempty"`
	// Settings is the last change of settings that the session did not adopt and that
	// the person was told of.
	Settings string `json:"settings,omitempty"`
	// Overridden are the ids of the calls that got past the guard. Calls that the guard
	// never saw have the prefix "unseen ".
	Overridden []string `json:"overridden,omitempty"`
	// Notices are the lines that wait for the session's terminal.
	Notices []string `json:"notices,omitempty"`
	// Tells are the texts for the session's model that may not have arrived yet.
	Tells []Tell `json:"tells,omitempty"`
	// Anchor is the text that the session gets again after a compaction.
	Anchor   string    `json:"anchor,omitempty"`
	AnchorAt time.Time `json:"anchor_at,omitzero"`
	AnchorOf string    `json:"anchor_of,omitempty"` // the loop that ran then
	// Review is the review gate, which the person can switch on.
	Review Review `json:"review,omitzero"`
}

// Settle is how long a session may run before one of our hooks must have reported it.
const Settle = 10 * time.Second

// A Sighting is what one hook call or session file says about a session. An empty field
// means that it says nothing.
type Sighting struct {
	ID                    ID
	Cwd, Transcript, Mode string
	Entrypoint, Terminal  string
	Client                int
	ClientBorn            string
	Unmarked              bool // the client had no birthmark before Afar gave it one
	Attended, KnowAtt     bool
	Batch                 bool     // its hook asks for texts after tool calls
	Background            bool     // of `claude --bg`; with KnowAtt
	Agents, KnowAgents    bool     // subagents still run; known only at Stop
	Crons                 []string // the host's scheduled prompts, with KnowAgents
	Model                 string   // known only at SessionStart
	Name                  string   // never a name that the host derived from the directory
	Inbox                 string   // the client's socket for texts
	Hooked                bool     // the sighting is from one of our hooks
	Starts                bool     // the session starts, or starts again after it had ended
	State                 State
}

// Scheduled reports whether a prompt is one of the host's scheduled prompts, which no
// person typed.
func (s Session) Scheduled(prompt string) bool { return slices.Contains(s.Crons, digest(prompt)) }

func digest(prompt string) string {
	sum := sha256.Sum256([]byte(strings.TrimSpace(prompt)))
	return hex.EncodeToString(sum[:8])
}

// UnprotectedAt returns when s counts as running without our hooks, the zero time for
// never.
func (s Session) UnprotectedAt() time.Time {
	if s.Hooked || s.State == Ended {
		return time.Time{}
	}
	return s.StartedAt.Add(Settle)
}

// Unprotected reports whether the host runs the session without our hooks.
func (s Session) Unprotected(now time.Time) bool {
	return due(s.UnprotectedAt(), now)
}

// Shown returns the state of s as people see it: a session without our hooks is unprotected.
func (s Session) Shown(now time.Time) string {
	if s.Unprotected(now) {
		return "unprotected"
	}
	return string(s.State)
}

// due reports whether at has come. A zero at never comes.
func due(at, now time.Time) bool { return !at.IsZero() && !now.Before(at) }

// See returns s updated by a sighting. An ended session stays ended when a late hook
// reports it. Only a sighting with Starts revives it, because the host resumes a session
// under the same id.
func See(s Session, in Sighting, now time.Time) Session {
	switch {
	case s.StartedAt.IsZero(), s.resumes(in), s.reappears(in):
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
	if in.Unmarked {
		s.Unmarked = Process{in.Client, in.ClientBorn}
	}
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
	keep(&s.Hooked, in.Hooked)
	keep(&s.Batches, in.Batch)
	return To(s, in.State, now)
}

// resumes reports whether the host starts s again after it had ended.
func (s Session) resumes(in Sighting) bool { return in.Starts && s.State == Ended && !s.leftBy(in) }

// leftBy reports whether a sighting is a stale session file of the client that left s. Its
// hook said that s has ended, but after /clear the session file still names s for a
// moment. If the client returns to s, a hook says so.
func (s Session) leftBy(in Sighting) bool {
	return s.Hooked && !in.Hooked && in.Client != 0 && in.Client == s.Client
}

// ranBy returns s with the client that runs it now. A hook that waited for the turn of
// another client to end does not count for this one.
func (s Session) ranBy(client Process) Session {
	if !client.Known() || client == s.Process() {
		return s
	}
	if known := s.Process(); known.PID != client.PID || known.Born != "" && client.Born != "" {
		s.Waiter, s.WaitsIn, s.Holder, s.Mod, s.Inbox = "", Process{}, Process{}, Process{}, ""
	}
	s.Client, s.ClientBorn = client.PID, client.Born
	return s
}

// reappears reports whether a hook reports s after its client was considered gone. Then s
// has another client now, or its client was only not visible.
func (s Session) reappears(in Sighting) bool {
	return s.State == Ended && s.Vanished && in.Hooked && in.ClientBorn != "" &&
		(Process{in.Client, in.ClientBorn}) != s.Process()
}

func begin(s Session, now time.Time) Session {
	s.Halt = nil
	s.StartedAt, s.Hooked, s.Reported, s.Shells, s.Tools, s.Agents = now, false, false, nil, 0, false
	s.Batches, s.Vanished, s.Waiter = false, false, ""
	s.WaitsIn, s.Holder, s.Mod = Process{}, Process{}, Process{}
	return To(s, Idle, now)
}

// SeeShells returns s with the background shells that run at a stop. fresh is true if
// one of them is new since the last stop.
func SeeShells(s Session, shells []string) (_ Session, fresh bool) {
	fresh = slices.ContainsFunc(shells, func(id string) bool { return !slices.Contains(s.Shells, id) })
	s.Shells = shells
	return s, fresh
}

// Live reports whether s is known and has not ended.
func (s Session) Live() bool { return s.ID != "" && s.State != Ended }

// Urgency says how much s needs the person: most if it is unprotected, then if a question of
// it waits, then if it works. asked says that a question of it waits.
func (s Session) Urgency(asked bool, now time.Time) int {
	switch {
	case s.Unprotected(now):
		return 3
	case asked, s.State == Waiting:
		return 2
	case s.State == Working:
		return 1
	}
	return 0
}

// Protected reports whether s runs with our hooks.
func (s Session) Protected() bool { return s.Live() && s.Hooked }

// Interactive reports whether somebody may type into s: at its terminal, or through the
// host's background service. A print session ends when it is done.
func (s Session) Interactive() bool { return s.Attended || s.Background }

// Label returns what distinguishes s from other sessions, in words: its name, and
// whether it runs in the background. It may be "".
func (s Session) Label() string {
	switch {
	case s.Name != "" && s.Background:
		return s.Name + " · in the background"
	case s.Background:
		return "in the background"
	}
	return s.Name
}

// To returns s in the given state. An empty state changes nothing.
func To(s Session, state State, now time.Time) Session {
	if state != "" && s.State != state {
		s.State, s.Since = state, now
	}
	return s
}

// keep sets *dst to v unless v is the zero value.
func keep[T comparable](dst *T, v T) { *dst = cmp.Or(v, *dst) }

// slugMax keeps a token short enough for one line on a phone.
const slugMax = 24

// NewToken returns a name for a session: the last part of its cwd and four hex digits of
// a hash of its id. taken reports whether a token is in use; then other digits are
// tried.
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

// Names returns what the session's token can be shortened to: its slug, then more and more of it. A token that a
// person has chosen is its only name.
func (s Session) Names() (names []string) {
	slug := strings.LastIndexByte(s.Token, '-')
	if slug <= 0 || len(s.Token) != slug+5 || strings.Trim(s.Token[slug+1:], "0123456789abcdef") != "" {
		return []string{s.Token}
	}
	for n := slug; n <= len(s.Token); n++ {
		if n != slug+1 { // no name ends with the dash
			names = append(names, s.Token[:n])
		}
	}
	return names
}

// separators matches what a slug replaces with a dash.
var separators = regexp.MustCompile(`[^a-z0-9]+`)

func slug(name string) string {
	s := strings.TrimPrefix(separators.ReplaceAllString(strings.ToLower(name), "-"), "-")
	return cmp.Or(strings.TrimSuffix(s[:min(len(s), slugMax)], "-"), "session")
}
