// Package loop decides whether a session that wants to stop may stop.
//
// It owns the state of a loop: a stack of frames bound to one session id. Only the top
// frame is at work. Each step takes the stack as a value and returns an Outcome. A step
// has no clock, touches nothing outside and does not change the given stack. A step that
// needs a running loop returns ErrNone if there is none. The steps that only observe
// (Expire, Touch, Saw, Edit, Introduce, Leave) then change nothing.
//
// An iteration is one blocked stop. A frame with max 10 is blocked ten times. The next
// stop ends it, so that work finished in the tenth iteration still counts.
package loop

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/usage"
)

// A Verdict is the word for how a frame or a whole loop ended.
type Verdict string

// The verdicts. Limit is also the word of a pause, see Limit.
const (
	Done       Verdict = "done"      // the session says so, and the check agreed if there is one
	Stuck      Verdict = "stuck"     // the session says so, or it makes no progress
	Capped     Verdict = "capped"    // all iterations are used up
	Timeout    Verdict = "timeout"   // the time given with --for is over
	OverBudget Verdict = "budget"    // its money or its tokens are spent
	Limited    Verdict = "limit"     // the provider refuses more work for now
	Cancelled  Verdict = "cancelled" // a person ended it
	Expired    Verdict = "expired"   // no activity for two hours
	Failed     Verdict = "failed"    // the session broke
)

// A Mode is what a frame works on.
type Mode string

// Task works on one task given in words.
const Task Mode = "task"

// Errors of a step that is refused.
var (
	ErrDepth   = errors.New("start loop: 8 loops are already nested in this session; cancel with /afar:cancel first")
	ErrNone    = errors.New("no loop runs in this session")
	errNoCheck = errors.New("interrupt check: no check of this loop runs")
	errSession = errors.New("start loop: a loop belongs to exactly one session")
	ErrID      = errors.New("start loop: a frame needs an id that is new to its stack")
	errEvery   = errors.New("start loop: the host schedules an interval; a loop cannot")
)

const (
	schema       = 2 // schema 1 had no issues
	maxDepth     = 8
	goalBytes    = 4096
	idleLimit    = 2 * time.Hour
	pauseLimit   = 24 * time.Hour // of a pause without a known end
	stuckAfter   = 3
	hostPatience = 8 // the host ends the turn after this number of blocks without a tool call
)

// A Frame is one level of a loop. The JSON names are those of loop:current.
type Frame struct {
	ID   string `json:"id"`
	Mode Mode   `json:"mode"`
	// Goal is the task, verbatim up to 4,096 bytes; GoalSize is its full length.
	Goal     string `json:"goal"`
	GoalSize int    `json:"goal_size"`
	// Digest is the SHA-256 of the whole task, in hex.
	Digest string `json:"prompt_digest"`
	// N counts the blocked stops; it never exceeds Max.
	N          int       `json:"iter"`
	Max        int       `json:"max"`
	StartedAt  time.Time `json:"started_at"`
	Deadline   time.Time `json:"deadline,omitzero"` // never later than the outer frame's
	LastStopAt time.Time `json:"last_stop_at,omitzero"`

	// Idle counts the iterations in a row without a tool call or a changed tree.
	Idle int    `json:"idle,omitempty"`
	Tree string `json:"tree,omitempty"` // as last seen

	Budget   float64   `json:"budget,omitempty"`    // USD, 0 none
	TokensTo int64     `json:"tokens_to,omitempty"` // tokens, 0 none
	Spent    usage.Sum `json:"spent,omitzero"`      // inner frames and subagents included

	Check        string        `json:"check,omitempty"`
	CheckTimeout time.Duration `json:"check_timeout_ns,omitempty"`
	Greens       int           `json:"greens,omitempty"`     // in a row, that prove the work
	Dir          string        `json:"dir,omitempty"`        // where the check runs
	Checking     bool          `json:"checking,omitempty"`   // a result is awaited
	Checked      string        `json:"checked,omitempty"`    // the last result in words
	Green        int           `json:"green,omitempty"`      // green results in a row
	Red          int           `json:"red,omitempty"`        // same red outputs in a row
	RedDigest    string        `json:"red_digest,omitempty"` // of the last red output
	// Proven is true once the check has confirmed that the work is done.
	Proven bool `json:"proven"`

	// Tell is the text that the session gets at its next stop. The stop is blocked,
	// whatever the session says.
	Tell string `json:"tell,omitempty"`
	// Told is the Tell of the last block, until a stop shows that the session received it.
	Told string `json:"told,omitempty"`

	// Issue is set in an issue frame. The other fields are set in its task frame, which
	// is the next one on the stack.
	Issue    *Issue `json:"issue,omitempty"`
	IssueID  string `json:"issue_id,omitempty"`
	Worktree string `json:"worktree_path,omitempty"`
	Branch   string `json:"branch,omitempty"`
	Base     string `json:"base_ref,omitempty"`
}

// A Pause is a loop that waits for the provider, or for a background shell.
type Pause struct {
	At    time.Time `json:"at"`             // of the first refusal in a row
	Until time.Time `json:"until,omitzero"` // zero if the pause does not end by itself
	Note  string    `json:"note,omitempty"`
	Tries int       `json:"tries,omitempty"` // refusals in a row
	Shell bool      `json:"shell,omitempty"` // it waits for a background shell, not for the provider
	Over  bool      `json:"over,omitempty"`  // Until has come; the session must be woken
}

// shell reports whether p waits for a background shell.
func (p *Pause) shell() bool { return p != nil && p.Shell }

// Ended says how a whole loop ended.
type Ended struct {
	Verdict Verdict   `json:"verdict"`
	Proven  bool      `json:"proven"`
	At      time.Time `json:"at"`
	By      string    `json:"by,omitempty"`
	Note    string    `json:"note,omitempty"`
}

// A Stack is the loop of one session, outermost frame first. The zero Stack is a
// session without a loop. A loop that has ended keeps its last frames for show.
type Stack struct {
	Schema  int    `json:"schema"`
	Session string `json:"session"`
	RunID   string `json:"run_id"`
	// UpdatedAt is the last sign of life: a start, a stop, a tool call, a prompt.
	UpdatedAt time.Time `json:"updated_at"`
	Frames    []Frame   `json:"stack"`
	Quiet     int       `json:"quiet,omitempty"` // blocks in a row without a tool call
	Last      *Last     `json:"last,omitempty"`
	// Read is how much of the session's transcript was read to count its costs, in bytes.
	Read int64 `json:"read"`
	// Agents is the same for the transcripts of the newest subagents. A subagent that
	// gets another message stops again.
	Agents []AgentRead `json:"agents,omitempty"`
	Paused *Pause      `json:"paused,omitempty"`
	// Unheard is true while the session does not know of a loop that was started from
	// outside it.
	Unheard bool   `json:"unheard,omitempty"`
	Rested  bool   `json:"rested,omitempty"` // since the last block
	Left    bool   `json:"left,omitempty"`   // the person knows that the session ended before its loop
	Ended   *Ended `json:"ended,omitempty"`
}

// AgentRead is how much of the transcript of a subagent was read, in bytes.
type AgentRead struct {
	Agent string `json:"agent"`
	Read  int64  `json:"read"`
}

// mostAgents bounds how many subagents are remembered.
const mostAgents = 64

// Last is the answer to the newest stop. A hook that did not receive the reply repeats its
// stop. It then gets the same answer, and the stop counts once.
type Last struct {
	Stop  string `json:"stop"`
	Block string `json:"block,omitempty"`
}

// An Outcome is everything that one step asks of the caller. The caller makes
// Stack durable before it acts on any other field, then acts in their order.
type Outcome struct {
	Stack Stack
	// Check, if any, is run by the Stop hook at once. Its result arrives as
	// Stopping.Check of another Stop. The session must not stop before that.
	Check *Check
	// Checked is the result of a check in words, for the journal and the terminal.
	Checked string
	// Block is the reason to give the model. If Block, Check and Wait are all empty, the
	// session may stop.
	Block string
	// Wait says in words for which errand the session waits. The Stop hook asks again
	// when the errand is over.
	Wait string
	// Errands are to be done outside, in their order.
	Errands []Errand
	// IssueLines is the news about issues.
	IssueLines []IssueLine
	// Notify is the one message for the person, if any. It contains the verdict's word.
	Notify string
	// Verdict is that of the outermost frame that ended or paused in this step.
	// The loop as a whole is over when Stack is no longer active.
	Verdict Verdict
}

// UnmarshalJSON refuses a stack that is damaged or was written by a newer program.
// Unknown fields are ignored.
func (s *Stack) UnmarshalJSON(data []byte) error {
	type plain Stack
	var p plain
	if err := json.Unmarshal(data, &p); err != nil {
		return err
	}
	*s = Stack(p)
	return s.sound()
}

func (s Stack) sound() error {
	if s.Schema > schema {
		return fmt.Errorf("the loop has schema %d; this program knows schemas up to %d", s.Schema, schema)
	}
	seen := map[string]bool{}
	for _, f := range s.Frames {
		mode := Task
		if f.Issue != nil {
			mode = Issues
		}
		switch is := f.Issue; {
		case f.ID == "", seen[f.ID], f.Mode != mode:
			return fmt.Errorf("frame %q of mode %q is damaged", f.ID, f.Mode)
		case is == nil:
		case !slices.Contains(phases, is.Phase):
			return fmt.Errorf("frame %q has the unknown phase %q", f.ID, is.Phase)
		case s.Ended == nil && is.needsTask() && s.taskAt(is.Task) < 0:
			return fmt.Errorf("frame %q works on an issue, but its task frame is missing", f.ID)
		}
		seen[f.ID] = true
	}
	return nil
}

// Active reports whether a loop runs.
func (s Stack) Active() bool { return s.Ended == nil && len(s.Frames) > 0 }

// Top returns the frame at work. It returns false if no loop runs.
func (s Stack) Top() (Frame, bool) {
	if !s.Active() {
		return Frame{}, false
	}
	return *s.top(), true
}

func (s Stack) top() *Frame { return &s.Frames[len(s.Frames)-1] }

// clone copies the frames, so that a step never writes into its input.
func (s Stack) clone() Stack {
	s.Frames = slices.Clone(s.Frames)
	for i, f := range s.Frames {
		if f.Issue != nil {
			is := *f.Issue
			s.Frames[i].Issue = &is
		}
	}
	return s
}

// stored returns t in the form in which the store returns it. UTC drops the monotonic
// part, so that the time while the machine was suspended counts as idle, with or without
// a restart.
func stored(t time.Time) time.Time { return t.UTC() }

// Start puts a frame with a new id on top of the session's stack. Intro then returns the
// text for the model. If the session has a loop that has already expired, Start ends that
// loop first and Notify says so.
func Start(s Stack, session, id string, o Options, now time.Time) (Outcome, error) {
	now = stored(now)
	before := Expire(s, now)
	s = before.Stack.clone()
	s.interrupt(now)
	if err := startable(s, session, id, o); err != nil {
		return Outcome{}, err
	}
	if !s.Active() {
		s = Stack{Schema: schema, Session: session, RunID: id, Read: o.Read}
	}
	s.Frames = append(s.Frames, s.frame(id, o, now))
	s.UpdatedAt, s.Paused, s.Quiet, s.Unheard = now, nil, 0, o.Outside
	w := work{s: s, at: len(s.Frames) - 1, now: now}
	w.Notify, w.Verdict, w.Errands, w.IssueLines = before.Notify, before.Verdict, before.Errands, before.IssueLines
	if w.issue() != nil {
		w.enter(Picking)
	}
	w.Stack = w.s
	return w.Outcome, nil
}

func startable(s Stack, session, id string, o Options) error {
	if session == "" || cmp.Or(s.Session, session) != session {
		return errSession
	}
	if o.Every != "" {
		return errEvery
	}
	if strings.TrimSpace(o.Task) == "" && o.Repo == "" {
		return ErrNoTask
	}
	if err := o.valid(); err != nil {
		return fmt.Errorf("start loop: %w", err)
	}
	if s.Active() && s.nested()+1 >= maxDepth {
		return ErrDepth
	}
	if id == "" || s.index(id) >= 0 {
		return ErrID
	}
	return nil
}

// frame returns a new frame for the stack. Its deadline is not later than that of its outer
// frame.
func (s Stack) frame(id string, o Options, now time.Time) Frame {
	if o.Repo != "" {
		o.Task = "the issues of " + o.Repo
	}
	sum := sha256.Sum256([]byte(o.Task))
	f := Frame{
		ID:           id,
		Mode:         Task,
		Goal:         head(strings.ToValidUTF8(o.Task, "\uFFFD"), goalBytes),
		GoalSize:     len(o.Task),
		Digest:       hex.EncodeToString(sum[:]),
		Max:          o.Max,
		StartedAt:    now,
		Budget:       o.Budget,
		TokensTo:     o.Tokens,
		Check:        o.Check,
		CheckTimeout: o.CheckTimeout,
		Greens:       o.Greens,
		Dir:          o.Dir,
	}
	if o.Repo != "" {
		f.Mode, f.Issue = Issues, &Issue{Repo: o.Repo}
	}
	if o.For > 0 {
		f.Deadline = now.Add(o.For)
	}
	if len(s.Frames) > 0 {
		f.Deadline = earliest(f.Deadline, s.top().Deadline)
	}
	return f
}

// Cancel ends the whole stack because a person said so.
func Cancel(s Stack, by string, now time.Time) (Outcome, error) {
	if !s.Active() {
		return Outcome{}, fmt.Errorf("cancel loop: %w", ErrNone)
	}
	return endAll(s.clone(), ending{verdict: Cancelled, by: by}, stored(now)), nil
}

// Spend adds the costs of a subagent to the loop of its session. It records how much of the
// subagent's transcript was read.
func Spend(s Stack, sum usage.Sum, read AgentRead) (Stack, error) {
	if !s.Active() {
		return s, fmt.Errorf("spend: %w", ErrNone)
	}
	s = s.clone()
	s.spend(sum)
	s.Agents = slices.DeleteFunc(slices.Clone(s.Agents), func(a AgentRead) bool { return a.Agent == read.Agent })
	s.Agents = append(s.Agents, read)
	s.Agents = s.Agents[max(0, len(s.Agents)-mostAgents):]
	return s, nil
}

// ReadOf returns how much of the transcript of a subagent was read, in bytes.
func (s Stack) ReadOf(agent string) int64 {
	for _, a := range s.Agents {
		if a.Agent == agent {
			return a.Read
		}
	}
	return 0
}

func (s *Stack) spend(sum usage.Sum) {
	for i := range s.Frames {
		s.Frames[i].Spent = s.Frames[i].Spent.Plus(sum)
	}
}

// Fail ends the whole stack because the session failed. note says how.
func Fail(s Stack, note string, now time.Time) (Outcome, error) {
	if !s.Active() {
		return Outcome{}, fmt.Errorf("fail loop: %w", ErrNone)
	}
	return endAll(s.clone(), ending{verdict: Failed, note: note}, stored(now)), nil
}
