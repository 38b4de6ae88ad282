package door

import (
	"slices"
	"testing"
)

// TestBacklog checks that the work after replies is done once and in order, and that a caller
// can wait for its end.
func TestBacklog(t *testing.T) {
	var b backlog
	var done []int
	step := func(n int) func() { return func() { done = append(done, n) } }
	begun, goOn, over := make(chan struct{}), make(chan struct{}), make(chan struct{})
	b.add([]func(){step(1), func() { close(begun); <-goOn }, step(2)})
	go b.work()
	<-begun
	go func() {
		b.add([]func(){step(3)})
		b.work()
		close(over)
	}()
	select {
	case <-over:
		t.Fatal("somebody went on while it was done")
	default:
	}
	close(goOn)
	<-over
	b.work()
	if want := []int{1, 2, 3}; !slices.Equal(done, want) {
		t.Errorf("done were %v, want %v", done, want)
	}
}
