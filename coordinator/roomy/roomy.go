// Package roomy grows a goroutine's stack in one step, before anybody waits for it.
//
// A stack grows by doubling, and at each doubling the runtime walks its frames
// with tables that nobody has touched for a while, or ever: four times between the
// start of a hook and its answer, for a tenth of the hook's whole time, and once
// more in the coordinator that it asks. Grown while hardly a frame stands on it, it
// costs next to nothing.
//
// The package imports nothing, so that the main goroutine's stack is grown before
// the packages are initialised whose initialisation goes deep. BenchmarkHook and
// BenchmarkStop show what it is worth.
package roomy

// room is what a hook that judges a plain command needs; the runtime takes the
// next power of two.
const room = 14 << 10

func init() { Grow() }

// Grow gives the calling goroutine's stack room for some 14 kB more.
func Grow() { grow(false) }

// grow has a frame of that size, and touches none of it.
//
//go:noinline
func grow(touch bool) byte {
	if !touch {
		return 0
	}
	var frame [room]byte
	fill(&frame)
	return frame[room-1]
}

//go:noinline
func fill(frame *[room]byte) { frame[0]++ }
