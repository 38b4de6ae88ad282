// Package roomy grows a goroutine's stack in one step, before it is needed.
//
// A stack grows by doubling, and at each doubling the runtime walks its frames with
// tables that are not in the cache. Between the start of a hook and its answer that
// happens four times and takes a tenth of the hook's time. It happens once more in the
// coordinator that the hook asks. While the stack has few frames, it costs almost nothing.
//
// The package imports nothing, so that the main goroutine's stack grows before packages
// with a deep initialisation are initialised. BenchmarkHook and BenchmarkStop measure the
// effect.
package roomy

// room is the stack that a hook needs to judge a command with the scripts that it runs, in
// bytes. The runtime takes the next power of two. Only the pages that are used are loaded.
const room = 62 << 10

func init() { Grow() }

// Grow gives the calling goroutine's stack room for about 62 kB more.
func Grow() { grow(false) }

// grow has a frame of that size in its code, but does not use it.
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
