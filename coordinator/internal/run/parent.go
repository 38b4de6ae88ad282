package run

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/text"
)

// ErrDepth says that a run would be too many levels below what a person started.
var ErrDepth = errors.New("too many levels of runs")

// CheckDepth returns an error if a run may not be at a depth. most is how many levels there
// may be below what a person started.
func CheckDepth(depth, most int) error {
	switch {
	case depth <= most:
		return nil
	case most == 0:
		return fmt.Errorf("%w: no run may be proposed (runs.depth = 0)", ErrDepth)
	}
	return fmt.Errorf("%w: this run is at level %d below what the person started, and runs.depth is %d; "+
		"do the work here, or say in the result what is left", ErrDepth, depth-1, most)
}

// maxInline bounds the result that a parent gets in its message, in bytes. A longer one is a
// file.
const maxInline = 2048

// A Report is what the parent of a run is told about its end.
type Report struct {
	Text string // at most maxInline bytes of the result, after a line that says how the run ended
	File string // the whole result if Text does not hold it, else ""
}

// HandUp returns the report about r for its parent, once: when nothing happens to r by itself
// any more. ok is false if there is none.
func HandUp(r Run, now time.Time) (next Run, report Report, ok bool) {
	if r.Parent == "" || r.Reported || !r.Settled() {
		return r, report, false
	}
	result := r.Result
	if r.State != Idle {
		result = cmp.Or(r.Why, r.Result)
	}
	r.Reported = true
	report.Text = fmt.Sprintf("Run %s %s.", r.Name, r.ended())
	if r.Ephemeral && r.State == Idle {
		r = r.to(Done, now)
	}
	if len(result) > maxInline {
		report.File, result = result, text.ClipBytes(result, maxInline-len("…"))
	}
	if result != "" {
		report.Text += "\n\n" + result
	}
	return r, report, true
}

// ended says in words how r ended.
func (r Run) ended() string {
	switch r.State {
	case Failed:
		return "failed"
	case Stopped:
		return "was stopped"
	}
	if r.Why != "" {
		return "ended because " + r.Why
	}
	return "is done, and this is its result"
}

// Tree returns runs in their order, but each after the one that proposed it.
func Tree(all []Run) []Run {
	known, below := map[string]bool{}, map[string][]Run{}
	for _, r := range all {
		known[r.Conversation] = true
	}
	for _, r := range all {
		parent := r.Parent
		if !known[parent] {
			parent = ""
		}
		below[parent] = append(below[parent], r)
	}
	out := make([]Run, 0, len(all))
	var add func(parent string)
	add = func(parent string) {
		for _, r := range below[parent] {
			out = append(out, r)
			if r.Conversation != "" {
				add(r.Conversation)
			}
		}
	}
	add("")
	return out
}
