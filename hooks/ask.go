package hooks

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/afar-sh/afar/coordinator/client"
	"github.com/afar-sh/afar/coordinator/host/claude/hookoutput"
	"github.com/afar-sh/afar/coordinator/wire"
)

// The times of a question. waitFor is short, so that a hung coordinator and a
// dead client are noticed; the ask itself lives in the coordinator.
const (
	openFor  = 5 * time.Second        // to register it, a coordinator's start included
	waitFor  = 10 * time.Second       // one wait
	replyFor = 5 * time.Second        // what a reply may take beyond its wait
	endFor   = 700 * time.Millisecond // the host kills a second after SIGTERM
	pause    = 100 * time.Millisecond // between two tries at a coordinator that is away
)

// An answer is how a question ended. Decided is false when nobody answered.
type answer struct {
	decided, allow bool
	message        string
	said           reply // what the coordinator said of it
}

// A question is one ask of this hook, from the time it is registered.
type question struct {
	hook     *hook
	id       string
	deadline time.Time
}

// ask puts the call to the person and waits for the end. An error means that
// the question never got through.
func (h *hook) ask(kind, why string) (answer, error) {
	q := &question{hook: h, id: newID()}
	in := wire.AskOpenRequest{HookCall: h.hookCall(), Ask: q.id, Kind: kind, Why: why}
	r, err := h.callStarting(wire.OpAskOpen, in, openFor)
	if err != nil {
		return answer{}, err
	}
	if r.str("state") == "delivered" {
		return taken(r), nil // a grant has answered, and this call has taken it
	}
	q.deadline = time.Now().Add(time.Duration(r.body.Get("deadline_ms").Int()) * time.Millisecond)
	h.unhear = q.onSignal() // until the answer is printed: No at the terminal comes first
	return q.await(r), nil
}

// newID mints the ask's id before anything is dialled: a coordinator that died
// and came back finds the same ask. It has to be new, not secret.
func newID() string {
	return "ask_" + strconv.FormatUint(rand.Uint64(), 16) + strconv.FormatUint(rand.Uint64N(1<<16), 16)
}

// await follows the ask until it ends or its time is over. A coordinator that
// is away is started again and dialled again.
func (q *question) await(r reply) answer {
	for {
		switch r.str("state") {
		case "open":
			q.follow(r)
		case "answered", "delivered":
			return q.claim()
		default:
			return answer{message: r.str("message")}
		}
		if !time.Now().Before(q.deadline) || q.orphaned() {
			q.end("the session's client is gone")
			return answer{message: "nobody answered in time"}
		}
		r = q.next(r)
	}
}

// follow keeps up with an ask that stays open longer: somebody is filling in its
// form.
func (q *question) follow(r reply) {
	left := time.Duration(r.body.Get("deadline_ms").Int()) * time.Millisecond
	if end := time.Now().Add(left); end.After(q.deadline) {
		q.deadline = end
	}
}

// next waits once for the end of the ask. While the coordinator cannot be reached
// the ask stays as it was last known.
func (q *question) next(last reply) reply {
	wait := min(waitFor, max(time.Until(q.deadline), 0))
	in := wire.AskWaitRequest{Ask: q.id, WaitMS: wait.Milliseconds()}
	r, err := q.hook.callStarting(wire.OpAskWait, in, wait+replyFor)
	if err == nil {
		return r
	}
	if errors.Is(err, errRefused) {
		q.deadline = time.Now() // the ask is unknown there: nothing to wait for
	}
	time.Sleep(pause)
	return last
}

// claim takes the answer just before it is printed. An ask that was settled at
// the terminal meanwhile has no answer of ours any more.
func (q *question) claim() answer {
	for {
		in, printed := wire.AskClaimRequest{Ask: q.id, Receipt: true}, wire.PrintedRequest{Ask: q.id}
		r, err := q.hook.takeOwing(request(wire.OpAskClaim, in), printed, replyFor)
		if err == nil {
			q.hook.owed.certain = true
			if r.str("state") != "delivered" {
				q.hook.nothingOwed()
			}
			return taken(r)
		}
		if !errors.Is(err, client.ErrUnreachable) || !time.Now().Before(q.deadline) {
			return answer{message: err.Error()}
		}
		time.Sleep(pause)
	}
}

// taken is an answer that counts from now on.
func taken(r reply) answer {
	return answer{decided: r.str("state") == "delivered", allow: r.yes("allow"), message: r.str("message"), said: r}
}

// onSignal tells the coordinator when the host ends this hook: Esc, No, a host
// timeout or a closed terminal.
func (q *question) onSignal() (stop func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	go func() {
		if _, ok := <-c; ok {
			q.end("ended at the terminal")
			q.hook.record("ended by the host", nil)
			os.Exit(q.hook.event.class.ended())
		}
	}()
	return func() { signal.Stop(c); close(c) }
}

func (q *question) end(why string) {
	_, _ = q.hook.call(wire.OpAskEnded, wire.AskEndedRequest{Ask: q.id, Why: why}, endFor) // there is no time for more
}

// orphaned reports that the client died without a word: its hooks live on.
func (q *question) orphaned() bool { return os.Getppid() == 1 && q.hook.getenv.PID() != 1 }

// printAnswer prints what the person decided in the form of the event.
func (h *hook) printAnswer(a answer) error {
	switch {
	case a.decided && !a.allow && a.said.yes("interrupt") && h.event.name == "PermissionRequest":
		return h.print(hookoutput.Refuse(a.message, true))
	case a.decided && !a.allow:
		return h.print(h.denial(a.message))
	case a.decided && h.event.name == "PreToolUse":
		return h.print(hookoutput.PreToolUse(hookoutput.Allow, "allowed by the person"))
	case a.decided:
		return h.printAllow(a)
	case h.getenv.Attended():
		return nil // the dialog is the person's
	}
	return h.print(h.denial(fmt.Sprintf("Not allowed: %s. Park this step: write down what you need and why, and go on with what does not depend on it.", a.message)))
}
