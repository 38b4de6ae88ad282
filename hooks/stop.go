package hooks

import (
	"time"

	"github.com/afar-sh/afar/coordinator/host/claude/hookoutput"
	"github.com/afar-sh/afar/coordinator/wire"
)

// The deadlines of the hooks at the end of a turn. The coordinator may look at
// the work tree before it answers.
const (
	stopFor     = 5 * time.Second
	compactFor  = 5 * time.Second
	subagentFor = 500 * time.Millisecond
)

// stop asks the coordinator whether the session may stop, and does what the reply
// says. If the reply tells the hook to wait, stop waits and asks again. It starts a
// coordinator if none is running: a loop must not end because somebody killed the
// daemon.
func stop(h *hook) error {
	id, began := newID(), time.Now()
	for {
		r, err := h.askStop(id)
		if err != nil {
			return err
		}
		parked := time.Duration(r.ParkedMS) * time.Millisecond
		switch {
		case r.Errand != "":
			if h.off() || h.awaitErrand(began) {
				return nil
			}
		case parked > 0:
			if h.off() || h.orphaned() {
				return nil
			}
			h.awaitParked(parked)
		case r.Texts > 0 && !r.Block:
			if over, err := h.endWithTexts(id, began); over {
				return err
			}
		default:
			return h.endStop(id, r)
		}
	}
}

// endWithTexts blocks the stop with the texts that wait for the session. over is false if they
// are gone, because an earlier hook has just reported that it printed them: then the coordinator
// has to decide about this stop again.
func (h *hook) endWithTexts(id string, began time.Time) (over bool, err error) {
	blocked, err := h.blockWithTexts(id)
	if blocked || err != nil || time.Since(began) > takeFor {
		return true, err
	}
	time.Sleep(pause)
	return false, nil
}

// endStop carries out the coordinator's final reply to a Stop hook.
func (h *hook) endStop(id string, r wire.StopReply) error {
	switch hold := r.HoldMS; {
	case r.Block:
		return h.block(r.Reason, r.Notice)
	case hold > 0:
		return h.hold(id, time.Duration(hold)*time.Millisecond)
	}
	return h.printNotice(r.Notice)
}

// printNotice shows the person a notice, if there is one.
func (h *hook) printNotice(notice string) error {
	if notice != "" {
		return h.print(hookoutput.Notice(notice))
	}
	return nil
}

// askStop asks the coordinator whether the session may stop. It first runs the checks
// that the coordinator asks for, and sends their results. If the result of a check is
// no longer wanted, it returns an empty reply, which lets the session stop.
func (h *hook) askStop(id string) (wire.StopReply, error) {
	in := wire.StopRequest{HookCall: h.hookCall(), Ask: id, Delivery: id}
	r, err := callStarting(h, wire.OpStop, in, stopFor)
	for round := 1; r.Check != nil; round++ {
		result, wanted := h.check(r.Check)
		if !wanted {
			return wire.StopReply{}, nil
		}
		in.HookCall, in.Checked, in.Round = h.hookCall(), result, round
		r, err = callStarting(h, wire.OpStop, in, stopFor)
	}
	return r, err
}

// awaitParked waits for the answers to calls that were refused because nobody answered, at
// most for left.
func (h *hook) awaitParked(left time.Duration) {
	wait := min(lookFor, left)
	in := wire.ParkedWaitRequest{HookCall: h.hookCall(), WaitMS: wait.Milliseconds()}
	if _, err := callStarting(h, wire.OpParkedWait, in, wait+replyFor); err != nil {
		time.Sleep(pause)
	}
}

// awaitErrand waits while the coordinator runs an errand for the session's loop. Esc
// ends this process and so the wait, but not the errand; the next stop tells its
// result. typed is true if a person has typed since the hook began, which ends the wait.
func (h *hook) awaitErrand(began time.Time) (typed bool) {
	r, err := callStarting(h, wire.OpErrandWait, wire.ErrandWaitRequest{
		HookCall: h.hookCall(), WaitMS: watchFor.Milliseconds(), SinceMS: began.UnixMilli(),
	}, watchFor+replyFor)
	if err != nil {
		time.Sleep(pause)
	}
	return r.Wake == "end"
}

// block keeps the session from stopping and gives it the coordinator's reason.
func (h *hook) block(reason, notice string) error {
	return h.print(hookoutput.Block(reason, notice))
}

func stopFailure(h *hook) error {
	in := wire.StopFailureRequest{HookCall: h.hookCall()}
	_, err := callStarting(h, wire.OpStopFailure, in, compactFor)
	return err
}

// preCompact makes the coordinator write the anchor. It prints nothing, because its
// output would become part of the instructions for the summary.
func preCompact(h *hook) error {
	in := wire.PreCompactRequest{HookCall: h.hookCall()}
	_, err := callStarting(h, wire.OpPreCompact, in, compactFor)
	return err
}
