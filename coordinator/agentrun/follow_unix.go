//go:build unix

package agentrun

import (
	"bytes"
	"context"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/afar-sh/afar/coordinator/host"
	"github.com/afar-sh/afar/coordinator/internal/disk"
	"github.com/afar-sh/afar/coordinator/wire"
)

// lookEvery is how often the output is read if the system reports no change.
const lookEvery = time.Second

// follow reads the output of a Streamer until it has ended, and reports the end.
func (t *turn) follow(stream host.Stream) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	out, err := os.Open(t.file("out"))
	if err != nil {
		return err
	}
	defer out.Close()
	changed := make(chan struct{}, 1)
	go func() {
		_ = disk.Watch(ctx, t.dir(), func() { // without it, the look every second is left
			select {
			case changed <- struct{}{}:
			default:
			}
		})
	}()
	t.agent.ask = func() { t.agent.signal(t.agent.pid, syscall.SIGINT) }
	if t.spec.Stop {
		t.interrupt()
	}
	r := &tail{file: out}
	see := func(line string) {
		t.see(stream.Read(line))
		t.refuse(stream.Refused())
	}
	for {
		r.read(see)
		t.look()
		next := time.NewTimer(min(lookEvery, t.untilClock()))
		select {
		case <-changed:
		case <-next.C:
		case s := <-t.told:
			t.heed(s)
		case <-t.reporter.stale:
			t.agent.kill()
			<-t.agent.over
			return nil
		case x := <-t.agent.over:
			r.read(see)
			r.rest(see)
			t.agent.release()
			return t.end(t.result(x))
		}
		next.Stop()
	}
}

// untilClock returns when the next clock runs out.
func (t *turn) untilClock() time.Duration {
	_, at := t.watch.Next()
	return max(time.Until(at), 0)
}

// waitsFor bounds the question whether the turn waits for a person.
const waitsFor = 5 * time.Second

// look ends a turn whose clock ran out, unless it waits for a person, and presses on with
// an agent that does not end.
func (t *turn) look() {
	t.agent.press(time.Now())
	clock, at := t.watch.Next()
	if time.Now().Before(at) || t.over.Clock != "" {
		return
	}
	var out wire.RunClockReply
	err := call(t, wire.OpRunClock, wire.RunTurnRequest{ID: t.id, Turn: t.fence}, &out, waitsFor)
	if err != nil || out.Waits {
		t.watch.Hold(time.Now())
		return
	}
	t.over.Clock = clock
	t.interrupt()
}

// heed does what a signal asks for: to yield because Afar stops, or to end the turn.
func (t *turn) heed(s os.Signal) {
	if s != syscall.SIGHUP {
		t.over.Told = true
		t.interrupt()
		return
	}
	t.over.Yields = true
	t.agent.kill()
	time.AfterFunc(yieldFor, func() { os.Exit(1) }) // the coordinator may be gone
}

// yieldFor is how long the report of a turn that yields may take.
const yieldFor = 4 * time.Second

// interrupt asks the agent to end its turn, and presses on if it does not.
func (t *turn) interrupt() { t.agent.interrupt(t.times().Leaving) }

// A tail reads the lines that are added to a file.
type tail struct {
	file io.Reader
	held []byte // the beginning of a line
}

// maxLine bounds one line of the output. The rest of a longer line is another one.
const maxLine = 64 << 20

// read passes on the lines that are complete.
func (r *tail) read(see func(string)) {
	chunk := make([]byte, 64<<10)
	for {
		n, err := r.file.Read(chunk)
		for line := range bytes.Lines(chunk[:n]) {
			r.held = append(r.held, line...)
			if line[len(line)-1] == '\n' || len(r.held) > maxLine {
				r.rest(see)
			}
		}
		if n == 0 || err != nil {
			return
		}
	}
}

// rest passes on a line without its end.
func (r *tail) rest(see func(string)) {
	if len(r.held) > 0 {
		see(string(r.held))
		r.held = nil
	}
}
