package core_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/module"
	"github.com/afar-sh/afar/coordinator/internal/task"
)

// TestModuleEvents: an id counts once for 7 days, also after a restart; an event without one always
// counts. Nothing comes of a module that is not enabled with just that content.
func TestModuleEvents(t *testing.T) {
	r := newRig(t)
	take := func(hash, id string, want error) {
		t.Helper()
		if err := r.TakeEvent("mail", hash, module.Event{ID: id, Text: "came " + id}); !errors.Is(err, want) {
			t.Errorf("event %q of content %s: %v, want %v", id, hash, err, want)
		}
	}
	count := func(want int) {
		t.Helper()
		if have := len(r.Events()); have != want {
			t.Errorf("%d events wait for triage, want %d", have, want)
		}
	}
	take("h1", "7", feature.ErrDisabled)
	_, err := r.EnableModule("mail", "h1", "Ann")
	r.ok(err)
	take("h2", "7", feature.ErrDisabled)
	for range 2 {
		take("h1", "7", nil)
		take("h1", "", nil)
		r.restart()
	}
	count(3)
	r.pass(7*24*time.Hour - time.Minute)
	take("h1", "7", nil)
	count(3)
	r.pass(time.Minute)
	take("h1", "7", nil)
	count(4)
	r.ok(r.LookedAtModule("mail", "h0", "of an older content"))
	take("h1", "8", nil)
	r.ok(r.LookedAtModule("mail", "h1", "its folder was changed"))
	take("h1", "9", feature.ErrDisabled)
	count(5)
	m, ok := r.Module("mail")
	if !ok || m.Live() || m.Held != "its folder was changed" || m.Events != 5 {
		t.Errorf("changed: %+v", m)
	}
	r.ok(r.LookedAtModule("mail", "h1", "")) // it is changed back
	take("h1", "9", nil)
	count(6)
	if e := r.Events()[0]; e.From != "module mail" || !strings.HasPrefix(e.Text, "came 7") {
		t.Errorf("the first event: %+v", e)
	}
}

// TestSorted: modules, tasks and triggers are listed by name.
func TestSorted(t *testing.T) {
	r := newRig(t)
	for _, name := range []string{"c", "a", "b"} {
		_, err := r.EnableModule(module.Name(name), "h", "Ann")
		r.ok(err)
		_, err = r.NewTask(task.Task{Slug: task.Slug(name), Key: name, By: "Ann"})
		r.ok(err)
	}
	var names []string
	for _, m := range r.Modules() {
		names = append(names, string(m.Name))
	}
	for _, v := range r.Tasks() {
		names = append(names, string(v.Slug))
	}
	if got := strings.Join(names, " "); got != "a b c a b c" {
		t.Errorf("they are listed as %s", got)
	}
}
