package terminal

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/afar-sh/afar/coordinator/wire"
)

func noon() time.Time { return time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC) }

func before(d time.Duration) int64 { return noon().Add(-d).UnixMilli() }

func busy() wire.StatusReply {
	return wire.StatusReply{
		Coordinator: wire.Coordinator{PID: 42, Version: "v1.2.3", Since: before(3 * time.Hour)},
		Settings:    wire.Settings{Away: "on", AwayUntil: noon().Add(2 * time.Hour).UnixMilli(), Paused: true},
		Channels: []wire.Channel{
			{ID: "telegram", State: "ready", Note: "@my_bot with Ana"}, {ID: "terminal", State: "ready"},
		},
		Sessions: []wire.Session{
			{
				Token: "api-1a2b", Project: "/home/ana/code/api", Mode: "default", State: "waiting",
				Since: before(3 * time.Minute), Attended: true,
				Model: "claude-opus-5-5", Context: 41_500, Todos: &wire.Todos{Done: 2, Total: 5},
			},
			{
				Token:   "web-3c4d",
				Project: "/srv/web",
				Mode:    "auto",
				State:   "unprotected",
				Since:   before(5 * time.Second),
			},
		},
		Loops: []wire.Loop{{
			ID: "api-1a2b", Active: true, UpdatedAt: before(time.Minute),
			Stack: []wire.Frame{{Mode: "task", Goal: "fix the\nfailing tests", N: 3, Max: 10}},
		}},
		Asks: []wire.Ask{{
			ID: "ask_aabbccdd01", Short: "ask_aabb", Token: "api-1a2b", Tool: "Bash", Input: "npm publish\n--tag x",
			Request: "npm publish --tag x",
			State:   "open", OpenedAt: before(2 * time.Minute),
		}},
	}
}

func render[T any](f func(*Page, T), v T) string {
	var b bytes.Buffer
	f(&Page{W: &b, Now: noon(), Home: "/home/ana"}, v)
	return b.String()
}

func TestStatus(t *testing.T) {
	want := `Afar v1.2.3, pid 42, up 3h · away on until 14:00:00
Paused: only the guard speaks. ` + "`afar resume`" + ` ends it.

Channels
  ✔  telegram  ready  @my_bot with Ana
  ✔  terminal  ready

Sessions
  api-1a2b  waiting      3m ago  ~/code/api  manual
    claude-opus-5-5 · context 42k tokens · 2 of 5 todos done
  web-3c4d  unprotected  5s ago  /srv/web    auto, unattended: no hook of ours ran; ` + "`afar doctor`" + ` says why

Loops
  api-1a2b  active  3/10  task  1m ago  fix the failing tests

Waiting for you
  ask_aabb  api-1a2b  2m ago  npm publish --tag x
  Answer: afar allow ask_aabb · afar deny ask_aabb -m 'why' · whole text: afar asks
`
	if diff := cmp.Diff(want, render(Status, busy())); diff != "" {
		t.Error(diff)
	}
}

// TestStatusLinks: each session, loop and question is a link on a terminal; anywhere else one
// line says how to open one.
func TestStatusLinks(t *testing.T) {
	s := busy()
	s.Page = wire.Page{URL: "http://127.0.0.1:7357/", Where: "on this machine alone"}
	s.Sessions[0].ID, s.Sessions[0].URL = "s-1", s.Page.URL+"session/api-1a2b"
	s.Loops[0].Session = "s-1"
	s.Asks[0].URL = s.Page.URL + "question/ask_aabbccdd01"
	plainText := render(Status, s)
	if want := "\nOn the page, on this machine alone: afar open ask_aabb\n"; !strings.HasSuffix(plainText, want) {
		t.Errorf("want %q at the end of %s", want, plainText)
	}
	var b bytes.Buffer
	Status(&Page{W: &b, Now: noon(), Home: "/home/ana", Colour: true}, s)
	const session = "\x1b]8;;http://127.0.0.1:7357/session/api-1a2b\x1b\\api-1a2b\x1b]8;;\x1b\\"
	if got := strings.Count(b.String(), session+"\x1b[0m  "); got != 2 {
		t.Errorf("%d links to the session; want one of the session and one of its loop:\n%q", got, b.String())
	}
	if want := "question/ask_aabbccdd01\x1b\\ask_aabb\x1b]8;;\x1b\\"; !strings.Contains(b.String(), want) {
		t.Errorf("want %q in %q", want, b.String())
	}
}

// TestLinkHostile: an address with control characters is printed without a link.
func TestLinkHostile(t *testing.T) {
	p := &Page{Colour: true}
	for _, address := range []string{"", "http://h/\x1b[2J", "http://h/\a", "http://h/a b", "http://h/\u202e"} {
		if got := p.link(address, "text"); got != "text" {
			t.Errorf("link(%q) = %q", address, got)
		}
	}
}

func TestEmptyStatus(t *testing.T) {
	s := busy()
	s.Sessions, s.Loops, s.Asks, s.Settings = nil, nil, nil, wire.Settings{Away: "auto"}
	want := `Afar v1.2.3, pid 42, up 3h · away auto

Channels
  ✔  telegram  ready  @my_bot with Ana
  ✔  terminal  ready

No sessions yet. Start ` + "`claude`" + ` in a project; it appears here by itself.
`
	if diff := cmp.Diff(want, render(Status, s)); diff != "" {
		t.Error(diff)
	}
}

// TestStatusFleet: the status says how each machine of the fleet is, and what to do about one that is not well.
func TestStatusFleet(t *testing.T) {
	s := wire.StatusReply{Fleet: []wire.Check{
		{ID: "fleet", State: "ok", Text: "this machine is desk, the hub"},
		{ID: "fleet", State: "off", Text: "build is not reachable; 1 on the way to it", Fix: "see that it is on"},
	}}
	want := `
Fleet
  ✔  this machine is desk, the hub
  ○  build is not reachable; 1 on the way to it
     → see that it is on
`
	if got := render(Status, s); !strings.Contains(got, want) {
		t.Errorf("the status is\n%s", got)
	}
}

func TestAsks(t *testing.T) {
	in := wire.AsksReply{Asks: []wire.Ask{
		{
			ID: "ask_aabbccdd01", Short: "ask_aabb", State: "open", Token: "api-1a2b", Project: "/home/ana/code/api",
			Tool: "Bash", Agent: "tester",
			Input: "npm publish\n\tnow\x1b[2J", Hash: strings.Repeat("ab", 32), Why: "publishes",
			OpenedAt: before(2 * time.Minute),
			Does:     "publish npm", AskedBy: "2 subagents (tester ×2)",
			ExpiresAt: noon().Add(28 * time.Minute).UnixMilli(),
		},
		{ID: "ask_ccdd", Card: "ask_aabbccdd01", State: "open", Token: "api-1a2b", Agent: "tester"},
		{
			ID:        "ask_2",
			State:     "answered",
			Token:     "web-3c4d",
			Tool:      "Bash",
			Input:     "make",
			Request:   "make",
			By:        "Ana",
			Allow:     true,
			SettledAt: before(time.Second),
			OpenedAt:  before(time.Minute),
			Outcome:   "waiting",
		},
	}}
	want := `ask_aabb  Bash npm publish now` + "\ufffd" + `[2J
  api-1a2b wants to run a command ×2, 2m ago
  risk    publishes
    npm publish
     now` + "\ufffd" + `[2J
  would   publish npm
  in      ~/code/api
  by      2 subagents (tester ×2)
  sha256  abababababab
  expires in 28m: afar allow ask_aabb · afar deny ask_aabb -m 'why'

ask_2  make
  web-3c4d wants to run a command, 1m ago
  allowed by Ana 1s ago; waiting
`
	if diff := cmp.Diff(want, render(Asks, in)); diff != "" {
		t.Error(diff)
	}
	if got := render(Asks, wire.AsksReply{}); got != "Nothing waits for you.\n" {
		t.Errorf("no asks: %q", got)
	}
}

func TestChecks(t *testing.T) {
	got := render(Checks, wire.DoctorReply{Checks: []wire.Check{
		{ID: "programs", State: "ok", Text: "all there"},
		{ID: "telegram", State: "off", Text: "no bot", Fix: "afar telegram connect"},
		{ID: "pin", State: "bad", Text: "damaged", Fix: "run install.sh again"},
	}})
	want := `  ✔  programs  all there
  ○  telegram  no bot
               → afar telegram connect
  ✖  pin       damaged
               → run install.sh again
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestColour(t *testing.T) {
	var b bytes.Buffer
	p := &Page{W: &b, Colour: true}
	p.Table([][]string{{p.Paint(Red, "bad"), "x"}, {"longer", "y"}})
	if want := "  \x1b[31mbad\x1b[0m     x\n  longer  y\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

func TestTimes(t *testing.T) {
	p := &Page{Now: noon()}
	for d, want := range map[time.Duration]string{
		0: "now", 500 * time.Millisecond: "now", 59 * time.Second: "59s ago", time.Hour: "1h ago",
		47 * time.Hour: "47h ago", 50 * time.Hour: "2d ago",
	} {
		if got := p.ago(before(d)); got != want {
			t.Errorf("ago(%s) = %q, want %q", d, got, want)
		}
	}
	if got := p.ago(0); got != "" {
		t.Errorf("no time is %q", got)
	}
	if got := p.Clock(before(24 * time.Hour)); got != "Mar  3 12:00" {
		t.Errorf("yesterday is %q", got)
	}
}

// TestVisible: the output shows control characters from a session as text.
func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"a\x1b]0;x\ab": "a\ufffd]0;x\ufffdb", "x\u202ey": "x\ufffdy", "z\u200bw": "z\ufffdw", "a\nb\tc": "a b c",
		"é✔": "é✔", "\xff": "\ufffd",
	} {
		if got := OneLine(in, 80); got != want {
			t.Errorf("OneLine(%q) = %q, want %q", in, got, want)
		}
	}
	if got := OneLine("ééééé", 4); got != "ééé…" {
		t.Errorf("cut: %q", got)
	}
}

// TestSay: what a sentence quotes steers no terminal and breaks no line, and its blanks stay.
func TestSay(t *testing.T) {
	var b bytes.Buffer
	(&Page{W: &b}).Say("Away is %s for %s%s, %d.", "on\nnow", "a\x1b[2Jb", " until 14:00", 2)
	if want := "Away is on now for a\ufffd[2Jb until 14:00, 2.\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
