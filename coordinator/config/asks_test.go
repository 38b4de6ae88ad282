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
	c, err := config.Parse([]byte("[asks]\ngrace = '5s'\nattended = '2h'\nunattended = '9h'\nsubagent = '1m'\ngrant " +
		"= '4h'\n"))
	want := config.Asks{
		Grace: config.Duration(5 * time.Second), Attended: config.Duration(2 * time.Hour),
		Unattended: config.Duration(9 * time.Hour), Subagent: config.Duration(time.Minute),
		Grant: config.Duration(4 * time.Hour),
	}
	if err != nil || c.Asks != want {
		t.Errorf("%+v, %v", c.Asks, err)
	}
	for line, says := range map[string]string{
		"grace = '0s'":        "asks.grace must be between 1s and 10m0s, not 0s",
		"grace = '11m'":       "asks.grace must be",
		"attended = '24h'":    "asks.attended must be between 1m0s and 23h0m0s, not 24h0m0s",
		"unattended = '9s'":   "asks.unattended must be between 10s and 23h0m0s",
		"unattended = '-1h'":  "asks.unattended must be",
		"subagent = '1h'":     "asks.subagent must be between 5s and 10m0s",
		"grant = '25h'":       "asks.grant must be between 1m0s and 24h0m0s",
		"unattended = 600":    `asks.unattended must be a time in quotes, such as "90s" or "2h", not 600`,
		"unatended = '9h'":    `unknown key "asks.unatended"; did you mean "asks.unattended"?`,
		"unattended = '8 h'":  "asks.unattended",
		"unattended = '300y'": "asks.unattended",
	} {
		if _, err := config.Parse([]byte("[asks]\n" + line + "\n")); err == nil ||
			!strings.Contains(err.Error(), says) {
			t.Errorf("%s: want %q, have %v", line, says, err)
		}
	}
}

// TestAsksEndBeforeTheHost: the host ends a hook after the timeout in hooks.json,
// and then lets the call run. No time that a person can set comes near it.
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
		if limit := time.Duration(seconds) * time.Second; err != nil ||
			limit < time.Duration(config.MaxWait)+30*time.Minute {
			t.Errorf("hook-%s is ended after %s, and may wait %s", m[1], limit, time.Duration(config.MaxWait))
		}
	}
}
