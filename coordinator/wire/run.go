package wire

// Operations of runs.
const (
	// OpRunStart starts a run. A session gets one in the state Proposed while its person has not decided;
	// Ask is the question.
	OpRunStart  Op[RunStartRequest, Run]         = "run.start"
	OpRuns      Op[RunsRequest, RunsReply]       = "runs"
	OpRun       Op[Named, Run]                   = "run"
	OpRunLog    Op[RunLogRequest, RunLogReply]   = "run.log"
	OpRunWait   Op[RunWaitRequest, RunWaitReply] = "run.wait" // for the end of what a run does
	OpRunStop   Op[Named, Run]                   = "run.stop"
	OpRunRemove Op[Named, Run]                   = "run.remove"
	// OpRunWiden asks the person whether the run that calls may write one more path behind its wall. Ask is the question.
	OpRunWiden Op[RunWidenRequest, Run] = "run.widen"
	// OpRunOpen lets a run write one more path behind its wall, from its next turn on.
	OpRunOpen Op[RunWidenRequest, Run] = "run.open"

	// The operations of the runner of a turn.
	OpRunTurn   Op[RunTurnRequest, RunTurnReply]     = "run.turn"
	OpRunEvents Op[RunEventsRequest, RunEventsReply] = "run.events"
	// OpRunClock asks whether a turn whose clock ran out waits for a person, or for its loop.
	OpRunClock Op[RunTurnRequest, RunClockReply] = "run.clock"
	OpRunEnd   Op[RunEndRequest, None]           = "run.end"
)

// RunStartRequest starts a run. Where a text is empty, the settings decide.
type RunStartRequest struct {
	ID    string `json:"id"` // made by the caller; a second request with the same id is the same run
	Agent string `json:"agent,omitempty"`
	Name  string `json:"name,omitempty"`
	Dir   string `json:"dir"` // absolute; a session's own where it is empty
	// Machine is another machine of the fleet, and Place what people call the directory there.
	Machine string `json:"machine,omitempty"`
	Place   string `json:"place,omitempty"`
	Mode    string `json:"mode,omitempty"`
	Model   string `json:"model,omitempty"`
	// Worktree gives the run a git worktree of its own.
	Worktree bool   `json:"worktree,omitempty"`
	Prompt   string `json:"prompt"`
	// BudgetUSD is what the run may cost, and ForMS how long it may work; 0 is no limit.
	BudgetUSD float64 `json:"budget_usd,omitempty"`
	ForMS     int64   `json:"for_ms,omitempty"`
	Wait      bool    `json:"wait,omitempty"` // the caller waits for the result, and the run is over with it
	// WaitMS is how long a session waits for the answer to its proposal. Its next request with
	// the same id waits on.
	WaitMS int64 `json:"wait_ms,omitempty"`
}

// Proposed is the state of a run that a session proposed and nobody has allowed yet.
const Proposed = "proposed"

// RunWidenRequest is for the run that calls if it names none.
type RunWidenRequest struct {
	Run  string `json:"run,omitempty"`
	Path string `json:"path"` // absolute
}

// RunsRequest bounds a list of runs.
type RunsRequest struct {
	Most    int    `json:"most,omitempty"`    // how many it has at most; 0 for all
	Machine string `json:"machine,omitempty"` // of the fleet, whose runs these are; "" for all
}

// RunsReply lists runs: those that need a person first, then those that work, then the newest.
type RunsReply struct {
	Runs []Run `json:"runs"`
	All  int   `json:"all,omitempty"` // how many there are, if the list was bounded
}

// A Run is a conversation with an agent that Afar drives without a terminal.
type Run struct {
	ID           string  `json:"id"`
	Name         string  `json:"name"`
	Agent        string  `json:"agent"`
	State        string  `json:"state"` // queued, starting, working, waiting, idle, taken, done, failed or stopped
	Since        int64   `json:"since"` // of the state
	Dir          string  `json:"dir"`
	Mode         string  `json:"mode"`
	Model        string  `json:"model,omitempty"`
	Conversation string  `json:"conversation"`
	Parent       string  `json:"parent,omitempty"` // the address of what proposed it
	Depth        int     `json:"depth,omitempty"`  // levels below what a person started
	Turns        int     `json:"turns"`
	StartedAt    int64   `json:"started_at"`
	PID          int     `json:"pid,omitempty"` // of the turn's runner
	CostUSD      float64 `json:"cost_usd"`
	Tokens       int64   `json:"tokens"`
	About        string  `json:"about,omitempty"` // what it is to do, in one line
	LastText     string  `json:"last_text,omitempty"`
	Result       string  `json:"result,omitempty"`
	HeldBy       string  `json:"held_by,omitempty"` // the person who took it
	Ask          string  `json:"ask,omitempty"`     // the question that is open
	Waiting      int     `json:"waiting"`           // messages for the next turn
	Why          string  `json:"why,omitempty"`     // why it failed, was stopped, or starts later
	Lacks        string  `json:"lacks,omitempty"`   // the servers of tools that its last turn worked without, and why
	By           string  `json:"by"`                // who started it
	Doing        string  `json:"doing,omitempty"`   // the call that runs
	DoingSince   int64   `json:"doing_since,omitempty"`
	Events       int64   `json:"events"` // how many there are
	// The git worktree of the run, its branch, and the branch to land on.
	Worktree string `json:"worktree_path,omitempty"`
	Branch   string `json:"branch,omitempty"`
	Base     string `json:"base_ref,omitempty"`
	// Keeps says, of a run that was removed, why its worktree stays.
	Keeps     string        `json:"worktree_stays,omitempty"`
	Thread    string        `json:"thread,omitempty"`     // the agent's own id of the conversation
	Can       *RunAbilities `json:"can,omitempty"`        // of run show alone: what the agent can do
	BudgetUSD float64       `json:"budget_usd,omitempty"` // what it may cost
	Until     int64         `json:"until,omitempty"`      // it works until then at most
	Wall      string        `json:"wall,omitempty"`       // of its last turn: on, strict, or why there was none
	WallStops int           `json:"wall_stops,omitempty"` // calls that the wall seems to have stopped
	// Stands is what the wall of its next turn allows: of run show alone.
	Stands *Wall `json:"stands,omitempty"`
	Origin
}

// RunAbilities are what the agent of a run can do.
type RunAbilities struct {
	Modes     []string `json:"modes"`
	Guard     string   `json:"guard"` // which calls the guard judges: "every call" or "asked calls only"
	Approvals bool     `json:"approvals"`
	Resume    bool     `json:"resume"`
	Interrupt bool     `json:"interrupt"`
	Usage     string   `json:"usage"`    // "cost and tokens", "tokens" or "no"
	Text      bool     `json:"text"`     // it takes a message during a turn
	Survives  bool     `json:"survives"` // a turn goes on if the process that drives it dies
	Keeps     bool     `json:"keeps"`    // it keeps a call that waits, and makes it in the next turn
	Terminal  bool     `json:"terminal"` // a person can take the conversation over
}

// RunLogRequest asks for the events of a run after the number After. WaitMS waits for the
// first one. With Last, it asks for the newest ones instead, or with Before for the newest of
// those before that number.
type RunLogRequest struct {
	ID     string `json:"id"`
	After  int64  `json:"after,omitempty"`
	WaitMS int64  `json:"wait_ms,omitempty"`
	Last   int    `json:"last,omitempty"` // how many
	Before int64  `json:"before,omitempty"`
}

// RunLogReply lists events, oldest first.
type RunLogReply struct {
	Events []RunEvent `json:"events"`
	State  string     `json:"state"` // of the run
}

// A RunEvent is one thing that an agent did.
type RunEvent struct {
	N      int64  `json:"n"`    // its number in the run
	Turn   int64  `json:"turn"` // the number of its turn
	At     int64  `json:"at"`
	Kind   string `json:"kind"`
	Text   string `json:"text,omitempty"`
	Said   string `json:"said,omitempty"` // the input of a call as people read it; Text is the agent's own form
	Tool   string `json:"tool,omitempty"`
	Call   string `json:"call,omitempty"`
	Of     string `json:"of,omitempty"` // the call of the subagent that did it
	Failed bool   `json:"failed,omitempty"`
}

// RunWaitRequest waits at most WaitMS until a run is over. With Take, the caller is who
// started it, and takes the result.
type RunWaitRequest struct {
	ID     string `json:"id"`
	WaitMS int64  `json:"wait_ms"`
	Take   bool   `json:"take,omitempty"`
}

// RunWaitReply is the run, over or not.
type RunWaitReply struct {
	Run  Run  `json:"run"`
	Over bool `json:"over"`
}

// RunTurnRequest comes from a runner that begins or goes on with a turn. Turn is its number.
type RunTurnRequest struct {
	ID    string `json:"id"`
	Turn  int64  `json:"turn"`
	Walls bool   `json:"walls,omitempty"` // the runner puts up walls
}

// RunTurnReply says what the turn is.
type RunTurnReply struct {
	Agent        string   `json:"agent"`
	Command      []string `json:"command"` // the agent's program, and arguments before those of a turn
	EnvFile      string   `json:"env_file,omitempty"`
	Dir          string   `json:"dir"`
	Conversation string   `json:"conversation"`
	Resumes      bool     `json:"resumes,omitempty"` // the agent knows the conversation
	Mode         string   `json:"mode"`
	Model        string   `json:"model,omitempty"`
	Prompt       string   `json:"prompt"`
	Seq          int64    `json:"seq"`                  // of the last event that is recorded
	BudgetUSD    float64  `json:"budget_usd,omitempty"` // what the turn may cost, 0 for no limit
	Stop         bool     `json:"stop,omitempty"`
	Protocol     string   `json:"protocol"`            // that the agent speaks
	Thread       string   `json:"thread,omitempty"`    // the agent's own id of the conversation
	ThreadAt     int64    `json:"thread_at,omitempty"` // when the agent told it
	// How long the agent may be silent, may take to its result, and to its exit.
	SilenceMS int64  `json:"silence_ms"`
	EndingMS  int64  `json:"ending_ms"`
	LeavingMS int64  `json:"leaving_ms"`
	WebAddr   string `json:"web_addr,omitempty"` // where the page is served, "" while it is not
	// Servers offer tools to the agent, beside those of its own settings.
	Servers []RunServer `json:"servers,omitempty"`
	// Wall bounds the agent. Without it, the agent does not start.
	Wall WallSettings `json:"wall,omitzero"`
}

// A RunServer offers tools to an agent over MCP. It has a command or an address.
type RunServer struct {
	Name    string   `json:"name"`
	Command []string `json:"command,omitempty"`
	URL     string   `json:"url,omitempty"`
	Env     []string `json:"env,omitempty"`      // for the command, KEY=VALUE
	EnvFile string   `json:"env_file,omitempty"` // with more of them
}

// RunEventsRequest reports events of a turn. From is the number of the first one. Each
// event is in the form of package run.
type RunEventsRequest struct {
	ID     string `json:"id"`
	Turn   int64  `json:"turn"`
	From   int64  `json:"from"`
	Events Raw    `json:"events"`
}

// RunEventsReply says up to which number events are recorded.
type RunEventsReply struct {
	Seq int64 `json:"seq"`
}

// RunClockReply says whether it does.
type RunClockReply struct {
	Waits bool `json:"waits"`
}

// RunEndRequest reports how the agent's process ended, in the form of package run.
type RunEndRequest struct {
	ID   string `json:"id"`
	Turn int64  `json:"turn"`
	End  Raw    `json:"end"`
}
