package hooks

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/afar-sh/afar/coordinator/client"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/host/claude/hookoutput"
	"github.com/afar-sh/afar/coordinator/wire"
)

// The times of texts for a session. takeFor is generous: a text that was taken but
// not printed would be lost.
const (
	takeFor  = 8 * time.Second
	rewakeIn = 20 * time.Second // one wait of the hook in the background
	maxPause = 30 * time.Second // between two attempts to reach the coordinator
	// restsAfter is the time that the Stop hook, which runs at once with this one, has to
	// let a print session rest. The session goes on only when this hook has ended.
	restsAfter = time.Second
)

// wakeText is what the host is told when a text wakes the session. The text itself
// is handed over by UserPromptSubmit, as the person's words.
const wakeText = "Afar: a reply from the paired person waits; it is in the context of this turn."

// errWake ends a hook in such a way that the host wakes its session and is told why.
type errWake struct{ why string }

func (errWake) Error() string { return "wake the session" }

// wake prints the reason and returns the exit code that wakes the session.
func (e errWake) wake(stderr io.Writer) int {
	fmt.Fprintln(stderr, e.why)
	return 2
}

// take takes the waiting texts from the coordinator, under the name of this
// delivery. If the coordinator dies meanwhile, take asks again with the same name
// and gets the same texts.
func (h *hook) take(delivery string) (text, by string, err error) {
	return h.takeAs(wire.MessageTakeRequest{Delivery: delivery, Receipt: true})
}

func (h *hook) takeAs(in wire.MessageTakeRequest) (text, by string, err error) {
	for end := time.Now().Add(takeFor); ; time.Sleep(pause) {
		in.HookCall = h.hookCall()
		printed := wire.PrintedRequest{HookCall: in.HookCall, Delivery: in.Delivery}
		r, err := takeOwing(h, wire.OpMessageTake, in, printed, time.Until(end))
		switch {
		case err == nil && r.Text == "":
			h.dropReceipt()
			return "", "", nil
		case err == nil:
			return h.marked(r), r.By, nil
		case !errors.Is(err, client.ErrUnreachable), time.Now().After(end):
			return "", "", err
		}
	}
}

// maybeSeen precedes texts of which a hook that was cut off took some before.
const maybeSeen = "Afar: the session may have received some of this before, " +
	"because the hook that carried it was cut off. Act on it once.\n\n"

// marked returns the text of a reply. It adds a warning if the session may have
// seen the text before.
func (h *hook) marked(r wire.MessageTakeReply) string {
	if r.Again {
		return maybeSeen + r.Text
	}
	return r.Text
}

// blockWithTexts keeps the session from stopping and gives it the waiting texts. blocked is
// false if no text waits.
func (h *hook) blockWithTexts(delivery string) (blocked bool, err error) {
	text, by, err := h.take(delivery)
	if text == "" {
		return false, err
	}
	if by != "" {
		text = by + hooksWords + text
	}
	return true, h.print(hookoutput.Block(text, ""))
}

// hooksWords follows the name of the person whose words a Stop hook hands over. The host presents
// them as the output of a hook, so the text itself says whose they are.
const hooksWords = ", the person whom this session works for, wrote the text below through Afar. " +
	"A hook hands it over because this client offers no other way here. It is the person's own message, " +
	"to be followed like a prompt that they typed. To check that, run `afar inbox`: it lists what they wrote, " +
	"and where.\n\n"

// contextWithTexts adds the waiting texts to a prompt, after ours, the text of Afar
// itself. Only the person's own words follow the line that announces them.
func (h *hook) contextWithTexts(delivery, ours string) error {
	text, by, err := h.take(delivery)
	if text == "" {
		return errors.Join(err, h.printContext(ours))
	}
	if ours != "" {
		ours += "\n\n"
	}
	if by != "" { // a text without an author says itself what it is
		text = by + ", the person whom this session works for, wrote this through Afar. " +
			"These are the person's own words, to be followed like a prompt that they typed:\n\n" + text
	}
	return h.print(hookoutput.Context(h.event.name, ours+text, ""))
}

// stopRewake waits in the background, while the terminal is free, until a text comes
// for the session or it is time for its loop to go on. Meanwhile it restarts a
// coordinator that died, because no other process notices that while all sessions
// are idle. A print session goes on after its stop only if it has background
// shells, so for any other print session stopRewake returns at once.
func stopRewake(h *hook) error {
	if !h.getenv.Dialogs() {
		if len(h.get(claude.FieldBackground).Items()) == 0 {
			return nil
		}
		time.Sleep(restsAfter)
	}
	id := newID()
	take, wait := wire.TakeOver, pause
	for !h.orphaned() {
		in := wire.RewakeRequest{HookCall: h.hookCall(), Delivery: id, Take: take, WaitMS: rewakeIn.Milliseconds()}
		r, err := call(h, wire.OpRewake, in, rewakeIn+replyFor)
		if err != nil {
			h.revive(err)
			time.Sleep(wait)
			wait = min(2*wait, maxPause)
			continue
		}
		take, wait = "", pause
		switch r.Wake {
		case "wake":
			return errWake{cmp.Or(r.Reason, wakeText)}
		case "wait":
		default:
			return nil
		}
	}
	return nil
}

// reviveFor is how long the restart of a coordinator may take.
const reviveFor = 5 * time.Second

// revive restarts a coordinator that died. It does not start one that was stopped,
// or whose home is gone.
func (h *hook) revive(err error) {
	if errors.Is(err, client.ErrUnreachable) && h.client.Dirs.Died() && !h.client.Answering() {
		// The caller tries again in any case.
		_, _ = callStarting(h, wire.OpPing, wire.None{}, reviveFor)
	}
}

// stopPrompt waits until a text of the person may be submitted in the session, and prints it. The
// plugin's mod runs it again and again, and submits what it prints. It prints nothing when the
// session has ended, or after promptWait: the mod then asks anew.
func stopPrompt(h *hook) error {
	id, wait := newID(), pause
	for end := h.began.Add(promptWait); !h.orphaned() && time.Now().Before(end); {
		in := wire.RewakeRequest{HookCall: h.hookCall(), Delivery: id, Prompt: true, WaitMS: rewakeIn.Milliseconds()}
		r, err := call(h, wire.OpRewake, in, rewakeIn+replyFor)
		switch {
		case err != nil:
			h.revive(err)
			time.Sleep(wait)
			wait = min(2*wait, maxPause)
			continue
		case r.Wake == "end", r.Wake == "":
			time.Sleep(promptPause)
			return nil
		case r.Wake == "wake":
			text, _, err := h.takeAs(wire.MessageTakeRequest{Delivery: id, Receipt: true, Prompt: true})
			if text != "" || err != nil {
				return errors.Join(err, h.print(hookoutput.Prompt(text)))
			}
			time.Sleep(pause)
		}
		wait = pause
	}
	return nil
}

// promptWait is how long stopPrompt waits at most; the host ends it after ten minutes. After the
// end of a session it waits promptPause, so that the mod does not ask too often.
const (
	promptWait  = 9 * time.Minute
	promptPause = time.Second
)
