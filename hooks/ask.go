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

// The times of a question. The ask itself lives in the coordinator, which a wait costs something
// only when it begins and ends.
const (
	openFor  = 5 * time.Second        // to register it, including the start of a coordinator
	waitFor  = 5 * time.Minute        // one wait
	lookFor  = 10 * time.Second       // between two looks whether the client still lives, or Afar is paused
	replyFor = 5 * time.Second        // how much longer than its wait a reply may take
	endFor   = 700 * time.Millisecond // the host kills a second after SIGTERM
	pause    = 100 * time.Millisecond // between two attempts to reach the coordinator
)

// A decision is what a person decided about a question.
type decision int

const (
	undecided decision = iota // nobody answered
	allowed
	denied
)

// An answer is how a question ended.
type answer struct {
	decision decision
	message  string
	said     wire.AskState // the coordinator's reply with the answer
}

// A question is one ask of this hook, from the time it is registered.
type question struct {
	hook     *hook
	id       string
	deadline time.Time
}

// ask asks the person about the call and waits for the answer. An error means
// that the question was never registered.
func (h *hook) ask(kind string, d Judgement) (answer, error) {
	q := &question{hook: h, id: newID()}
	in := wire.AskOpenRequest{HookCall: h.hookCall(), Ask: q.id, Kind: kind, Why: d.Person, Part: d.Part}
	r, err := callStarting(h, wire.OpAskOpen, in, openFor)
	if err != nil {
		return answer{}, err
	}
	if r.State == "delivered" {
		return answerFrom(r), nil // a grant has answered, and this call has taken the answer
	}
	q.deadline = time.Now().Add(time.Duration(r.DeadlineMS) * time.Millisecond)
	h.unhear = q.onEnd() // until the answer is printed: No at the terminal comes first
	return q.await(r), nil
}

// newID returns a new id for an ask. The hook chooses it before it calls the
// coordinator, so a restarted coordinator finds the same ask. The id must be
// unique; it need not be secret.
func newID() string {
	return "ask_" + strconv.FormatUint(rand.Uint64(), 16) + strconv.FormatUint(rand.Uint64N(1<<16), 16)
}

// await waits until the ask ends or its time is over. If the coordinator is not
// running, await starts it and tries again.
func (q *question) await(r wire.AskState) answer {
	for {
		switch r.State {
		case "open":
			q.follow(r)
		case "answered", "delivered":
			return q.claim()
		default:
			return answer{message: r.Message, said: r}
		}
		if time.Until(q.deadline) <= 0 {
			return answer{message: "nobody answered in time", said: q.end("nobody answered in time")}
		}
		r = q.next(r, waitFor)
	}
}

// follow extends the deadline when the coordinator keeps the ask open longer,
// because somebody is filling in its form.
func (q *question) follow(r wire.AskState) {
	left := time.Duration(r.DeadlineMS) * time.Millisecond
	if end := time.Now().Add(left); end.After(q.deadline) {
		q.deadline = end
	}
}

// next waits once for the end of the ask, at most for most, and returns its state. It returns
// last when the coordinator cannot be reached.
func (q *question) next(last wire.AskState, most time.Duration) wire.AskState {
	wait := min(most, max(time.Until(q.deadline), 0))
	in := wire.AskWaitRequest{Ask: q.id, WaitMS: wait.Milliseconds()}
	r, err := callStarting(q.hook, wire.OpAskWait, in, wait+replyFor)
	if err == nil {
		return r
	}
	if errors.Is(err, errRefused) {
		q.deadline = time.Now() // the coordinator does not know the ask
	}
	time.Sleep(pause)
	return last
}

// claim takes the answer just before it is printed. It returns no decision if the
// ask was settled at the terminal in the meantime.
func (q *question) claim() answer {
	for {
		in, printed := wire.AskClaimRequest{Ask: q.id, Receipt: true}, wire.PrintedRequest{Ask: q.id}
		r, err := takeOwing(q.hook, wire.OpAskClaim, in, printed, replyFor)
		if err == nil {
			q.hook.owed.certain = true
			if r.State != "delivered" {
				q.hook.dropReceipt()
			}
			return answerFrom(r)
		}
		if !errors.Is(err, client.ErrUnreachable) || !time.Now().Before(q.deadline) {
			return answer{message: err.Error()}
		}
		time.Sleep(pause)
	}
}

// answerFrom returns the answer in a reply. It is a decision only if the coordinator
// has delivered it.
func answerFrom(r wire.AskState) answer {
	a := answer{message: r.Message, said: r}
	switch {
	case r.State != "delivered":
	case r.Allow:
		a.decision = allowed
	default:
		a.decision = denied
	}
	return a
}

// onEnd tells the coordinator when the host ends this hook (after Esc, No, a host timeout or a
// closed terminal), or when the client died without that. stop restores the default handling.
func (q *question) onEnd() (stop func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	go func() {
		look := time.NewTicker(lookFor)
		defer look.Stop()
		for {
			select {
			case _, ok := <-c:
				if !ok {
					return
				}
				q.exit("ended at the terminal")
			case <-look.C:
				if q.hook.orphaned() {
					q.exit("the session's client is gone")
				}
			}
		}
	}()
	return func() { signal.Stop(c); close(c) }
}

// exit tells the coordinator why the question is over, and ends this process.
func (q *question) exit(why string) {
	q.end(why)
	q.hook.record("ended by the host", nil)
	os.Exit(q.hook.event.class.signalExit())
}

// end tells the coordinator that the question is over, and why. It returns what became of it.
func (q *question) end(why string) wire.AskState {
	// There is no time to retry.
	r, _ := call(q.hook, wire.OpAskEnded, wire.AskEndedRequest{Ask: q.id, Why: why}, endFor)
	return r
}

// orphaned reports whether the client died without ending its hooks. The new parent is not always
// process 1: a login's systemd takes the orphans of its session.
func (h *hook) orphaned() bool { return os.Getppid() != h.parent }

// printAnswer prints the person's decision in the form of the event.
func (h *hook) printAnswer(a answer) error {
	switch a.decision {
	case allowed:
		if h.event.name == promptExpansion {
			return nil
		}
		if h.event.judgesCalls() {
			return h.print(h.decide(hookoutput.Allow, "allowed by the person"))
		}
		return h.printAllow(a)
	case denied:
		if h.event.name == "PermissionRequest" {
			return h.print(hookoutput.Refuse(a.message, a.said.Interrupt))
		}
		return h.print(h.denial(a.message))
	}
	return h.printUnanswered(a)
}

// printUnanswered deals with a question that nobody answered in time. A run keeps its call
// for the next turn if the host can, and is told otherwise that the call is parked.
func (h *hook) printUnanswered(a answer) error {
	switch {
	case a.said.Defer:
		return h.print(hookoutput.Deferral())
	case a.said.Parked:
		return h.print(h.denial(parkedInRun))
	}
	return h.printUndecided(a.message)
}

// parkedInRun is what a run is told of a call that nobody answered in time.
const parkedInRun = "Not allowed yet: the person has not answered, so this call is parked. Do not try it again now. " +
	"Go on with what does not depend on it, or end your turn and say what you wait for. You will be told the answer."

// printUndecided leaves the question to the dialog if a person sits at the terminal, and
// refuses it otherwise. why says why nobody decided.
func (h *hook) printUndecided(why string) error {
	if h.getenv.Attended() && !h.event.dialogless {
		return nil
	}
	return h.print(h.denial(fmt.Sprintf("Not allowed: %s. Park this step: write down what you need and why, "+
		"and go on with what does not depend on it.", why)))
}
