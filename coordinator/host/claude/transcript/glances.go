package transcript

import (
	"os"
	"sync"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/usage"
)

// Glances remembers what the files of sessions say, and reads a transcript again only once
// it has changed. The zero value remembers nothing. It is safe for concurrent use.
type Glances struct {
	mu   sync.Mutex
	seen map[string]*glanced // by transcript
}

// A glanced is what a transcript said when it was read last.
type glanced struct {
	mu    sync.Mutex // held while the transcript is read
	stamp stamp
	usage.Glance
	meter meter
	end   int64 // the meter has read the bytes before it
}

// How much of a transcript one Glance adds up, and how much is never added up, in bytes. A
// session's cost is unknown until all is read.
const (
	spentAtOnce = 4 << 20
	spentMost   = 256 << 20
)

// A stamp tells whether a file has changed.
type stamp struct {
	size int64
	at   time.Time
}

// mostGlances bounds what is remembered.
const mostGlances = 1000

// Glance is like the function Glance, and adds what the session has spent and what it does.
func (g *Glances) Glance(path string) usage.Glance {
	info, err := os.Stat(path)
	if err != nil {
		return usage.Glance{}
	}
	v := g.of(path)
	v.mu.Lock()
	defer v.mu.Unlock()
	now := stamp{info.Size(), info.ModTime()}
	if v.stamp == now {
		return v.Glance
	}
	v.Glance = Glance(path)
	if v.count(path, now.size) {
		v.Spent, v.stamp = v.meter.total(), now
	}
	if steps := Steps(path, 1); len(steps) > 0 && !steps[0].Ended {
		v.Doing = &steps[0]
	}
	return v.Glance
}

// count adds up some more of a transcript. It reports whether nothing is left to read.
func (v *glanced) count(path string, size int64) (done bool) {
	if size < v.end || v.meter.slots == nil { // another file under the same name, or the first look
		v.meter, v.end = meter{slots: map[time.Time]float64{}}, 0
	}
	if size-v.end > spentMost {
		return true
	}
	from := v.end
	v.end = v.meter.read(path, from, spentAtOnce)
	return size-from <= spentAtOnce || v.end == from // all is read, or a line is too long
}

// Spent returns what a session used since a time, as far as its transcript was read, in no
// order. The newest answer is left out: it may go on.
func (g *Glances) Spent(path string, since time.Time) (out []usage.Spent) {
	g.Glance(path)
	v := g.of(path)
	v.mu.Lock()
	defer v.mu.Unlock()
	for at, usd := range v.meter.slots {
		if !at.Before(since) {
			out = append(out, usage.Spent{At: at, USD: usd})
		}
	}
	return out
}

func (g *Glances) of(path string) *glanced {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.seen) >= mostGlances || g.seen == nil {
		g.seen = map[string]*glanced{}
	}
	v := g.seen[path]
	if v == nil {
		v = &glanced{}
		g.seen[path] = v
	}
	return v
}
