//go:build unix

package agentrun

import (
	"context"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/afar-sh/afar/coordinator/host"
	"github.com/afar-sh/afar/coordinator/host/claude/hookcall"
	"github.com/afar-sh/afar/coordinator/internal/run"
)

// A dialogue is a turn of a Talker. Its loop alone touches the fields; hooks run beside it.
type dialogue struct {
	*turn

	adapter host.Talker
	talk    host.Talk // nil until the hooks of the start have ended
	hooks   *hooks
	lines   chan string    // of the agent, closed at the end of its output
	pen     chan string    // lines for the agent
	done    chan func()    // what follows in the loop when a hook has ended
	running int            // steps that wait for a hook
	reports sync.WaitGroup // of outcomes

	allowed map[string][]host.Call // calls that were allowed, by the agent's id
	last    string                 // what the agent said last
	again   bool                   // a Stop hook has continued the turn
	told    bool                   // to end the turn
	halted  bool                   // by a hook
	left    bool                   // the agent was told that nothing more comes
	forgot  bool                   // the turn ended before the agent got what a hook had for it
}

// maxUnread bounds the lines that an agent does not read.
const maxUnread = 1000

// converse talks with the agent until it has ended, and reports the end.
func (t *turn) converse(adapter host.Talker) error {
	if t.agent.in == nil { // an agentrun that died had started it
		<-t.agent.over
		t.agent.release()
		return t.end(run.End{Exit: -1, Words: "the process that drove it ended", Spoken: true})
	}
	d := &dialogue{
		turn:    t,
		adapter: adapter,
		lines:   make(chan string),
		pen:     make(chan string, maxUnread),
		done:    make(chan func()),
		allowed: map[string][]host.Call{},
	}
	var err error
	if d.hooks, err = t.newHooks(); err != nil {
		t.over.Refused = err.Error()
		t.agent.kill()
		return t.end(t.result(<-t.agent.over))
	}
	t.agent.ask = d.interruptTalk
	go d.write()
	d.begin()
	if t.spec.Stop {
		t.interrupt()
	}
	return d.loop()
}

// loop handles what happens until the agent has ended.
func (d *dialogue) loop() error {
	for {
		d.look()
		next := time.NewTimer(min(lookEvery, d.untilClock()))
		select {
		case line, ok := <-d.lines:
			d.hear(line, ok)
		case follow := <-d.done:
			d.running--
			follow()
		case <-next.C:
			d.flush()
		case s := <-d.turn.told:
			if s == syscall.SIGHUP {
				d.hooks.cancel()
			}
			d.heed(s)
		case <-d.reporter.stale:
			d.hooks.cancel()
			d.agent.kill()
			<-d.agent.over
			return nil
		case x := <-d.agent.over:
			d.rest()
			e := d.result(x)
			e.Spoken, e.Forgot = d.talk != nil, d.forgot
			return d.end(e)
		}
		next.Stop()
	}
}

// look is turn.look, but a turn that waits for one of our hooks is not silent.
func (d *dialogue) look() {
	if d.running > 0 {
		d.watch.Hold(time.Now())
	}
	d.turn.look()
}

// beside runs slow beside the loop, and then what it returns in the loop.
func (d *dialogue) beside(slow func() func()) {
	d.running++
	go func() { d.done <- slow() }()
}

// begin runs the hooks of the start, and then begins the dialogue.
func (d *dialogue) begin() {
	d.beside(func() func() {
		started := d.hooks.fire(d.hooks.ctx, hookcall.SessionStart, d.hooks.Begin(d.spec.Resumes, d.spec.Model))
		submitted := d.hooks.fire(d.hooks.ctx, hookcall.UserPromptSubmit, d.hooks.Submit(d.spec.Prompt))
		return func() {
			switch {
			case d.told:
				d.hangUp()
				return
			case submitted.Decision == hookcall.Deny:
				d.refuse("its prompt was refused: " + submitted.Reason)
				return
			}
			prompt := strings.TrimSpace(strings.Join([]string{started.Context, submitted.Context, d.spec.Prompt},
				"\n\n"))
			d.talk = d.adapter.Talk(d.known, prompt)
			go d.read()
			d.take(d.talk.Begin())
		}
	})
}

// read passes on the lines of the agent.
func (d *dialogue) read() {
	r := &tail{file: d.agent.out}
	r.read(func(line string) { d.lines <- line })
	r.rest(func(line string) { d.lines <- line })
	close(d.lines)
}

// write writes lines to the agent. It closes the agent's stdin at the end.
func (d *dialogue) write() {
	defer d.agent.in.Close()
	for line := range d.pen {
		if _, err := d.agent.in.WriteString(line + "\n"); err != nil {
			for range d.pen { // it does not read any more: how it ended says why
			}
		}
	}
}

// hear takes a line of the agent. ok is false at the end of the output.
func (d *dialogue) hear(line string, ok bool) {
	if !ok {
		d.lines = nil
		return
	}
	d.watch.Hear(time.Now())
	if line = strings.TrimSpace(line); line != "" {
		d.take(d.talk.Read(line))
	}
}

// take does what a step of the dialogue asks for.
func (d *dialogue) take(s host.Step) {
	for _, line := range s.Send {
		d.say(line)
	}
	for _, e := range s.Events {
		d.note(e)
	}
	for _, a := range s.Asks {
		d.question(a)
	}
	d.refuse(s.Refuse)
}

// flush reports the text so far.
func (d *dialogue) flush() {
	if f, ok := d.talk.(host.Flusher); ok {
		d.take(f.Flush())
	}
}

// say sends a line to the agent.
func (d *dialogue) say(line string) {
	if d.left {
		return
	}
	select {
	case d.pen <- line:
	default:
		d.refuse("it does not read what it is told")
	}
}

// hangUp closes the agent's stdin, which tells it to end.
func (d *dialogue) hangUp() {
	if !d.left {
		d.left = true
		close(d.pen)
		d.agent.hurry(leaving)
	}
}

// note takes an event of the agent. The result is known only when the session may stop.
func (d *dialogue) note(e run.Event) {
	switch e.Kind {
	case run.Text:
		d.last = e.Text
	case run.ToolResult:
		d.outcome(e)
	case run.Result:
		d.stop(e)
		return
	}
	d.see([]run.Event{e})
}

// question answers a question of the agent.
func (d *dialogue) question(a host.Ask) {
	d.beside(func() func() {
		answer := d.hooks.decide(a)
		return func() {
			if answer.Allow {
				d.allowed[a.Call] = a.Calls
			}
			d.take(d.talk.Answer(a.ID, answer))
			if answer.Interrupt {
				d.halted = true
				d.interrupt()
			}
		}
	})
}

// outcome reports how a call ended that was allowed.
func (d *dialogue) outcome(e run.Event) {
	calls := d.allowed[e.Call]
	delete(d.allowed, e.Call)
	if len(calls) > 0 {
		d.reports.Go(func() { d.hooks.outcome(e.Call, calls, !e.Failed) })
	}
}

// stop asks whether the session may stop with a result. The hook may continue the turn
// with another prompt.
func (d *dialogue) stop(e run.Event) {
	if d.told || d.left {
		d.leave(e)
		return
	}
	last, again := d.last, d.again
	d.beside(func() func() {
		d.reports.Wait()
		d.reporter.flush() // what is heard later proves that the texts of the hook have arrived
		if e.Failed {
			d.hooks.fire(context.Background(), hookcall.StopFailure, d.hooks.Fail(e.Text))
			return func() { d.leave(e) }
		}
		out := d.hooks.fire(d.hooks.ctx, hookcall.Stop, d.hooks.Rest(again, last))
		return func() {
			blocked := out.Decision == hookcall.Deny
			if d.told || !blocked {
				d.forgot = blocked
				d.leave(e)
				return
			}
			d.again = true
			d.take(d.talk.Prompt(out.Reason))
		}
	})
}

// leave reports the result, and lets the agent end.
func (d *dialogue) leave(e run.Event) {
	if d.halted {
		e.Failed = false // the person wanted it
	}
	d.see([]run.Event{e})
	d.hangUp()
}

// interruptTalk asks the agent to end its turn, and ends all questions.
func (d *dialogue) interruptTalk() {
	d.told = true
	d.hooks.cancel()
	if d.talk != nil {
		d.take(d.talk.Interrupt())
	}
}

// restFor is how long the rest of a turn may take after the agent has ended. A process that
// it left behind may hold its output open.
const restFor = 3 * time.Second

// rest takes the rest of the output of an agent that has ended, and ends the session.
func (d *dialogue) rest() {
	d.told = true
	d.hooks.cancel()
	d.agent.release()
	late := time.NewTimer(restFor)
	defer late.Stop()
	for over := false; !over && d.unfinished(); {
		select {
		case line, ok := <-d.lines:
			d.hear(line, ok)
		case follow := <-d.done:
			d.running--
			follow()
		case <-late.C:
			over = true
		}
	}
	d.flush()
	d.reports.Wait()
	d.hooks.fire(context.Background(), hookcall.SessionEnd, d.hooks.Leave())
}

// unfinished reports whether the agent's output, or a hook, has not come to its end.
func (d *dialogue) unfinished() bool {
	reading := d.talk != nil && d.lines != nil
	return reading || d.running > 0
}
