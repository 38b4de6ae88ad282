// Package run says what a run is and what may happen to it: a conversation with an agent
// that Afar drives without a terminal, one process for each turn. It is pure: the caller
// stores each returned Run durably before it acts on it.
package run

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/text"
)

// ID names a run.
type ID string

// IDOf returns the id of the run that a request starts, from the text that names the request.
func IDOf(request string) ID { return ID("run_" + request) }

// A State says what a run is doing.
type State string

// The states of a run.
const (
	Queued   State = "queued"   // a turn waits for its start
	Starting State = "starting" // the agent was not heard yet
	Working  State = "working"
	Waiting  State = "waiting" // a question is open
	Idle     State = "idle"    // the turn is over
	Taken    State = "taken"   // a person has the conversation open in a terminal
	Done     State = "done"    // the result of an ephemeral run was handed over
	Failed   State = "failed"
	Stopped  State = "stopped" // by a person
)

// States lists all states.
func States() []State {
	return []State{Queued, Starting, Working, Waiting, Idle, Taken, Done, Failed, Stopped}
}

// A Run is one conversation.
type Run struct {
	ID           ID        `json:"id"`
	Name         string    `json:"name"` // what a person calls it; unique among the runs that are not removed
	Agent        string    `json:"agent"`
	State        State     `json:"state"`
	Since        time.Time `json:"since"` // of State
	Dir          string    `json:"dir"`
	Mode         string    `json:"mode"` // one of Modes
	Model        string    `json:"model,omitempty"`
	Conversation string    `json:"conversation"`     // the agent's id of it
	Parent       string    `json:"parent,omitempty"` // the conversation that proposed it, "" for none
	By           string    `json:"by"`               // who started it
	About        string    `json:"about,omitempty"`  // what it is to do, in one line without secrets
	StartedAt    time.Time `json:"started_at"`
	// Trigger is the trigger that started the run, "" for none.
	Trigger string `json:"trigger,omitempty"`
	// Ephemeral runs are over when their result was handed over.
	Ephemeral bool `json:"ephemeral,omitempty"`
	Removed   bool `json:"removed,omitempty"`
	// Thread is the agent's own id of the conversation, "" if the agent uses Conversation.
	Thread   string    `json:"thread,omitempty"`
	ThreadAt time.Time `json:"thread_at,omitzero"` // when the agent told it
	// Adopted is true if the conversation is older than the run.
	Adopted bool `json:"adopted,omitempty"`
	// Worktree runs work in a git worktree of their own, at Place.
	Worktree bool  `json:"worktree,omitempty"`
	Place    Place `json:"place,omitzero"`
	// Beside is the run next to which a loop over issues keeps this one busy.
	Beside ID `json:"beside,omitempty"`
	// Depth counts the runs between this one and what a person started: 0 for one that a
	// person started. Seal is unguessable and closes the fence around the result for Parent.
	Depth int    `json:"depth,omitempty"`
	Seal  string `json:"seal,omitempty"`
	// Reported is true once Parent has the result.
	Reported bool `json:"reported,omitempty"`

	// Fence is the number of the newest turn. Nothing that an earlier turn says counts.
	Fence int64 `json:"fence"`
	Turn  Turn  `json:"turn,omitzero"` // the newest one
	// Turns counts the turns in which the agent has read its prompt.
	Turns    int         `json:"turns"`
	QueuedAt time.Time   `json:"queued_at,omitzero"` // since when a turn waits
	NotUntil time.Time   `json:"not_until,omitzero"` // of a queued turn: a restart waits a moment
	Restarts []time.Time `json:"restarts,omitempty"` // in the last hour
	Kills    int         `json:"kills,omitempty"`    // turns in a row that the system killed
	Resume   bool        `json:"resume,omitempty"`   // the queued turn is a restart
	Ask      string      `json:"ask,omitempty"`      // the question that is open
	Parked   bool        `json:"parked,omitempty"`   // it waits for the answer without a process
	// Taker is who has the conversation while r is taken. While a turn runs, it is who waits
	// for the end of the turn.
	Taker Taker `json:"taker,omitzero"`
	// OpenIn is the process outside Afar in which the conversation is open. The queued turn
	// waits for its end.
	OpenIn session.Process `json:"open_in,omitzero"`

	Events   int64   `json:"events"` // how many were recorded
	CostUSD  float64 `json:"cost_usd"`
	Tokens   int64   `json:"tokens"`
	LastText string  `json:"last_text,omitempty"`
	Result   string  `json:"result,omitempty"`
	Why      string  `json:"why,omitempty"` // why it failed or was stopped
	// Lacks names the servers of tools that the last turn worked without, and why; "" for none.
	Lacks string `json:"lacks,omitempty"`
	// Wall says which wall the last turn had: on, strict, or why it had none.
	Wall      string `json:"wall,omitempty"`
	WallStops int    `json:"wall_stops,omitempty"` // calls that failed as a wall makes them fail
	// Widened are the paths that its person has opened for it, behind its wall.
	Widened []string `json:"widened,omitempty"`
	// ToldAt is when the person was last told of the end of a turn.
	ToldAt time.Time `json:"told_at,omitzero"`

	BudgetUSD float64   `json:"budget_usd,omitempty"` // what all its turns may cost; 0 is no limit
	Until     time.Time `json:"until,omitzero"`       // it works until then at most
}

// A Turn is one process of a run, from its prompt to its result.
type Turn struct {
	Prompt  string    `json:"prompt"`
	Begun   time.Time `json:"begun"`
	Resumes bool      `json:"resumes,omitempty"` // the agent knows the conversation already
	// Runner is the process of ours that drives the turn, zero before it has reported.
	Runner session.Process `json:"runner,omitzero"`
	// Launches counts how often a runner was started for this turn.
	Launches int       `json:"launches"`
	LaunchAt time.Time `json:"launch_at,omitzero"` // of the last one
	// Seq is the number of the last event that was recorded.
	Seq   int64 `json:"seq"`
	Heard bool  `json:"heard,omitempty"` // the agent has read its prompt
	// Answered is true once the model has done something: its conversation has the prompt.
	Answered bool `json:"answered,omitempty"`
	// HeardAt is when the agent was last heard at work.
	HeardAt time.Time `json:"heard_at,omitzero"`
	// Stop names who wants the turn to end, "" for nobody.
	Stop  string `json:"stop,omitempty"`
	Cost  Cost   `json:"cost,omitzero"`
	Doing Doing  `json:"doing,omitzero"`
	For   string `json:"for,omitempty"` // whose words the prompt is, "" for data and for a restart of one
	// Deferred is the agent's id of the call with which the turn ends, and which the agent
	// makes again in the next turn; "" for none.
	Deferred string `json:"deferred,omitempty"`
	// Limit says which limit has ended the turn, "" for none.
	Limit string `json:"limit,omitempty"`
	// LeavesAuto is true for a turn that ends because its mode, Auto, does not work where it runs.
	LeavesAuto bool `json:"leaves_auto,omitempty"`
}

// Ending reports whether somebody wants the turn to end.
func (t Turn) Ending() bool { return t.Stop != "" || t.Limit != "" || t.LeavesAuto }

// A Cost is what a turn has used so far.
type Cost struct {
	USD    float64 `json:"usd"`
	Tokens int64   `json:"tokens"`
}

// The permission modes of a run. No run is in a mode that asks for nothing.
const (
	Auto        = "auto"
	AcceptEdits = "acceptEdits"
	Manual      = "manual"
	Plan        = "plan"
)

// Modes lists the permission modes of a run.
func Modes() []string { return []string{Auto, AcceptEdits, Manual, Plan} }

// Errors of the steps. ErrState says that a step does not fit the state of the run, ErrStale that it
// comes from a turn that is over, and ErrOpen that a process has the conversation open.
var (
	ErrState = errors.New("the run is in another state")
	ErrStale = errors.New("the turn is over")
	ErrOpen  = errors.New("its conversation is open")
)

func (r Run) unfit(step string) (Run, error) {
	return r, fmt.Errorf("%s a run that is %s: %w", step, r.State, ErrState)
}

// to returns r in a state, since now.
func (r Run) to(s State, now time.Time) Run {
	if r.State != s {
		r.State, r.Since = s, now
	}
	return r
}

// Busy reports whether a turn runs.
func (r Run) Busy() bool {
	return slices.Contains([]State{Starting, Working, Waiting}, r.State) && !r.Parked
}

// Settled reports whether nothing happens to r by itself.
func (r Run) Settled() bool { return r.State.Settled() }

// Settled reports whether nothing happens by itself to a run in this state.
func (s State) Settled() bool { return slices.Contains([]State{Idle, Done, Failed, Stopped}, s) }

// Live reports whether r can go on.
func (r Run) Live() bool { return r.ID != "" && !r.Removed }

// names are the names that runs may have.
var names = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)

// maxName is the most bytes of a name. The pattern does not count them: it would take long to
// compile, at each start of a program.
const maxName = 40

// IsName reports whether a text has the form of a name: 1 to 40 letters a-z, digits and dashes.
func IsName(text string) bool { return len(text) <= maxName && names.MatchString(text) }

// CheckName returns an error if a run cannot have this name.
func CheckName(name string) error {
	if !IsName(name) {
		return fmt.Errorf("unknown form of name %.60q; want 1 to 40 letters a-z, digits and dashes", name)
	}
	return nil
}

// Replace returns r under another name, because a new run takes its own.
func Replace(r Run) Run {
	r.Name += "." + string(r.ID[max(0, len(r.ID)-6):])
	return r
}

// New returns a new run, with a turn that waits for its start.
func New(r Run, now time.Time) Run {
	r.StartedAt, r.QueuedAt = now, now
	return r.to(Queued, now)
}

// Queue notes that a message waits for r. A run without a turn gets one.
func Queue(r Run, now time.Time) (Run, error) {
	switch r.State {
	case Waiting:
		if r.Parked && r.Turn.Deferred == "" {
			return Answer(r, now)
		}
		return r, nil
	case Queued, Starting, Working, Taken: // the turn that runs, or the next one, takes it
		return r, nil
	case Idle, Done, Failed, Stopped:
		r.QueuedAt, r.NotUntil, r.Why = now, time.Time{}, ""
		return r.to(Queued, now), nil
	}
	return r.unfit("queue a turn of")
}

// Start begins the next turn, with its prompt. Without a prompt the turn makes the call that
// the agent keeps. If the agent keeps none there is nothing to do, as when a hook has taken
// the messages.
func Start(r Run, prompt string, now time.Time) (Run, error) {
	if r.State != Queued {
		return r.unfit("start a turn of")
	}
	if prompt == "" && r.Turn.Deferred == "" {
		r.QueuedAt, r.NotUntil, r.OpenIn, r.Why = time.Time{}, time.Time{}, session.Process{}, ""
		return r.to(Idle, now), nil
	}
	r.Fence++
	r.Turn = Turn{Prompt: prompt, Begun: now, Resumes: r.begun(), Launches: 1, LaunchAt: now}
	r.QueuedAt, r.NotUntil, r.Resume = time.Time{}, time.Time{}, false
	r.OpenIn, r.Why = session.Process{}, ""
	return r.to(Starting, now), nil
}

// Drive notes the process that drives a turn, and the wall that the turn begins with.
func Drive(r Run, fence int64, runner session.Process, wall string) (Run, error) {
	if err := r.current(fence); err != nil {
		return r, err
	}
	if !r.Turn.Runner.Known() {
		r.Wall = wall
	}
	r.Turn.Runner = runner
	return r, nil
}

// Walled reports whether a turn works behind a wall now.
func (r Run) Walled() bool { return r.Busy() && r.HadWall() }

// HadWall reports whether the last turn had a wall.
func (r Run) HadWall() bool { return r.Wall == "on" || r.Wall == "strict" }

// current returns ErrStale unless the turn with this number runs.
func (r Run) current(fence int64) error {
	if fence != r.Fence || !r.Busy() {
		return fmt.Errorf("turn %d of run %s: %w", fence, r.Name, ErrStale)
	}
	return nil
}

// Hear applies the next events of a turn, which begin with the number from. fresh are the
// ones that were not applied before.
func Hear(r Run, fence, from int64, events []Event, now time.Time) (_ Run, fresh []Event, err error) {
	switch err := r.current(fence); {
	case err != nil:
		return r, nil, err
	case from < 1, from > r.Turn.Seq+1:
		return r, nil, fmt.Errorf("turn %d of run %s: event %d comes after %d: %w", fence, r.Name, from,
			r.Turn.Seq, ErrGap)
	}
	known := min(r.Turn.Seq+1-from, int64(len(events)))
	for _, e := range events[known:] {
		r.Turn.Seq, r.Events = r.Turn.Seq+1, r.Events+1
		e.N, e.At, e.Fence = r.Events, now, fence
		fresh = append(fresh, e)
		r = r.apply(e, now)
	}
	return r, fresh, nil
}

// ErrGap says that events are missing.
var ErrGap = errors.New("events are missing")

// apply returns r after one event.
func (r Run) apply(e Event, now time.Time) Run {
	switch e.Kind {
	case Init:
		if e.Thread != "" && e.Thread != r.Thread {
			r.Thread, r.ThreadAt = e.Thread, now
		}
		if !r.Turn.Heard {
			r.Turn.Heard, r.Turns = true, r.Turns+1
		}
		if r.State == Starting {
			r = r.to(Working, now)
		}
	case Text:
		if e.Of == "" {
			r.LastText = e.Text
		}
	case ToolResult:
		if e.Failed && r.HadWall() && text.SaysRefused(e.Text) {
			r.WallStops++
		}
	case Result:
		if e.Deferred == "" {
			r.Result = e.Text
		}
	}
	if e.Kind != Result {
		r.Turn.HeardAt = now
	}
	r.Turn.Answered = r.Turn.Answered || e.answers()
	r.Turn.Doing = r.Turn.Doing.after(e, now)
	return r.charge(e)
}

// charge adds what an event says of the usage.
func (r Run) charge(e Event) Run {
	switch {
	case e.Total == (Cost{}):
	case e.Whole:
		r.CostUSD, r.Tokens = max(r.CostUSD, e.Total.USD), max(r.Tokens, e.Total.Tokens)
	default:
		r.CostUSD += max(0, e.Total.USD-r.Turn.Cost.USD)
		r.Tokens += max(0, e.Total.Tokens-r.Turn.Cost.Tokens)
		r.Turn.Cost = e.Total
	}
	return r
}

// Asks returns r with the question that is open, "" for none.
func Asks(r Run, ask string, now time.Time) Run {
	if !r.Busy() {
		return r
	}
	r.Ask = ask
	switch {
	case ask != "" && r.State == Working:
		return r.to(Waiting, now)
	case ask == "" && r.State == Waiting:
		return r.to(Working, now)
	}
	return r
}

// Stop ends what r does, for the person by. A turn that runs is told to end.
func Stop(r Run, by string, now time.Time) (Run, error) {
	switch {
	case r.Busy():
		if r.Turn.Stop == "" {
			r.Turn.Stop = by
		}
		return r, nil
	case r.Parked, slices.Contains([]State{Queued, Idle, Failed}, r.State):
		r.Why, r.Parked, r.Ask, r.Resume, r.OpenIn = "stopped by "+by, false, "", false, session.Process{}
		return r.to(Stopped, now), nil
	case r.State == Stopped, r.State == Done:
		return r, nil
	}
	return r.unfit("stop")
}

// HandOver notes that whoever started r has its result.
func HandOver(r Run, now time.Time) (Run, error) {
	if !r.Settled() {
		return r.unfit("hand over the result of")
	}
	if r.Ephemeral && r.State == Idle {
		return r.to(Done, now), nil
	}
	return r, nil
}

// Remove takes r out of the lists.
func Remove(r Run, now time.Time) (Run, error) {
	if !r.Settled() {
		return r.unfit("remove")
	}
	r.Removed = true
	return r, nil
}

// startFor is how long a runner may take to report.
const startFor = 10 * time.Second

// mostLaunches is how many runners one turn may use up.
const mostLaunches = 5

// keepFor is how long a run is kept to which nothing happens. The host keeps its conversation as long.
const keepFor = 30 * 24 * time.Hour

// Due returns when r changes by itself, the zero time for never. At rest it is removed in the end, but
// not if it has a worktree, which may hold work.
func (r Run) Due() time.Time {
	switch {
	case r.Removed, r.Settled() && r.Place != Place{}:
		return time.Time{}
	case r.Settled():
		return r.Since.Add(keepFor)
	case r.State == Queued && !r.NotUntil.IsZero():
		return r.NotUntil
	case !r.Busy():
		return time.Time{}
	}
	at := r.timeEnds()
	if lost := r.Turn.LaunchAt.Add(startFor); !r.Turn.Runner.Known() && (at.IsZero() || lost.Before(at)) {
		at = lost
	}
	return at
}

// RunnerLate reports whether the runner of a turn has not reported in time.
func (r Run) RunnerLate(now time.Time) bool {
	return r.Busy() && !r.Turn.Runner.Known() && !now.Before(r.Turn.LaunchAt.Add(startFor))
}

// Lose notes that the runner of a turn has ended without a word, or never reported. The
// agent may still run: another runner finds it, or its output. relaunch is false if too
// many have failed.
func Lose(r Run, now time.Time) (_ Run, relaunch bool, err error) {
	if !r.Busy() {
		r, err = r.unfit("start another runner of")
		return r, false, err
	}
	r.Turn.Runner = session.Process{}
	if r.Turn.Launches >= mostLaunches {
		r.Why = fmt.Sprintf("its runner ended %d times without a word", r.Turn.Launches)
		return r.over(Failed, now), false, nil
	}
	r.Turn.Launches, r.Turn.LaunchAt = r.Turn.Launches+1, now
	return r, true, nil
}

// over ends the turn of r. Who waits for that gets the conversation, if there is one.
func (r Run) over(s State, now time.Time) Run {
	r.Turn.Runner, r.Ask = session.Process{}, ""
	if r.Taker.Known() && r.begun() {
		return r.toTaker(now)
	}
	r.Taker = Taker{}
	return r.to(s, now)
}
