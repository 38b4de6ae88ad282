package config_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/config"
)

// TestSettings: every key is listed with its value, and says whether the file set it.
func TestSettings(t *testing.T) {
	c, err := config.Parse([]byte(`
		[quiet]
		from = "22:00"
		to = "07:05"
		[escalation]
		after = "90s"
		chat = -1001
		[loop]
		day_budget = 2.5`))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"quiet.from": "22:00", "quiet.to": "07:05", "escalation.after": "1m30s", "escalation.chat": "-1001",
		"loop.day_budget": "$2.50",
	}
	for _, s := range c.Settings() {
		if w, set := want[s.Key]; s.Default == set || set && s.Value != w {
			t.Errorf("%+v", s)
		}
	}
	for _, s := range config.Default().Settings() {
		if !s.Default || s.Value == "" {
			t.Errorf("without a file: %+v", s)
		}
	}
}

// TestDocumented: docs/config.md names every key, and its example is valid and complete.
func TestDocumented(t *testing.T) {
	raw, err := os.ReadFile("../../docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range config.Default().Settings() {
		if !strings.Contains(string(raw), "`"+s.Key+"`") {
			t.Errorf("%s is not described", s.Key)
		}
	}
	_, example, _ := strings.Cut(string(raw), "```toml\n")
	example, _, _ = strings.Cut(example, "```")
	c, err := config.Parse([]byte(example))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range c.Settings() {
		if key := s.Key[strings.LastIndex(s.Key, ".")+1:]; !strings.Contains(example, key+" = ") {
			t.Errorf("the example has no %s", s.Key)
		}
	}
}

func TestQuietRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"from = '22:00'":               "need both",
		"to = '22:00'":                 "need both",
		"from = '22:00'\nto = '22:00'": "are the same",
		"from = '24:00'\nto = '07:00'": "line 2: ",
		"from = '22'\nto = '07:00'":    "line 2: ",
		"from = 22\nto = '07:00'":      "a time of the day",
		"from = ''\nto = '07:00'":      "line 2: ",
		"from = '22:00'\nto = '7:00'\nzone = 'Nowhere'": `quiet.zone must be a time zone such as ` +
			`"Europe/Berlin", not "Nowhere"`,
		"from = '22:00'\nto = '7:00'\nzone = '../../etc'": "quiet.zone",
		"form = '22:00'": `unknown key "quiet.form"`,
	} {
		if _, err := config.Parse([]byte("[quiet]\n" + text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: want %q, have %v", text, want, err)
		}
	}
	c, err := config.Parse([]byte("[quiet]\nfrom = '00:00'\nto = '07:30'\nzone = 'America/St_Johns'"))
	if err != nil || !c.Quiet.On() || c.Quiet.From.At != 0 || c.Quiet.To.At != 7*time.Hour+30*time.Minute {
		t.Errorf("have %+v, %v", c.Quiet, err)
	}
	if zone, err := c.Quiet.Location(); err != nil || zone.String() != "America/St_Johns" {
		t.Errorf("zone %v, %v", zone, err)
	}
}

func TestEscalationRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"after = '10s'":             "between 1m and 24h",
		"after = '25h'":             "between",
		"after = '-1m'":             "between",
		"after = 10":                "must be a time in quotes",
		"chat = 5":                  "needs escalation.after",
		"after = '5m'\nchat = 'me'": "line 3: ",
	} {
		if _, err := config.Parse([]byte("[escalation]\n" + text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: want %q, have %v", text, want, err)
		}
	}
}
