package core_test

import (
	"context"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// mod is the process of the mod of session s.
var mod = session.Process{PID: 4242, Born: "b"}

// awaitPrompt asks for a prompt without waiting.
func (r *rig) awaitPrompt() string {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	answer, err := r.AwaitPrompt(ctx, "s", mod)
	r.ok(err)
	return answer
}

func (r *rig) submit(delivery string) string {
	r.t.Helper()
	text, err := r.Submit("s", delivery, mod)
	r.ok(err)
	return text
}

func (r *rig) shown(prompt string) bool {
	r.t.Helper()
	shown, err := r.PromptShown("s", prompt, "prompt", true)
	r.ok(err)
	return shown
}

// resting returns an idle session with a mod, for which the person has written "go on".
func resting(t *testing.T) *rig {
	r := newRig(t)
	r.stopped()
	if got := r.awaitPrompt(); got != core.Wait {
		t.Fatalf("without a text: %q", got)
	}
	r.reply("go on")
	left, err := r.LeaveToMod("s")
	r.ok(err)
	if !left {
		t.Fatal("the Stop hook takes what the mod submits")
	}
	r.pass(time.Second)
	return r
}

// TestPromptOnce: the mod gets the text, also twice with the same delivery. A prompt that shows it
// ends it. A second prompt with it is none of it.
func TestPromptOnce(t *testing.T) {
	r := resting(t)
	r.ok(r.TakeOver("s", "w", session.Process{}))
	if got := r.waiter("w"); got != core.Wait {
		t.Errorf("the hook in the background, meanwhile: %q", got)
	}
	if got := r.awaitPrompt(); got != core.Wake {
		t.Errorf("the mod: %q", got)
	}
	for range 2 {
		if got := r.submit("d1"); got != "go on" {
			t.Errorf("the mod took %q", got)
		}
		r.restart()
	}
	if got := r.submit("d2"); got != "" {
		t.Errorf("a second waiter took %q", got)
	}
	r.ok(r.TextsPrinted("s", "d1", true))
	if got := r.deliver("hook"); got != "" {
		t.Errorf("a hook took %q, too", got)
	}
	if !r.shown("go on") || r.shown("go on") {
		t.Error("want the text shown exactly once")
	}
	if got := r.Messages()[0].State; got != message.Done {
		t.Errorf("the text is %s", got)
	}
}

// TestPromptFallsBack: a text that the mod does not take, or that is not seen, goes through a hook.
func TestPromptFallsBack(t *testing.T) {
	t.Run("not taken", func(t *testing.T) {
		r := resting(t)
		r.ok(r.TakeOver("s", "w", session.Process{}))
		r.pass(5 * time.Second)
		if got := r.waiter("w"); got != core.Wake {
			t.Errorf("the hook in the background: %q", got)
		}
		if got := r.deliver("hook"); got != "go on" {
			t.Errorf("the hook took %q", got)
		}
		if r.shown("go on") {
			t.Error("the mod may submit it, too")
		}
	})
	t.Run("not seen", func(t *testing.T) {
		r := resting(t)
		r.submit("d1")
		r.ok(r.TextsPrinted("s", "d1", true))
		if got := r.UnshownPrompts(); len(got) != 0 {
			t.Errorf("too early: %+v", got)
		}
		r.pass(6 * time.Second)
		unshown := r.UnshownPrompts()
		if len(unshown) != 1 {
			t.Fatalf("unshown: %+v", unshown)
		}
		r.ok(r.SettlePrompt(unshown[0], message.Proof{Sure: true}))
		if got := r.submit("d2"); got != "" {
			t.Errorf("the mod tries again: %q", got)
		}
		if got := r.deliver("hook"); got != "go on" {
			t.Errorf("the hook took %q", got)
		}
	})
	t.Run("seen, and the client died before it wrote it down", func(t *testing.T) {
		r := resting(t)
		r.submit("d1")
		r.ok(r.TextsPrinted("s", "d1", true))
		if !r.shown("go on") {
			t.Fatal("want the text shown")
		}
		_, err := r.ComesBack("s", "prompt") // the prompt's own hook proves nothing
		r.ok(err)
		r.ok(r.EndSession("s", "its client is gone"))
		unshown := r.UnshownPrompts()
		if len(unshown) != 1 {
			t.Fatalf("unshown: %+v", unshown)
		}
		r.ok(r.SettlePrompt(unshown[0], message.Proof{Sure: true}))
		if got := r.Messages()[0].State; got != message.Pending {
			t.Errorf("the text is %s", got)
		}
	})
	t.Run("seen, and another hook ran after its prompt", func(t *testing.T) {
		r := resting(t)
		r.submit("d1")
		r.ok(r.TextsPrinted("s", "d1", true))
		r.shown("go on")
		_, err := r.ComesBack("s", "batch")
		r.ok(err)
		r.ok(r.EndSession("s", "its client is gone"))
		if got := r.UnshownPrompts(); len(got) != 0 {
			t.Errorf("unshown: %+v", got)
		}
	})
	t.Run("seen by no hook, but in the transcript", func(t *testing.T) {
		r := resting(t)
		r.submit("d1")
		r.ok(r.TextsPrinted("s", "d1", true))
		r.pass(6 * time.Second)
		r.ok(r.SettlePrompt(r.UnshownPrompts()[0], message.Proof{Arrived: true, Sure: true}))
		if got := r.deliver("hook"); got != "" {
			t.Errorf("a hook took %q, too", got)
		}
	})
}
