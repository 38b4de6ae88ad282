package demo

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/wire"
)

// Limits of the waits. While a person is asked there is none.
const (
	actFor  = 30 * time.Second       // an act may take without the person
	lookFor = 500 * time.Millisecond // one look at the journal
	restFor = 1500 * time.Millisecond
)

// tell plays the story, act after act.
func (d *demo) tell(ctx context.Context) error {
	for i, act := range story {
		d.Tell(Title, fmt.Sprintf("%d/%d  %s", i+1, len(story), act.title))
		for line := range strings.Lines(act.tells) {
			d.Tell(Tale, strings.TrimRight(line, "\n"))
		}
		d.rest(ctx)
		err := d.setAway(ctx, act.away)
		close(d.acts[i])
		if err == nil {
			err = d.play(ctx, act)
		}
		if err != nil {
			d.tellJournal(ctx)
			return fmt.Errorf("act %d, %q: %w", i+1, act.title, err)
		}
	}
	return d.end(ctx)
}

func (d *demo) setAway(ctx context.Context, mode string) error {
	if mode == "" {
		return nil
	}
	return call(ctx, d, wire.OpAway, wire.AwayRequest{Mode: mode}, nil, 0)
}

// tellJournal shows the journal, for an act that did not happen as told.
func (d *demo) tellJournal(ctx context.Context) {
	if ctx.Err() != nil {
		return
	}
	var r wire.LogReply
	_ = call(ctx, d, wire.OpLog, wire.LogRequest{Limit: 50, Last: true}, &r, 0) // it has ended, perhaps
	for _, e := range r.Entries {
		d.Tell(Aside, e.Kind+"  "+e.Text)
	}
}

// rest gives a person time to read.
func (d *demo) rest(ctx context.Context) {
	if d.Yes {
		return
	}
	select {
	case <-time.After(restFor):
	case <-ctx.Done():
	}
}

// play returns when an act is over.
func (d *demo) play(ctx context.Context, a act) error {
	agreed := true
	var err error
	switch a.wish {
	case allow, answer:
		agreed, err = d.settle(ctx)
	case takeBack:
		agreed, err = d.undo(ctx)
	}
	if err != nil || !agreed {
		return err
	}
	if err := d.await(ctx, a.ends); err != nil {
		return err
	}
	for _, p := range a.proof {
		if !d.find(p) {
			return fmt.Errorf("the journal has no %s with %q", p.kind, p.text)
		}
	}
	d.Tell(Result, a.then)
	return nil
}

// await waits for the entry of the journal that a proof names.
func (d *demo) await(ctx context.Context, p proof) error {
	for end := time.Now().Add(actFor); !d.find(p); {
		if time.Now().After(end) {
			return fmt.Errorf("the journal has no %s with %q after %s", p.kind, p.text, actFor)
		}
		if err := d.look(ctx); err != nil {
			return err
		}
	}
	return nil
}

// find reports whether an entry that was seen is what a proof names. The entry proves nothing more
// after that.
func (d *demo) find(p proof) bool {
	at := slices.IndexFunc(d.seen, func(e wire.Entry) bool {
		return e.Kind == p.kind && strings.Contains(e.Text, p.text)
	})
	if at < 0 {
		return false
	}
	d.seen = slices.Delete(d.seen, at, at+1)
	return true
}

// look reads what is new in the journal, and waits a moment for it. It returns an error if the
// session has ended.
func (d *demo) look(ctx context.Context) error {
	select {
	case err := <-d.over:
		d.over <- err
		if err != nil {
			return fmt.Errorf("the session: %w", err)
		}
	default:
	}
	in := wire.LogRequest{After: d.last, Limit: 1000, WaitMS: lookFor.Milliseconds()}
	var r wire.LogReply
	if err := call(ctx, d, wire.OpLog, in, &r, lookFor); err != nil {
		return err
	}
	for _, e := range r.Entries {
		d.last = e.Seq
	}
	d.seen = append(d.seen, r.Entries...)
	return nil
}

// end shows the report and says how long the demo took.
func (d *demo) end(ctx context.Context) error {
	r, err := d.report(ctx)
	if err != nil {
		return err
	}
	d.Tell(Title, "What `afar report` says about it")
	d.Report(r)
	return d.linger(ctx)
}

// linger leaves the page to a person who looks around on it.
func (d *demo) linger(ctx context.Context) error {
	if !d.hasPage {
		return nil
	}
	d.Tell(Wish, "Look around on the page. Enter ends the demo and removes everything.")
	select {
	case <-d.Typed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
