package wire

// Operations of loops.
const (
	OpLoops      Op[None, LoopsReply]       = "loops"
	OpLoop       Op[Named, Loop]            = "loop"
	OpLoopStart  Op[LoopStartRequest, Loop] = "loop.start"
	OpLoopCancel Op[Named, Loop]            = "loop.cancel"
)

// LoopsReply lists loops.
type LoopsReply struct {
	Loops []Loop `json:"loops"`
}

// LoopStartRequest starts a loop in a session, named by token or id, or in a run: run:NAME.
type LoopStartRequest struct {
	Session string `json:"session"`
	Args    string `json:"args"`
	// Parallel is how many runs a loop over issues keeps busy: the named one, and others like
	// it. 0 and 1 are the named one alone.
	Parallel int `json:"parallel,omitempty"`
}

// A Loop keeps one session or run working. Its id is the session's token, or run:NAME.
type Loop struct {
	ID        string  `json:"id"`
	Run       string  `json:"run"` // identifies this loop among the loops of the session
	Session   string  `json:"session"`
	Active    bool    `json:"active"`
	Verdict   string  `json:"verdict,omitempty"`
	Proven    bool    `json:"proven"`
	Evidence  string  `json:"evidence,omitempty"` // proven, claimed or nothing landed
	Note      string  `json:"note,omitempty"`
	UpdatedAt int64   `json:"updated_at"`
	Stack     []Frame `json:"stack"`
	// Begins and Mode are set in the reply to a start: when the session begins, and
	// its permission mode.
	Begins string `json:"begins,omitempty"`
	Mode   string `json:"permission_mode,omitempty"`
	// Beside names the runs that the loop keeps busy as well.
	Beside []string `json:"beside,omitempty"`
	Origin
}

// When a session begins with a loop that was started from outside the session.
const (
	BeginsNow      = "now"      // it is idle and was woken
	BeginsStop     = "stop"     // when it next stops
	BeginsPrompted = "prompt"   // it is idle and nothing waits to wake it now: with its next prompt
	BeginsResumed  = "resumed"  // it has ended
	BeginsUnpaused = "unpaused" // Afar is paused
)

// A Frame is one level of a loop.
type Frame struct {
	ID        string `json:"id"`
	Mode      string `json:"mode"`
	Goal      string `json:"goal"`
	N         int    `json:"iter"`
	Max       int    `json:"max"`
	StartedAt int64  `json:"started_at"`
	// What ends it besides its iterations: a time, US dollars at list prices, tokens. 0 is no bound.
	Deadline     int64   `json:"deadline,omitempty"`
	BudgetUSD    float64 `json:"budget_usd,omitempty"`
	BudgetTokens int64   `json:"budget_tokens,omitempty"`
	Check        string  `json:"check,omitempty"`   // the command that decides
	Checked      string  `json:"checked,omitempty"` // its last result in words
	// Tokens and USD are what it used so far; USD is at list prices.
	Tokens int64   `json:"tokens,omitempty"`
	USD    float64 `json:"usd,omitempty"`
	// Where an issue is worked on, in the frame that works on it.
	IssueID  string `json:"issue_id,omitempty"`
	Worktree string `json:"worktree_path,omitempty"`
	Branch   string `json:"branch,omitempty"`
	Base     string `json:"base_ref,omitempty"`
	// Issue is set in a frame of mode issue.
	Issue *LoopIssue `json:"issue,omitempty"`
}

// A LoopIssue is the progress of a frame of mode issue.
type LoopIssue struct {
	Repo string `json:"repo"`
	// Phase is picking, preparing, working, sealing, reviewing, landing, rebasing,
	// checking, closing or cleaning.
	Phase  string `json:"phase"`
	ID     string `json:"id,omitempty"`
	Title  string `json:"title,omitempty"`
	Commit string `json:"commit,omitempty"` // the commit that is reviewed and lands
	Review string `json:"review,omitempty"` // the last verdict in words
	Held   bool   `json:"held,omitempty"`   // a landing that was refused waits for the session's next stop
	Landed int    `json:"landed"`           // how many issues this loop landed
	Left   int    `json:"left"`             // how many issues this loop gave up
}
