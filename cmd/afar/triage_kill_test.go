//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/wire"
)

// TestEventsKilled kills the coordinator again and again while events come in and a model sorts them.
// Each event ends in exactly one place: a task, a suggestion or inbox.md, or it was ignored.
func TestEventsKilled(t *testing.T) {
	long.InCI(t)
	killEvents(t, 48, 2)
}

// TestEventsKilledLong is TestEventsKilled with 1,000 events.
func TestEventsKilledLong(t *testing.T) {
	long.Only(t)
	killEvents(t, 1000, 60)
}

// sortingModel is a program that answers a triage question by the first word of each event: task,
// new, spam, and for all others nothing. One question in four fails.
const sortingModel = `#!/bin/sh
[ $(($(od -An -N1 -tu1 /dev/urandom) % 4)) = 0 ] && exit 1
awk '
function entry(what, tasks, title) {
	printf "%s{\"event\":\"%s\",\"do\":\"%s\",\"tasks\":[%s],\"title\":\"%s\",", sep, n, what, tasks, title
	printf "\"urgency\":\"low\",\"summary\":\"\",\"reason\":\"spam\"}"
	sep = ","; n = ""
}
BEGIN { printf "{\"events\":[" }
/^Event [0-9]+$/ { n = $2 }
n != "" && /^task number-/ { entry("tasks", "\"tax\"", "") }
n != "" && /^new number-/ { entry("suggest", "", "Look at it") }
n != "" && /^spam number-/ { entry("ignore", "", "") }
END { print "]}" }'
`

func killEvents(t *testing.T, events, kills int) {
	if testing.Short() {
		t.Skip("drives binaries of their own, which the race detector does not see")
	}
	model := filepath.Join(t.TempDir(), "model")
	if err := os.WriteFile(model, []byte(sortingModel), 0o700); err != nil {
		t.Fatal(err)
	}
	m := newMortal(t, fmt.Sprintf("[background]\nprogram = %q\nbudget = 50.0\n", model))
	m.serve(0)
	m.awaken()
	m.afar("task", "new", "Tax")
	m.afar("task", "stop", "tax")
	source := eventSource{mortal: m, events: events}
	for life := range kills {
		victim := m.lives.Process
		dies := time.AfterFunc(time.Duration(20+rand.IntN(500))*time.Millisecond, func() { _ = victim.Kill() })
		source.send((life+1)*events/kills, dies)
		m.kill()
		m.serve(m.ahead + 2*time.Minute) // what has come in is due
		m.awaken()
	}
	source.send(events, nil)
	m.kill()
	m.serve(m.ahead + 20*time.Minute) // no pause after a failure is left
	m.awaken()
	source.check(source.places())
	t.Logf("%d events, %d kills; %s", events, m.kills, source.found)
}

// An eventSource sends events to triage. It sends each one twice, and again what may be lost.
type eventSource struct {
	*mortal

	events int
	sent   int // events that have come in
	found  string
}

// send sends the events up to a number. With a timer it goes on until the coordinator is dead.
func (s *eventSource) send(upTo int, dies *time.Timer) {
	words := []string{"task", "new", "spam", "odd"}
	for s.sent < min(upTo, s.events) {
		n := s.sent
		in, _ := json.Marshal(wire.SendRequest{
			ID: fmt.Sprint("event-", n), To: "triage", Text: fmt.Sprintf("%s number-%d-", words[n%4], n),
		})
		_, first := s.try("call", string(wire.OpSend), string(in))
		_, again := s.try("call", string(wire.OpSend), string(in))
		switch {
		case first == nil && again == nil:
			s.sent++
		case dies != nil:
			return
		default:
			s.t.Fatalf("send event %d: %v, %v", n, first, again)
		}
	}
	for dies != nil && !s.dead() {
		time.Sleep(10 * time.Millisecond)
	}
}

// dead reports whether the coordinator answers no more.
func (s *eventSource) dead() bool {
	_, err := s.try("call", "status")
	return err != nil
}

// places waits until nothing is left to sort or to write, and returns in how many places each event
// is. For an event that was ignored, that is the journal.
func (s *eventSource) places() (places []int) {
	s.t.Helper()
	for late := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		places = s.look()
		settled := true
		for _, found := range places {
			settled = settled && found > 0
		}
		if settled || time.Now().After(late) {
			return places
		}
	}
}

func (s *eventSource) look() []int {
	s.t.Helper()
	var texts wire.InboxReply
	s.read(&texts, "inbox", "--for", "task:tax", "-n", "1000")
	all := ""
	for _, m := range texts.Messages {
		all += m.Text
	}
	inTask := strings.Count(all, " number-")
	workspace := filepath.Join(s.dir, "afar", "workspace")
	raw, _ := os.ReadFile(filepath.Join(workspace, "inbox.md")) // there is none if all went elsewhere
	all += string(raw)
	inInbox := strings.Count(string(raw), " number-")
	files, _ := filepath.Glob(filepath.Join(workspace, "suggestions", "look-at-it*.md"))
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			s.t.Fatal(err)
		}
		all += string(raw)
	}
	ignored := strings.Count(s.afar("log", "-n", "5000"), "ignored: spam")
	s.found = fmt.Sprintf("%d for the task, %d in inbox.md, %d ignored", inTask, inInbox, ignored)
	places := make([]int, s.events)
	for n := range places {
		places[n] = strings.Count(all, fmt.Sprintf(" number-%d-", n))
		if n%4 == 2 && places[n] == 0 && ignored > 0 {
			ignored--
			places[n]++
		}
	}
	if ignored > 0 {
		s.t.Errorf("%d more events were ignored than are missing", ignored)
	}
	return places
}

func (s *eventSource) check(places []int) {
	s.t.Helper()
	for n, found := range places {
		if found != 1 {
			s.t.Errorf("event %d is in %d places", n, found)
		}
	}
}
