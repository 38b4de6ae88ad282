package triggerwork

import (
	"time"

	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/trigger"
)

const (
	dailyBack = 24 * time.Hour     // what the first morning message is about
	dailyMost = 7 * 24 * time.Hour // what any is about at most
	// quietGlance is the longest time between two looks whether the quiet hours are over: a timer does not
	// advance while the machine sleeps.
	quietGlance = 30 * time.Second
)

// daily sends the morning message: what happened since the last one. In quiet hours it waits for their end, so
// that it says how things stand then. It sends nothing where there is nothing to say.
func (w *Worker) daily(t trigger.Trigger, f trigger.Firing) (wait time.Duration, err error) {
	if left := w.cfg.Core.QuietFor(); left > 0 {
		return min(left, quietGlance), nil
	}
	since := f.At.Add(-dailyBack)
	if t.Last.After(f.At.Add(-dailyMost)) {
		since = t.Last
	}
	text, err := w.cfg.Daily(since)
	switch {
	case err != nil:
		return 0, err
	case text == "":
		return 0, w.cfg.Core.EndFiring(f.ID, trigger.Dropped, "there was nothing to say")
	}
	return w.cfg.Core.SendFiring(feature.Sending{
		Firing: f.ID, Hash: t.Hash, To: message.Address{Kind: message.ToPerson}, Text: text,
	})
}
