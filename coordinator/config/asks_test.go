package config_test

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/config"
)

func TestAsks(t *testing.T) {
	c, err := config.Parse([]byte(`
		[asks]
		grace = "5s"
		attended = "2h"
		unattended = "9h"
		subagent = "1m"
		grant = "4h"`))
	want := config.Asks{
		Grace:      config.Duration(5 * time.Second),
		Attended:   config.Duration(2 * time.Hour),
		Unattended: config.Duration(9 * time.Hour),
		Subagent:   config.Duration(time.Minute),
		Grant:      config.Duration(4 * time.Hour),
	}
	if err != nil || c.Asks != want {
		t.Errorf("%+v, %v", c.Asks, err)
	}
	for line, says := range map[string]string{
		"grace = '0s'":        "asks.grace must be between 1s and 10m, not 0s",
		"grace = '11m'":       "asks.grace must be",
		"attended = '24h'":    "asks.attended must be between 1m and 23h, not 24h",
		"unattended = '9s'":   "asks.unattended must be between 10s and 23h",
		"unattended = '-1h'":  "asks.unattended must be",
		"subagent = '1h'":     "asks.subagent must be between 5s and 10m",
		"grant = '25h'":       "asks.grant must be between 1m and 24h",
		"unattended = 600":    `asks.unattended must be a time in quotes, such as "90s" or "2h", not 600`,
		"unatended = '9h'":    `unknown key "asks.unatended"; did you mean "asks.unattended"?`,
		"unattended = '8 h'":  "asks.unattended",
		"unattended = '300y'": "asks.unattended",
	} {
		_, err := config.Parse([]byte("[asks]\n" + line + "\n"))
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: want %q, have %v", line, says, err)
		}
	}
}

// TestAsksEndBeforeTheHost: the host ends a hook after the timeout in hooks.json and then
// lets the call run. Every time that a person can set is well below that timeout.
func TestAsksEndBeforeTheHost(t *testing.T) {
	raw, err := os.ReadFile("../../plugin/hooks.json")
	if err != nil {
		t.Fatal(err)
	}
	timeouts := regexp.MustCompile(`hook-(pre-tool-use|permission-request|elicitation|stop)".*"timeout": (\d+)`)
	waiting := timeouts.FindAllStringSubmatch(string(raw), -1)
	if len(waiting) < 4 {
		t.Fatalf("%d hooks that wait", len(waiting))
	}
	for _, m := range waiting {
		seconds, err := strconv.Atoi(m[2])
		limit := config.Duration(seconds) * config.Duration(time.Second)
		if err != nil || limit < config.MaxWait+config.Duration(30*time.Minute) {
			t.Errorf("hook-%s ends after %s, but may wait %s", m[1], limit, config.MaxWait)
		}
	}
}
