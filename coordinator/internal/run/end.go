package run

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/session"
)

// An End is how the agent's process of a turn ended. Exit codes alone say little: an
// interrupted agent may exit with 0, and one whose turn failed too.
type End struct {
	Result bool   // the agent reported a result
	Failed bool   // the last result is a failure
	Final  bool   // and another try would not change it
	Exit   int    // the exit code; -1 if a signal ended it, or nobody knows
	Killed bool   // by the system or somebody else, with the signal that cannot be caught
	Clock  Clock  // the clock that ran out, "" for none
	Words  string // the last lines that it printed
	// Refused says why Afar ended the turn, "" if it did not.
	Refused string
	// Deferred is the call that the agent keeps for the next turn, "" for none.
	Deferred string
	// Starting is how long an agent may take to start, 0 for the usual time.
	Starting time.Duration `json:"-"`
	// Open is the process that has the conversation open, so that no agent was started.
	Open session.Process
	// Yields is true if Afar was stopped: the next coordinator goes on with the turn.
	Yields bool
	// Told is true if a signal told agent-run to end the turn, and Afar did not stop.
	Told bool
	// Spoken is true if the agent was spoken to, so that it may have read its prompt unheard.
	Spoken bool
	// Forgot is true if a hook took words for the agent that it did not get.
	Forgot bool
	// Lacks names the servers of tools that the agent worked without, and why; "" for none.
	Lacks string
	// Lost is true if the agent does not know the conversation: it ended before it wrote the first
	// line, or what it wrote was removed.
	Lost bool
	// Arrived says of what was handed over in the turn whether the conversation has it. Nobody
	// knows of a delivery that is not in it.
	Arrived map[string]bool `json:"-"`
}

// complete reports whether the turn came to its end, well or badly.
func (e End) complete() bool { return e.Result && (!e.Failed || e.Final) }

// Times of the restart table.
const (
	restartIn   = time.Second
	mostKills   = 3
	mostPerHour = 3
)

// endedItself reports whether the agent's process came to its own end: no signal ended it or its
// agent-run.
func (e End) endedItself() bool { return !e.Killed && !e.Told && e.Exit >= 0 && e.Exit <= 128 }

// CannotStart is the exit code of an agent that was not started.
const CannotStart = 127

// BrokeOff reports whether the turn of r ended before its agent came to its own end.
func (r Run) BrokeOff(e End) bool { return !e.complete() || e.Forgot || r.Turn.Ending() }

// A Fate is what follows the end of a turn.
type Fate struct {
	State   State
	Restart bool
	Resume  bool // the turn broke off: the next one begins with a notice
	Why     string
}

// A row of the restart table.
type row struct {
	name    string
	applies func(r Run, e End, now time.Time) bool
	fate    func(r Run, e End) Fate
}

// restarts is the restart table. The first row that applies counts.
var restarts = []row{
	{
		name:    "refused by Afar",
		applies: func(_ Run, e End, _ time.Time) bool { return e.Refused != "" },
		fate:    func(_ Run, e End) Fate { return Fate{State: Failed, Why: e.Refused} },
	},
	{
		name:    "ended by a person",
		applies: func(r Run, _ End, _ time.Time) bool { return r.Turn.Stop != "" },
		fate:    func(r Run, _ End) Fate { return Fate{State: Stopped, Why: "stopped by " + r.Turn.Stop} },
	},
	{
		name:    "open elsewhere",
		applies: func(_ Run, e End, _ time.Time) bool { return e.Open.Known() },
		fate: func(_ Run, e End) Fate {
			why := fmt.Sprintf("its conversation is open in process %d; it goes on when that ends", e.Open.PID)
			return Fate{State: Queued, Why: why}
		},
	},
	{
		name:    "reached a limit",
		applies: func(r Run, e End, _ time.Time) bool { return r.Turn.Limit != "" && (e.Failed || !e.Result) },
		fate:    func(r Run, _ End) Fate { return Fate{State: Failed, Why: r.Turn.Limit} },
	},
	{
		name:    "does not know its conversation",
		applies: func(r Run, e End, _ time.Time) bool { return e.Lost && r.Turn.Resumes && !e.complete() },
		fate:    func(Run, End) Fate { return Fate{State: Queued, Restart: true} },
	},
	{
		name:    "waits for a person",
		applies: func(r Run, e End, _ time.Time) bool { return r.State == Waiting && !e.complete() },
		fate:    func(Run, End) Fate { return Fate{State: Idle, Resume: true} },
	},
	{
		name:    "Afar was stopped",
		applies: func(_ Run, e End, _ time.Time) bool { return e.Yields && !e.complete() },
		fate:    func(Run, End) Fate { return Fate{State: Queued, Restart: true, Resume: true} },
	},
	{
		name:    "left auto mode",
		applies: func(r Run, e End, _ time.Time) bool { return r.Turn.LeavesAuto && (e.Failed || !e.Result) },
		fate:    func(Run, End) Fate { return Fate{State: Queued, Restart: true, Resume: true} },
	},
	{
		name:    "complete",
		applies: func(_ Run, e End, _ time.Time) bool { return e.complete() },
		fate:    func(r Run, e End) Fate { return completeFate(r, e) },
	},
	{
		name:    "exit 0 without a result",
		applies: func(_ Run, e End, _ time.Time) bool { return e.Exit == 0 && !e.Result && e.Clock == "" },
		fate:    func(_ Run, e End) Fate { return failed("it ended without a result", e) },
	},
	{
		name:    "no call was kept",
		applies: func(r Run, e End, _ time.Time) bool { return r.Turn.Prompt == "" && !r.Turn.Heard && e.Clock == "" },
		fate:    func(Run, End) Fate { return Fate{State: Queued, Restart: true} },
	},
	{
		name: "fails to start",
		applies: func(r Run, e End, now time.Time) bool {
			early := now.Sub(r.Turn.Begun) < cmp.Or(e.Starting, Usual.Starting)
			return early && e.endedItself() && e.Clock == ""
		},
		fate: func(_ Run, e End) Fate { return failed("it fails to start", e) },
	},
	{
		name:    "killed three times",
		applies: func(r Run, e End, _ time.Time) bool { return e.Killed && r.Kills+1 >= mostKills },
		fate: func(_ Run, e End) Fate {
			return failed(fmt.Sprintf("it was killed %d times in a row, perhaps for memory", mostKills), e)
		},
	},
	{
		name:    "three restarts in an hour",
		applies: func(r Run, _ End, now time.Time) bool { return len(lastHour(r.Restarts, now)) >= mostPerHour },
		fate: func(_ Run, e End) Fate {
			return failed(fmt.Sprintf("it was restarted %d times in the last hour", mostPerHour), e)
		},
	},
	{
		name:    "restart",
		applies: func(Run, End, time.Time) bool { return true },
		fate:    func(Run, End) Fate { return Fate{State: Queued, Restart: true, Resume: true} },
	},
}

func completeFate(r Run, e End) Fate {
	if e.Failed {
		return Fate{State: Failed, Why: cmp.Or(e.Words, r.Result, "its turn failed")}
	}
	return Fate{State: Idle}
}

func failed(why string, e End) Fate {
	words := e.Words
	if words == "" && e.Killed {
		words = "it was killed"
	}
	if words != "" {
		why += ": " + words
	}
	return Fate{State: Failed, Why: why}
}

// decide returns what follows the end of the turn of r.
func decide(r Run, e End, now time.Time) Fate {
	for _, row := range restarts {
		if row.applies(r, e, now) {
			return row.fate(r, e)
		}
	}
	return Fate{State: Failed} // cannot happen: the last row always applies
}

func lastHour(times []time.Time, now time.Time) []time.Time {
	return slices.DeleteFunc(slices.Clone(times), func(at time.Time) bool { return now.Sub(at) >= time.Hour })
}

// Finish ends a turn whose agent has ended. unread is true if the agent never read its
// prompt: the messages in it must be offered again.
func Finish(r Run, fence int64, e End, now time.Time) (_ Run, unread bool, err error) {
	if err := r.current(fence); err != nil {
		return r, false, err
	}
	fate := decide(r, e, now)
	unread = !r.Turn.Heard || e.Lost
	if e.Lost { // the next turn begins it anew
		r.Turns, r.Adopted, r.Thread, r.ThreadAt = 0, false, "", time.Time{}
	}
	r.Kills = kills(r.Kills, e)
	r.Lacks = e.Lacks
	r.Why, r.Resume, r.Turn.Deferred = fate.Why, fate.Resume && !unread, e.Deferred
	r = r.over(fate.State, now)
	switch {
	case r.State != Queued:
	case fate.Restart:
		if !e.Yields {
			r.Restarts = append(lastHour(r.Restarts, now), now)
		}
		r.QueuedAt, r.NotUntil = now, now.Add(restartIn)
	default:
		r.OpenIn = e.Open
		r.QueuedAt, r.NotUntil, r.Resume = now, now.Add(openAgain), strings.HasPrefix(r.Turn.Prompt, Notice)
	}
	return r, unread, nil
}

func kills(before int, e End) int {
	switch {
	case e.Yields:
		return before
	case e.Killed:
		return before + 1
	}
	return 0
}

// Perhaps precedes texts of which the agent may have received some before, and does not say.
const Perhaps = "Afar: you may have received some of this before, because your process ended while you got it. " +
	"Act on it once.\n\n"

// Notice is the prompt of a turn that restarts a conversation. It never repeats the
// prompt that broke off.
const Notice = "Afar: your process ended in the middle of its work and was started again. " +
	"First look at what was already done; repeat nothing that may have taken effect. Then go on with your task."
