package triggerwork

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/trigger"
)

// afterCheck runs the check of a rule, and sends s if it passes. A check that is run no more sends
// why.
func (w *Worker) afterCheck(
	ctx context.Context, t trigger.Trigger, r trigger.Rule, f trigger.Firing, s core.Sending,
) (wait time.Duration, err error) {
	passed, failed := w.check(ctx, t, r)
	if ctx.Err() != nil {
		return 0, ctx.Err() // it begins again at the next start
	}
	if !passed {
		_, over := t.Looked(r, f, failed)
		if over == "" {
			return 0, w.cfg.Core.NotYet(f.ID, failed)
		}
		s.Over = over
		s.Text = fmt.Sprintf("What you wait for has not happened: %s. Nobody looks any more. Your text was:\n\n%s",
			over, s.Text)
	}
	wait, err = w.cfg.Core.SendFiring(s)
	w.clear()
	return wait, err
}

// check runs the check of a rule. The guard judges that of a session each time: the files that it
// runs may have changed.
func (w *Worker) check(ctx context.Context, t trigger.Trigger, r trigger.Rule) (passed bool, failed string) {
	if t.Own {
		if why, denied := w.cfg.Judge(r.Check, r.Dir); denied || why != "" && why != t.Risk {
			return false, "the guard does not let it run: " + why
		}
	}
	return w.command(ctx, r, r.Check, "")
}

// act carries out an action of core.LaneTriggers. Doing it twice comes to the same.
func (w *Worker) act(_ context.Context, a store.Action) error {
	var in core.Waking
	if err := json.Unmarshal([]byte(a.Data), &in); err != nil || a.Kind != core.ActWake {
		return core.GiveUp(fmt.Errorf("unknown action %q", a.Kind))
	}
	if t, known := w.cfg.Core.Trigger(in.Trigger); known && t.Hash == trigger.Hash(in.Rule) {
		return nil // it was done before
	}
	if err := w.cfg.Folder.Create(in.Trigger, in.Rule); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return w.cfg.Core.ApproveWake(in)
}

// clear removes the triggers that sessions made for themselves and that are over.
func (w *Worker) clear() {
	for _, t := range w.cfg.Core.Triggers() {
		if !t.Over {
			continue
		}
		err := w.cfg.Folder.Remove(t.Name)
		if err == nil {
			_, err = w.cfg.Core.RemoveTrigger(t.Name, "Afar, as it is over")
		}
		if err != nil && !errors.Is(err, core.ErrNotFound) { // another look was first
			w.cfg.Log.Error("remove a wake-up that is over", "trigger", t.Name, "err", err)
		}
	}
}
