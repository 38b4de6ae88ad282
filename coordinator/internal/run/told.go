package run

import (
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/session"
)

// maxTold bounds the result that a message shows, in bytes. A longer one comes as a file.
const maxTold = 2 << 10

// toldEvery is the shortest time between two ends of turns that are told, except those of
// turns that a person asked for.
const toldEvery = time.Minute

// A TurnEnd is the end of a turn, as the person is told of it.
type TurnEnd struct {
	Run     ID      `json:"run"`
	Turn    int64   `json:"turn"`
	Name    string  `json:"name"`
	Dir     string  `json:"dir"`
	State   State   `json:"state"` // idle, failed or stopped
	Why     string  `json:"why,omitempty"`
	Result  string  `json:"result,omitempty"`
	CostUSD float64 `json:"cost_usd,omitempty"` // of the run so far
	About   string  `json:"about,omitempty"`    // what the run is to do, in one line
}

// Sign returns a picture of how the turn ended.
func (e TurnEnd) Sign() string {
	switch e.State {
	case Failed:
		return "⚠️"
	case Stopped:
		return "⏹"
	}
	return "✅"
}

// Words says how the turn ended: "is done with turn 2, $0.50 so far".
func (e TurnEnd) Words() string {
	switch {
	case e.State == Failed:
		return "failed"
	case e.State == Stopped:
		return "has stopped"
	case e.CostUSD >= 0.005:
		return fmt.Sprintf("is done with turn %d, $%.2f so far", e.Turn, e.CostUSD)
	}
	return fmt.Sprintf("is done with turn %d", e.Turn)
}

// Said returns what the person is told besides: why it failed, or the result.
func (e TurnEnd) Said() string {
	switch e.State {
	case Failed:
		return e.Why
	case Stopped:
		return ""
	}
	return e.Result
}

// Long reports whether the result comes as a file.
func (e TurnEnd) Long() bool { return len(e.Said()) > maxTold }

// Tell returns how the turn of r ended, and when the person is told. ok is false if nobody is
// told: the turn goes on, whoever started r gets its result, or the result is session.NoReply. A
// run that a trigger made for one text is done then.
func Tell(r Run, now time.Time) (_ Run, e TurnEnd, at time.Time, ok bool) {
	if r.Parent != "" || !r.Settled() || r.Ephemeral && r.Trigger == "" {
		return r, e, at, false
	}
	silent := r.State == Idle && session.Silent(r.Result)
	if next, err := HandOver(r, now); silent && err == nil {
		return next, e, at, false
	}
	e = TurnEnd{
		Run:     r.ID,
		Turn:    r.Fence,
		Name:    r.Name,
		Dir:     r.Dir,
		State:   r.State,
		Why:     r.Why,
		CostUSD: r.CostUSD,
		About:   r.About,
	}
	if r.State == Idle {
		e.Result = r.Result
	}
	if at = r.ToldAt.Add(toldEvery); at.Before(now) || r.Turn.For != "" {
		at = now
	}
	r.ToldAt = at
	r, err := HandOver(r, now)
	return r, e, at, err == nil
}

// Told returns r after Tell has returned told for it.
func Told(r, told Run) Run {
	if r.ToldAt = told.ToldAt; r.State == Idle && told.State == Done {
		r.State, r.Since = told.State, told.Since
	}
	return r
}
