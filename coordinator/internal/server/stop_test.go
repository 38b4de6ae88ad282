//go:build unix

package server_test

import (
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/wire"
)

// parked starts an unattended session with one parked call.
func (r *rig) parked() {
	r.t.Helper()
	r.hook(wire.OpAskOpen, bash, func(h *hookRequest) { h.Ask, h.Kind, h.Park, h.Attended = "p", "guard", true, false })
	if a := r.askState("p"); !a.Parked {
		r.t.Fatalf("have %+v", a)
	}
}

func (r *rig) stopping(delivery string, attended bool) hookReply {
	r.t.Helper()
	return want[hookReply](r.t, r.hook(wire.OpStop, "",
		func(h *hookRequest) { h.Ask, h.Delivery, h.Attended = delivery, delivery, attended }), wire.CodeOK)
}

// TestStopParked checks the place of parked calls in the order of product.md.
func TestStopParked(t *testing.T) {
	for name, c := range map[string]struct {
		prepare  func(r *rig)
		attended bool
		waits    bool
		block    string
		texts    int
	}{
		"nothing parked":  {func(*rig) {}, false, false, "", 0},
		"parked":          {func(r *rig) { r.parked() }, false, true, "", 0},
		"somebody there":  {func(r *rig) { r.parked() }, true, false, "", 0},
		"paused":          {func(r *rig) { r.parked(); r.ok(r.core.Pause(true)) }, false, false, "", 0},
		"a text is first": {func(r *rig) { r.parked(); r.write("go on") }, false, false, "", 1},
		"allowed":         {func(r *rig) { r.parked(); r.late(true, "") }, false, false, "may run once", 0},
		"refused":         {func(r *rig) { r.parked(); r.late(false, "Use make.") }, false, false, "Use make.", 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			c.prepare(r)
			got := r.stopping("d", c.attended)
			if waits := got.ParkedMS > 0; waits != c.waits || got.Block != (c.block != "") ||
				!strings.Contains(got.Reason, c.block) || got.Texts != c.texts {
				t.Errorf("have %+v", got)
			}
			if got.ParkedMS > ask.UnattendedFor.Milliseconds() {
				t.Errorf("it would wait %d ms", got.ParkedMS)
			}
		})
	}
}

func (r *rig) late(allow bool, words string) {
	r.t.Helper()
	_, err := r.core.Answer("p", ask.Decision{Allow: allow, Message: words, By: "Ada"})
	r.ok(err)
}

func (r *rig) write(text string) {
	r.t.Helper()
	_, err := r.core.Written(core.Press{
		Act: channel.Act{Channel: "phone", Update: 1}, Decision: ask.Decision{By: "Ada", Channel: "phone"}, Text: text,
	})
	r.ok(err)
}

// TestParkedWait checks that the answer ends the wait, and that only the hook that waited is
// told, also when it lost the reply.
func TestParkedWait(t *testing.T) {
	r := newRig(t)
	r.parked()
	done := make(chan wire.Reply, 1)
	begun := time.Now()
	go func() { done <- r.hook(wire.OpParkedWait, "", func(h *hookRequest) { h.WaitMS = 20_000 }) }()
	time.Sleep(50 * time.Millisecond) // most often the wait has begun; both orders must do
	r.late(true, "")
	<-done
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("the answer came, and the wait lasted %v", took)
	}
	for range 2 {
		if got := r.stopping("d", false); !got.Block {
			t.Errorf("the hook that waited got %+v", got)
		}
	}
	if got := r.stopping("d2", false); got.Block || got.ParkedMS != 0 {
		t.Errorf("the next stop got %+v", got)
	}
}

// TestResumedIsTold checks that a session that had ended is told when it is resumed, by the
// first hook that can print it.
func TestResumedIsTold(t *testing.T) {
	r := newRig(t)
	r.parked()
	r.hook(wire.OpSessionEnd, `,"reason":"other"`, nil)
	r.late(true, "")
	start := func(delivery, verb, source string) hookReply {
		return want[hookReply](t, r.hook(wire.OpSessionStart, `,"hook_event_name":"SessionStart","source":"`+source+`"`,
			func(h *hookRequest) { h.Delivery, h.Verb = delivery, verb }), wire.CodeOK)
	}
	if got := start("s0", "", "startup"); got.Context != "" {
		t.Errorf("a session that only begins is told %+v", got)
	}
	if got := start("s1", "", "resume"); !strings.Contains(got.Context, "may run once") {
		t.Errorf("have %+v", got)
	}
	start("s1", wire.NotPrinted, "resume")
	prompt := func(delivery string) string {
		return want[hookReply](t, r.hook(wire.OpPrompt, `,"prompt":"hi"`,
			func(h *hookRequest) { h.Delivery = delivery }), wire.CodeOK).Context
	}
	if got := prompt("p1"); !strings.Contains(got, "may run once") {
		t.Errorf("what was not printed was not told again: %q", got)
	}
	if got := prompt("p2"); got != "" {
		t.Errorf("told twice: %q", got)
	}
}

// TestScheduledPrompt checks that a scheduled prompt of the host does not count as typed by a
// person.
func TestScheduledPrompt(t *testing.T) {
	r := newRig(t)
	r.typed("afar:loop", "--max 3 tidy up")
	r.hook(wire.OpStop, `,"hook_event_name":"Stop","session_crons":[{"id":"1","schedule":"* * * * *",`+
		`"recurring":true,"prompt":"ping them "}]`, nil)
	for _, c := range []struct {
		prompt string
		person bool
	}{{"ping them", false}, {"<task-notification>done</task-notification>", false}, {"ping", true}} {
		before := r.core.Loop("s").UpdatedAt
		r.hook(wire.OpPrompt, `,"prompt":"`+c.prompt+`"`, nil)
		if person := r.core.Loop("s").UpdatedAt.After(before); person != c.person {
			t.Errorf("%q counts as a person's: %t", c.prompt, person)
		}
	}
}
