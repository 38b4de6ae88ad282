package demo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// settle has the person settle the question that the session asks now. agreed is false if the
// person refused the call.
func (d *demo) settle(ctx context.Context) (agreed bool, err error) {
	a, err := d.asked(ctx)
	if err != nil {
		return false, err
	}
	d.tellAsk(a)
	limit := time.Now().Add(actFor)
	for yes := yesTo(a); ; yes = "" {
		now, err := d.ask(ctx, a.ID)
		if err != nil {
			return false, err
		}
		if now.State != open {
			d.tellSettled(now)
			return now.Allow, nil
		}
		if err := d.within(limit); err != nil {
			return false, err
		}
		line, ok := d.line(ctx, yes)
		if !ok {
			continue
		}
		if err := d.answer(ctx, a, line); err != nil {
			return false, err
		}
	}
}

// listenFor is how long the demo listens for what is typed before it looks again.
const listenFor = 100 * time.Millisecond

const open = "open"

// answer answers a question with a line that was typed. Where a person typed it, what is wrong
// with it is no error: they try again.
func (d *demo) answer(ctx context.Context, a wire.Ask, line string) error {
	in, ok := answerOf(a, line)
	if !ok {
		d.Tell(Aside, "Type allow, or deny and why.")
		return nil
	}
	err := decide(ctx, d, wire.OpAnswer, in)
	if err == nil || d.Yes || ctx.Err() != nil {
		return err
	}
	d.Tell(Aside, err.Error())
	return nil
}

// asked waits for the session's next question. A person on the page may have answered it by then.
func (d *demo) asked(ctx context.Context) (a wire.Ask, err error) {
	for end := time.Now().Add(actFor); time.Now().Before(end); {
		asks, err := d.asks(ctx)
		if err != nil {
			return a, err
		}
		isNew := func(a wire.ReportedAsk) bool { return !slices.Contains(d.told, a.ID) }
		if i := slices.IndexFunc(asks, isNew); i >= 0 {
			d.told = append(d.told, asks[i].ID)
			return asks[i].Ask, nil
		}
		if err := d.look(ctx); err != nil {
			return a, err
		}
	}
	return a, fmt.Errorf("the session asked nothing for %s", actFor)
}

// ask returns a question as it is now.
func (d *demo) ask(ctx context.Context, id string) (a wire.Ask, err error) {
	asks, err := d.asks(ctx)
	if err != nil {
		return a, err
	}
	at := slices.IndexFunc(asks, func(a wire.ReportedAsk) bool { return a.ID == id })
	if at < 0 {
		return a, errors.New("the question is gone")
	}
	return asks[at].Ask, nil
}

// tellAsk shows a question, and how it is answered.
func (d *demo) tellAsk(a wire.Ask) {
	if a.Kind != wording.Question {
		d.Tell(Wish, fmt.Sprintf("%s %s: %s", a.Token, wording.Wants(a), a.Input))
		if a.Why != "" {
			d.Tell(Aside, a.Why)
		}
		d.wish("allow, or deny and why", "afar allow "+short(a))
		return
	}
	q := a.Questions[0] // the story asks one at a time
	d.Tell(Wish, fmt.Sprintf("%s %s: %s", a.Token, wording.Wants(a), q.Text))
	for i, o := range q.Options {
		d.Tell(Aside, fmt.Sprintf("%d. %s: %s", i+1, o.Label, o.Description))
	}
	d.wish("a number, or your own words", "afar answer "+short(a)+" --option 1")
}

// short returns enough of a question's id to name it.
func short(a wire.Ask) string { return cmp.Or(a.Short, a.ID) }

// wish says how the person decides.
func (d *demo) wish(words, command string) {
	if d.Yes {
		return
	}
	where := "Type "
	if d.hasPage {
		where = "Decide on the page, or type "
	}
	d.Tell(Wish, where+words+".")
	d.Tell(Aside, "Or in another terminal: AFAR_HOME="+d.room.AfarHome()+" "+command)
}

// tellSettled says who settled a question, and how.
func (d *demo) tellSettled(a wire.Ask) {
	switch {
	case a.By == "":
		d.Tell(Result, "Nobody answered.")
	case a.Kind == wording.Question && a.Allow:
		d.Tell(Result, fmt.Sprintf("Answered by %s: %s", a.By, a.Questions[0].Answer))
	case a.Allow:
		d.Tell(Result, "Allowed by "+a.By+".")
	default:
		d.Tell(Result, "Denied by "+a.By+". The call does not run.")
	}
}

// within returns an error if the demo has answered by itself and its answer had no effect. A person
// may take any time.
func (d *demo) within(limit time.Time) error {
	if d.Yes && time.Now().After(limit) {
		return fmt.Errorf("the answer had no effect after %s", actFor)
	}
	return nil
}

// yesTo returns what the demo types by itself.
func yesTo(a wire.Ask) string {
	if a.Kind == wording.Question {
		return "1"
	}
	return "allow"
}

// line returns what the person types next, if anything is typed within a moment. With Yes it is
// what yes says, unless that is empty.
func (d *demo) line(ctx context.Context, yes string) (string, bool) {
	if d.Yes && yes != "" {
		return yes, true
	}
	select {
	case line, ok := <-d.Typed:
		if !ok {
			d.Typed = nil
		}
		return strings.TrimSpace(line), strings.TrimSpace(line) != ""
	case <-time.After(listenFor):
	case <-ctx.Done():
	}
	return "", false
}

// answerOf returns the answer that a typed line means. ok is false if it means none.
func answerOf(a wire.Ask, line string) (in wire.AnswerRequest, ok bool) {
	in.ID = a.ID
	word, rest, _ := strings.Cut(line, " ")
	n, err := strconv.Atoi(line)
	switch {
	case a.Kind == wording.Question && err == nil:
		in.Options = []int{n}
	case a.Kind == wording.Question:
		in.Text = line
	case slices.Contains([]string{"allow", "a", "yes", "y"}, strings.ToLower(word)):
		in.Allow = true
	case slices.Contains([]string{"deny", "d", "no", "n"}, strings.ToLower(word)):
		in.Message = rest
	default:
		return in, false
	}
	return in, true
}

// decide makes a decision of the person: with the form of the page where the demo answers by
// itself, else at the terminal.
func decide[Request, Reply any](ctx context.Context, d *demo, op wire.Op[Request, Reply], in Request) error {
	if d.browser != nil {
		return d.browser.decide(ctx, in)
	}
	return call(ctx, d, op, in, nil, 0)
}

// undo has the person take the destructive step back. agreed is false if the person keeps it, or
// if it was never made.
func (d *demo) undo(ctx context.Context) (agreed bool, err error) {
	u, err := d.snapshot(ctx)
	if err != nil {
		return false, err
	}
	if u.RanAt == 0 {
		d.Tell(Result, "The drafts were not deleted, so there is nothing to take back.")
		return false, nil
	}
	d.Tell(Wish, fmt.Sprintf("%s: %s", u.Input, u.Holds))
	d.wish("undo, or keep", "afar undo "+u.ID)
	limit := time.Now().Add(actFor)
	for yes := "undo"; u.State == "ready"; yes = "" {
		if err := d.within(limit); err != nil {
			return false, err
		}
		line, ok := d.line(ctx, yes)
		switch {
		case ok && line == "keep":
			d.Tell(Result, "The step stays. It can be undone for 24 hours: on the page, or with afar undo.")
			return false, nil
		case ok && line == "undo":
			if err := decide(ctx, d, wire.OpUndo, wire.UndoRequest{ID: u.ID}); err != nil {
				return false, err
			}
		}
		if u, err = d.snapshot(ctx); err != nil {
			return false, err
		}
	}
	return true, nil
}

// snapshot returns the snapshot of the destructive step.
func (d *demo) snapshot(ctx context.Context) (u wire.Undo, err error) {
	var r wire.UndosReply
	if err := call(ctx, d, wire.OpUndos, wire.None{}, &r, 0); err != nil {
		return u, err
	}
	for _, one := range r.Undos {
		if one.Undoes == "" {
			u = one
		}
	}
	return u, nil
}
