package core_test

import (
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/core"
)

// TestSettingsRefused: the person is told once of each change, on the phone and
// at the terminal, also after a restart and while Afar is paused; the journal has
// every one.
func TestSettingsRefused(t *testing.T) {
	r := newRig(t)
	r.pair()
	v := r.see("s", "/p")
	r.ok(r.Pause(true))
	r.drain(core.LaneTelegram)
	from := r.head()
	r.ok(r.SettingsRefused("s", "/p/.claude/settings.json: x"))
	if text := strings.Join(r.told(), "\n"); !strings.Contains(text, v.Token) || !strings.Contains(text, "/p/.claude/settings.json: x") {
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
