package core_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/feature"
)

// TestSettingsRefused checks that the person is told once of each change, on the phone and at
// the terminal, also after a restart and while Afar is paused. The journal has every change.
func TestSettingsRefused(t *testing.T) {
	r := newRig(t)
	r.pair()
	v := r.see("s", "/p")
	r.ok(r.Pause(true))
	r.drain(phone)
	from := r.head()
	r.ok(r.SettingsRefused("s", "/p/.claude/settings.json: x"))
	if text := strings.Join(r.told(), "\n"); !strings.Contains(text, v.Token) ||
		!strings.Contains(text, "/p/.claude/settings.json: x") {
		t.Errorf("the phone says %q", text)
	}
	r.restart()
	r.ok(r.SettingsRefused("s", "/p/.claude/settings.json: x"))
	if text := strings.Join(r.told(), "\n"); text != "" {
		t.Errorf("the phone says it again: %q", text)
	}
	want := []string{"settings.refused " + v.Token, "coordinator.started ", "settings.refused " + v.Token}
	r.same("journal", want, r.kinds(from))
	notices, err := r.TakeNotices("s")
	r.ok(err)
	if strings.Count(notices, "settings.json: x") != 1 {
		t.Errorf("the terminal says %q", notices)
	}
	if again, err := r.TakeNotices("s"); err != nil || again != "" {
		t.Errorf("the terminal says it again: %q %v", again, err)
	}
	for range 20 {
		r.ok(r.SettingsRefused("s", "another"))
		r.ok(r.SettingsRefused("s", "and another"))
	}
	if notices, err = r.TakeNotices("s"); err != nil || strings.Count(notices, "\n") > 5 {
		t.Errorf("what waits for a terminal grows: %q %v", notices, err)
	}
}

// TestOverridden checks that the person is told once of each denied call that ran, but only of
// the first call that the guard never saw, because there may be many. The journal and the
// report have every call.
func TestOverridden(t *testing.T) {
	r := newRig(t)
	r.pair()
	v := r.see("s", "/p")
	say := func(call string, denied bool) string {
		t.Helper()
		r.ok(r.Overridden(feature.Override{
			Session: "s",
			Call:    call,
			Tool:    "Bash",
			Denied:  denied,
			Mods:    []string{"evil@x"},
		}))
		r.now = r.now.Add(time.Hour)
		return strings.Join(r.told(), "\n")
	}
	from := r.head()
	for _, c := range []struct {
		call   string
		denied bool
		want   string
	}{
		{"a", false, "never saw the call (a). Mods that can do this: evil@x."},
		{"b", false, ""},
		{"c", true, "denied by the guard, ran anyway"},
		{"c", true, ""},
		{"d", true, "denied by the guard, ran anyway"},
	} {
		if got := say(c.call, c.denied); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: the phone says %q, want %q", c.call, got, c.want)
		}
	}
	want := "guard.overridden " + v.Token
	r.same("journal", []string{want, want, want, want}, r.kinds(from))
	report, err := r.Report(t0.Add(-time.Hour))
	r.ok(err)
	if len(report.Overridden) != 4 {
		t.Errorf("the report has %d calls", len(report.Overridden))
	}
	for i := range 500 {
		r.ok(r.Overridden(feature.Override{Session: "s", Call: fmt.Sprint(i), Tool: "Bash"}))
	}
	v, err = r.Session("s")
	r.ok(err)
	if len(v.Overridden) > 100 {
		t.Errorf("%d calls are remembered", len(v.Overridden))
	}
	r.ok(r.Overridden(feature.Override{Session: "nobody", Call: "a"}))
}
