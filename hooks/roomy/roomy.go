// Package roomy gives the main goroutine a stack that a hook does not outgrow.
//
// A stack grows by doubling, and at each doubling the runtime walks its frames
// with tables that a fresh process has not touched yet: four times between the
// start of a hook and its answer, for a tenth of the hook's whole time. Grown in
// one step while hardly a frame stands on it, it costs next to nothing.
//
// The package imports nothing, so that it is initialised before the packages
// whose initialisation goes deep. BenchmarkHook shows what it is worth.
package roomy

// room is what a hook that judges a plain command needs; the runtime takes the
// next power of two.
const room = 14 << 10

func init() { grow(false) }

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
