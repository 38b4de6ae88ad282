package hooks

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/afar-sh/afar/coordinator/client"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/host/claude/hookoutput"
	"github.com/afar-sh/afar/coordinator/wire"
)

// The times of what comes for a session. takeFor is generous: a text that was
// taken and not printed would be lost.
const (
	takeFor  = 8 * time.Second
	rewakeIn = 20 * time.Second // one wait of the hook in the background
	maxPause = 30 * time.Second // between two tries at a coordinator that is away
	// restsAfter is how long the Stop hook beside this one has to let a print
	// session rest. It waits for this hook to end before it goes on.
	restsAfter = time.Second
)

// wakeText is all that the host hears of a text: what it says is handed over by
// UserPromptSubmit, as the person's words.
const wakeText = "Afar: a reply from the paired person waits; it is in the context of this turn."

// errWake ends a hook so that the host wakes its session, and hears why.
type errWake struct{ why string }

func (errWake) Error() string { return "wake the session" }

func (e errWake) wake(stderr io.Writer) int {
	fmt.Fprintln(stderr, e.why)
	return 2
}

// take takes the texts that wait, under the name of this delivery. A
// coordinator that died over it is asked again with the same name and gives the
// same texts.
func (h *hook) take(delivery string) (text, by string, err error) {
	for end := time.Now().Add(takeFor); ; time.Sleep(pause) {
		in := wire.MessageTakeRequest{HookCall: h.hookCall(), Delivery: delivery, Receipt: true}
		printed := wire.PrintedRequest{HookCall: in.HookCall, Delivery: delivery}
		r, err := h.takeOwing(request(wire.OpMessageTake, in), printed, time.Until(end))
		if err == nil && r.str("text") == "" {
			h.nothingOwed()
			return "", "", nil
		}
		if err == nil {
			return h.marked(r), r.str("by"), nil
		}
		if !errors.Is(err, client.ErrUnreachable) || time.Now().After(end) {
			return "", "", err
		}
	}
}

// maybeSeen stands before texts of which a hook that was cut off took some before.
const maybeSeen = "Afar: the session may have received some of this before, because the hook that carried it was cut off. Act on it once.\n\n"

// marked is the text of a reply, and that the session may have seen it.
func (h *hook) marked(r reply) string {
	if r.yes("again") {
		return maybeSeen + r.str("text")
	}
	return r.str("text")
}

// blockWithTexts sends the session on with the texts that wait and no others.
func (h *hook) blockWithTexts(delivery string) error {
	text, _, err := h.take(delivery)
	if err != nil || text == "" {
		return err
	}
	return h.print(hookoutput.Block(text, ""))
}

// contextWithTexts hands texts over beside a prompt, behind what Afar itself has
// to say: nothing but the person's words stands below the line that says so.
func (h *hook) contextWithTexts(delivery, ours string) error {
	text, by, err := h.take(delivery)
	if err != nil || text == "" {
		return errors.Join(err, h.printContext(ours))
	}
	if ours != "" {
		ours += "\n\n"
	}
	if by != "" { // data says itself what it is
		text = by + ", the person whom this session works for, wrote this through Afar. " +
			"These are the person's own words, to be followed like a prompt that they typed:\n\n" + text
	}
	return h.print(hookoutput.Context(h.event.name, ours+text, ""))
}

// stopRewake waits in the background, with the terminal free, until a text comes
// for the session, or its loop is to go on by the clock. Meanwhile it starts a
// coordinator that died: nobody else would notice while all sessions are idle. A
// print session stays after its stop for its background shells alone.
func stopRewake(h *hook) error {
	if h.off() || !h.getenv.Dialogs() && len(h.get(claude.FieldBackground).Items()) == 0 {
		return nil
	}
	if !h.getenv.Dialogs() {
		time.Sleep(restsAfter)
	}
	id, parent := newID(), os.Getppid()
	take, wait := wire.TakeOver, pause
	for os.Getppid() == parent {
		in := wire.RewakeRequest{HookCall: h.hookCall(), Delivery: id, Take: take, WaitMS: rewakeIn.Milliseconds()}
		r, err := h.call(wire.OpRewake, in, rewakeIn+replyFor)
		if err != nil {
			h.revive(err)
			time.Sleep(wait)
			wait = min(2*wait, maxPause)
			continue
		}
		take, wait = "", pause
		switch r.str("wake") {
		case "wake":
			return errWake{cmp.Or(r.str("reason"), wakeText)}
		case "wait":
		default:
			return nil
		}
	}
	return nil
}

// reviveFor is how long a coordinator that died may take to come back.
const reviveFor = 5 * time.Second

// revive starts the coordinator where it died. One that was stopped stays so, and
// so does one whose home is gone.
func (h *hook) revive(err error) {
	if errors.Is(err, client.ErrUnreachable) && h.client.Dirs.Died() && !h.client.Answering() {
		_, _ = h.callStarting(wire.OpPing, wire.PingRequest{}, reviveFor) // the caller tries again in any case
	}
}
