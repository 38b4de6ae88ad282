package store

import (
	"syscall"
	"time"
)

// threadTime returns how long this thread has worked: unlike the clock on the wall it does not count
// what else runs on the machine.
func threadTime() time.Duration {
	const thisThread = 1 // RUSAGE_THREAD
	var used syscall.Rusage
	if err := syscall.Getrusage(thisThread, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
