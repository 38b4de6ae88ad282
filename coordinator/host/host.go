// Package host says what Afar needs from an agent, a program that it drives in runs. Each
// kind of agent has an adapter in a package below this one. Adapters are pure: they know the
// arguments of the program and what its lines mean. Package agentrun starts the process,
// carries the lines and runs the hooks.
package host

import (
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/run"
)

// A Turn is what an adapter gets to know of a turn.
type Turn struct {
	Conversation string    // Afar's id of the conversation, a UUID
	Thread       string    // the agent's own id of it, "" if it uses Afar's or has not told one
	Resumes      bool      // the agent knows the conversation
	Mode         string    // one of run.Modes
	Model        string    // "" for the agent's own choice
	Dir          string    // where the agent works, absolute
	Program      string    // the name of the agent's program, without its directory
	BudgetUSD    float64   // what the turn may cost, 0 for no limit; an agent may be unable to keep it
	Walled       bool      // it works behind a wall, where no mounts and no namespaces can be made
	ThreadAt     time.Time // when the agent told Thread, zero if that is not known
	// Servers offer tools, beside those of the agent's own settings. An agent may be unable to use them.
	Servers []Server
	// ServersFile is where Start.Servers is written, absolute.
	ServersFile string
}

// A Server offers tools to an agent over MCP. It has a command or an address.
type Server struct {
	Name    string
	Command []string
	URL     string
	Env     []string // for the command, KEY=VALUE
}

// A Start says how the process of a turn is started. It is added to the person's settings.
type Start struct {
	Args []string // after those of the settings. The prompt is never among them.
	Env  []string // entries KEY=VALUE, which replace those of the settings
	// Servers is what Turn.ServersFile must hold before the start, nil for no file. Only the person
	// may read it, because it may hold keys.
	Servers []byte
	// NotBefore is when the process may start, zero for now. Waits says why, for people.
	NotBefore time.Time
	Waits     string
}

// An Agent is the adapter of one kind of agent. It is also a Streamer or a Talker.
type Agent interface {
	// Start returns how the process of a turn is started, or an error if no turn can be like
	// that. It starts the agent in its strictest asking mode, and never passes anything that
	// switches the agent's questions off. It checks everything that comes from outside.
	Start(Turn) (Start, error)
	// Abilities returns what a program can do.
	Abilities(program string) Abilities
}

// A Streamer is an agent that reads its prompt from stdin, writes lines into a file and needs no
// answers: it runs Afar's hooks itself. If the process that drives the turn dies, another
// one reads the file from its beginning.
type Streamer interface {
	Agent
	// Stream returns a reader of the lines of one turn.
	Stream() Stream
}

// A Stream reads the lines of one turn. The same lines always make the same events.
type Stream interface {
	// Read returns the events in a line, none for a line that says nothing. It keeps what it
	// does not know as run.Raw.
	Read(line string) []run.Event
	// Refused says why the turn must be ended at once, "" if it may go on.
	Refused() string
}

// A Talker is an agent that speaks JSON-RPC on stdin and stdout and needs answers. If the
// process that drives the turn dies, the agent is ended, and the restart table says what follows.
type Talker interface {
	Agent
	// Talk returns the dialogue of one turn with its prompt.
	Talk(t Turn, prompt string) Talk
}

// A Talk is the dialogue of one turn. It has no clock and does no I/O.
type Talk interface {
	// Begin returns the first lines for the agent.
	Begin() Step
	// Read takes a line of the agent. It keeps what it does not know as run.Raw.
	Read(line string) Step
	// Answer answers the Ask with this id. An id that is unknown, or answered already, is
	// ignored.
	Answer(id string, a Answer) Step
	// Prompt continues the turn with another prompt, after an event of kind run.Result.
	Prompt(text string) Step
	// Interrupt asks the agent to end the turn. Open questions are answered with no.
	Interrupt() Step
}

// A Flusher is a Talk that collects pieces of text.
type Flusher interface {
	// Flush returns the text so far, when the agent has been quiet for a moment.
	Flush() Step
}

// A Step is what follows from something that happened in a dialogue.
type Step struct {
	Send []string // lines for the agent, without their ends
	// Events are what the agent did. The first one of a turn is of kind run.Init and has the
	// agent's own id of the conversation. One of kind run.Result ends a prompt.
	Events []run.Event
	Asks   []Ask
	// Refuse says why the turn must be ended at once, "" if it may go on.
	Refuse string
}

// And returns what follows from both.
func (s Step) And(next Step) Step {
	s.Send = append(s.Send, next.Send...)
	s.Events = append(s.Events, next.Events...)
	s.Asks = append(s.Asks, next.Asks...)
	if s.Refuse == "" {
		s.Refuse = next.Refuse
	}
	return s
}

// An Ask is an agent's question whether it may do something. It waits for the answer.
type Ask struct {
	ID    string // names the question in this dialogue
	Call  string // the agent's id of the tool call, as in its events
	Calls []Call // what it wants to do; the answer is yes if each of them is allowed
}

// A Call is a tool call in the form in which Afar's guard and cards know it, that of Claude
// Code: Bash with a command, Write, Edit, Read, WebFetch or mcp__SERVER__TOOL. A call that has
// no such form keeps the agent's own name and input.
type Call struct {
	Tool  string
	Input []byte // a JSON object
}

// An Answer answers an Ask.
type Answer struct {
	Allow bool
	Why   string // of a no, for the model
	// Interrupt also ends the turn.
	Interrupt bool
}

// Abilities are what a kind of agent can do, for people. Each text is short.
type Abilities struct {
	Modes     []string // the permission modes that it can be in
	Guard     string   // which calls the guard judges: EveryCall or AskedCalls
	Approvals bool     // what it may not do by itself is a question
	Resume    bool     // a message continues the conversation
	Interrupt bool     // a turn can be ended without the loss of the conversation
	Usage     string   // what it tells of its usage: CostAndTokens, TokensOnly or NoUsage
	Text      bool     // it takes a message during a turn
	Survives  bool     // a turn goes on if the process that drives it dies
	Keeps     bool     // it keeps a call that waits for a person, and makes it in the next turn
	Terminal  bool     // a person can take the conversation over in a terminal
}

// ModeLike returns the mode of an agent for a setting that is meant for all agents: auto
// becomes acceptEdits where there is none.
func (a Abilities) ModeLike(mode string) string {
	if mode == run.Auto && !slices.Contains(a.Modes, mode) {
		return run.AcceptEdits
	}
	return mode
}

// The values of Abilities.Guard.
const (
	EveryCall  = "every call"
	AskedCalls = "asked calls only" // the agent makes other calls unasked
)

// The values of Abilities.Usage.
const (
	CostAndTokens = "cost and tokens"
	TokensOnly    = "tokens"
)
