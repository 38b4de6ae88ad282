//go:build unix

package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/wire"
)

// curl is a call that reaches others, with a secret.
const curl = `,"agent_id":"a-1","agent_type":"Explore","tool_name":"Bash",` +
	`"tool_input":{"command":"curl -u ada:hunter22 https://example.org > page && ls"},"duration_ms":40`

// lastAct returns the last line of the log of outward acts.
func (r *rig) lastAct() (act wire.OutwardAct) {
	r.t.Helper()
	r.ask(wire.OpStatus, nil) // what a reply left to do is done before the next one
	all := strings.Split(strings.TrimSpace(r.acts.String()), "\n")
	r.ok(json.Unmarshal([]byte(all[len(all)-1]), &act))
	return act
}

// TestOutwardActs: each call that reaches others has one line, with who decided and how it ended.
func TestOutwardActs(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(r *rig)
		want string // decision, by, rule, outcome
	}{
		{"nobody was asked", func(r *rig) {
			r.hook(wire.OpOutcome, curl, func(h *hookRequest) { h.OK = true })
		}, "not asked|||ok"},
		{"it failed", func(r *rig) { r.hook(wire.OpOutcome, curl, nil) }, "not asked|||failed"},
		{"it ran although it was denied", func(r *rig) {
			r.hook(wire.OpOutcome, curl, func(h *hookRequest) { h.OK, h.Kept = true, "deny" })
		}, "denied|guard||ok"},
		{"the guard denied it", func(r *rig) {
			r.hook(wire.OpGuarded, curl, func(h *hookRequest) { h.Rule, h.Verb, h.Part = "rule-x", "deny", "curl" })
		}, "denied|guard|rule-x|not run"},
		{"a person refused it", func(r *rig) { r.decide(curl, false) }, "denied|Ada||not run"},
		{"a person allowed it", func(r *rig) {
			r.decide(curl, true)
			if have := r.acts.String(); have != "" {
				t.Errorf("a line before it ran: %s", have)
			}
			r.hook(wire.OpOutcome, curl, func(h *hookRequest) { h.OK = true })
		}, "allowed|Ada||ok"},
		{"answered in the host's dialog", func(r *rig) {
			r.hook(wire.OpAskOpen, curl, func(h *hookRequest) { h.Ask, h.Kind = "a", "permission" })
			r.hook(wire.OpOutcome, curl, func(h *hookRequest) { h.OK = true })
		}, "allowed|terminal||ok"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			c.do(r)
			act := r.lastAct()
			if have := strings.Join([]string{act.Decision, act.By, act.Rule, act.Outcome}, "|"); have != c.want {
				t.Errorf("have %s, want %s", have, c.want)
			}
			if n := strings.Count(r.acts.String(), "\n"); n != 1 {
				t.Errorf("%d lines, want 1: %s", n, r.acts)
			}
			who := fmt.Sprint(act.Session, act.Dir, act.Agent, act.Tool, act.Programs)
			if who != "s/home/ada/projExploreBash[curl]" || act.Token == "" || act.Time == "" {
				t.Errorf("have %+v", act)
			}
			if !strings.HasPrefix(act.Command, "curl -u ") || strings.Contains(r.acts.String(), "hunter22") {
				t.Errorf("the command is %q", act.Command)
			}
			if !strings.Contains(r.acts.String(), "> page && ls") {
				t.Errorf("the line is hard to read: %s", r.acts)
			}
		})
	}
}

// decide opens the ask "a" about a call, and lets its hook take the answer of a person.
func (r *rig) decide(payload string, allow bool) {
	r.t.Helper()
	about := func(h *hookRequest) { h.Ask, h.Kind = "a", "permission" }
	want[wire.AskState](r.t, r.hook(wire.OpAskOpen, payload, about), wire.CodeOK)
	_, err := r.core.Answer("a", ask.Decision{Allow: allow, By: "Ada"})
	r.ok(err)
	want[wire.AskState](r.t, r.hook(wire.OpAskClaim, payload, about), wire.CodeOK)
}

// TestNoOutwardAct: a call that stays on this machine, or that is malformed, has no line.
func TestNoOutwardAct(t *testing.T) {
	r := newRig(t)
	for _, payload := range []string{
		bash,
		`,"tool_name":"Read","tool_input":{"file_path":"/x"}`,
		`,"tool_name":"mcp__mail__list_messages","tool_input":{}`,
		`,"tool_name":"Bash","tool_input":{"command":7}`,
		`,"tool_name":"Bash","tool_input":"curl https://example.org"`,
		`,"tool_name":"","tool_input":{"command":"curl https://example.org"}`,
	} {
		r.hook(wire.OpOutcome, payload, func(h *hookRequest) { h.OK = true })
		r.hook(wire.OpGuarded, payload, func(h *hookRequest) { h.Rule, h.Verb, h.Part = "rule-x", "deny", "x" })
	}
	r.ask(wire.OpStatus, nil)
	if have := r.acts.String(); have != "" {
		t.Errorf("have %s", have)
	}
}
