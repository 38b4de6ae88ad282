//go:build !linux

package store

import "time"

// threadTime returns how long this thread has worked, 0 where the system does not say.
func threadTime() time.Duration { return 0 }
