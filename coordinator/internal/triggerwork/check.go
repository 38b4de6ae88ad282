package triggerwork

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/trigger"
)

// afterCheck runs the check of a rule, and sends s if it passes. A check that is run no more sends
// why.
func (w *Worker) afterCheck(
	ctx context.Context, t trigger.Trigger, r trigger.Rule, f trigger.Firing, s feature.Sending,
) (wait time.Duration, err error) {
	passed, failed, err := w.check(ctx, t, r, f)
	switch {
	case errors.Is(err, errAsked):
		return 0, nil
	case err != nil:
		return 0, err
	case ctx.Err() != nil:
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

// errAsked says that the person is asked about a check, which was not run.
var errAsked = errors.New("the person is asked")

// check runs the check of a rule. The guard judges that of a session each time. If the check runs other
// files than the person allowed, or is risky in another way, they are asked again, and the error is
// errAsked.
func (w *Worker) check(
	ctx context.Context, t trigger.Trigger, r trigger.Rule, f trigger.Firing,
) (passed bool, failed string, err error) {
	if !t.Own {
		passed, failed = w.command(ctx, r, r.Check, "")
		return passed, failed, nil
	}
	j, err := w.cfg.Judge(ctx, r.Check, r.Dir)
	switch {
	case err != nil:
		return false, "", err
	case j.Denied:
		return false, "the guard does not let it run: " + j.Risk, nil
	case j.Risk != t.Risk, j.Runs != t.Runs:
		if _, over := t.Looked(r, f, ""); over != "" {
			return false, "", nil
		}
		if err := w.askAgain(t, r, f, j); err != nil {
			return false, "", err
		}
		return false, "", errAsked
	}
	passed, failed = w.command(ctx, r, r.Check, "")
	return passed, failed, nil
}

// askAgain asks the person about a check that is no longer what they allowed.
func (w *Worker) askAgain(t trigger.Trigger, r trigger.Rule, f trigger.Firing, j Judgement) error {
	about := ask.About{Trigger: string(t.Name), Rule: t.Text, Runs: j.Runs, Risk: j.Risk, Again: true}
	a := ask.NewWakeUp(session.ID(t.For), about, r.Check, r.Prompt, r.Dir)
	a.Why = j.Risk
	a.Does = "go on running it: the files that it runs have changed since you allowed it"
	if j.Runs == t.Runs {
		a.Does = "go on running it: the guard sees another risk in it than when you allowed it"
	}
	return w.cfg.Core.AskWakeAgain(a, f.ID, r.Until)
}

// act carries out an action of feature.LaneTriggers. Doing it twice comes to the same.
func (w *Worker) act(_ context.Context, a store.Action) error {
	if a.Kind == feature.ActClear {
		w.clear()
		return nil
	}
	var in feature.Waking
	if err := json.Unmarshal([]byte(a.Data), &in); err != nil || a.Kind != feature.ActWake {
		return core.GiveUp(fmt.Errorf("unknown action %q", a.Kind))
	}
	if t, known := w.cfg.Core.Trigger(in.Trigger); known && t.Hash == trigger.Hash(in.Rule) && t.Risk == in.Risk && t.Runs == in.Runs {
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
