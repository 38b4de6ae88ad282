package message_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func msg(key string, id session.ID, text string) message.Message {
	return message.Message{Key: key, Session: id, Text: text, By: "Ann"}
}

// A box holds the messages that a caller has stored.
type box []message.Message

// add stores m, unless its key is known.
func (b *box) add(m message.Message) (fresh bool) {
	if slices.ContainsFunc(*b, func(o message.Message) bool { return o.ID == message.IDOf(m.Key) }) {
		return false
	}
	*b = append(*b, message.Add(m, int64(len(*b)), t0))
	return true
}

func (b box) put(changed []message.Message) {
	for _, m := range changed {
		i := slices.IndexFunc(b, func(o message.Message) bool { return o.ID == m.ID })
		b[i] = m
	}
}

func (b box) take(id session.ID, delivery string) message.Delivery {
	d := message.Take(b, id, delivery, session.Process{}, t0)
	b.put(d.Changed)
	return d
}

func TestTake(t *testing.T) {
	var b box
	b.add(msg("telegram:1", "a", "first\n  line"))
	b.add(msg("telegram:2", "b", "other"))
	b.add(msg("telegram:3", "a", "second"))
	want := "first\n  line\n\nsecond"
	if got := b.take("a", "stop-1"); got.Text != want || got.Left != 0 || !slices.Equal(got.By, []string{"Ann"}) {
		t.Errorf("took %+v, want %q", got, want)
	}
	if got := b.take("a", "stop-1"); got.Text != want || len(got.Changed) != 0 {
		t.Errorf("the same hook got %+v, want the same text and no change", got)
	}
	if got := b.take("a", "prompt-2"); got.Text != "" {
		t.Errorf("another hook got %q", got.Text)
	}
	if got := b.take("b", "stop-3"); got.Text != "other" {
		t.Errorf("the other session got %q", got.Text)
	}
}

func TestFinish(t *testing.T) {
	var b box
	b.add(msg("k1", "a", "one"))
	b.take("a", "stop-1")
	if got := message.Finish(b, "a", "stop-1", t0); len(got) != 0 {
		t.Errorf("the hook that took it finished it: %+v", got)
	}
	done := message.Finish(b, "a", "stop-2", t0)
	if len(done) != 1 || done[0].State != message.Done {
		t.Fatalf("finished %+v", done)
	}
	b.put(done)
	if got := b.take("a", "stop-1"); got.Text != "" {
		t.Errorf("a message that is done was handed over: %q", got.Text)
	}
}

func TestRoute(t *testing.T) {
	m := message.Add(msg("k", "", "for whom?"), 0, t0)
	if m.State != message.Unrouted {
		t.Fatalf("state %s", m.State)
	}
	m, err := message.Route(m, "a")
	if err != nil || m.State != message.Pending || m.Session != "a" {
		t.Errorf("routed: %+v, %v", m, err)
	}
	if again, err := message.Route(m, "b"); again != m || !errors.Is(err, message.ErrRouted) {
		t.Errorf("routed twice: %+v, %v", again, err)
	}
}

func TestDrop(t *testing.T) {
	m := message.Add(msg("k", "", "for whom?"), 0, t0)
	at := t0.Add(time.Minute)
	m, err := message.Drop(m, at)
	if err != nil || m.State != message.Done || !m.DoneAt.Equal(at) {
		t.Errorf("dropped: %+v, %v", m, err)
	}
	if after, err := message.Route(m, "a"); after != m || !errors.Is(err, message.ErrRouted) {
		t.Errorf("routed afterwards: %+v, %v", after, err)
	}
	kept := message.Add(msg("l", "a", "for a"), 0, t0)
	if got, err := message.Drop(kept, at); got != kept || !errors.Is(err, message.ErrRouted) {
		t.Errorf("one with a session: %+v, %v", got, err)
	}
}

// TestOrder checks that messages are handed over in the order of their arrival, whatever the
// order in memory.
func TestOrder(t *testing.T) {
	var b box
	for _, text := range []string{"one", "two", "three", "four"} {
		b.add(msg(text, "a", text))
	}
	slices.Reverse(b)
	b.add(msg("five", "a", "five"))
	if got := b.take("a", "x").Text; got != "one\n\ntwo\n\nthree\n\nfour\n\nfive" {
		t.Errorf("took %q", got)
	}
	if got := message.Finish(b, "a", "x", t0); len(got) > 0 {
		t.Errorf("the hook that took them finished %+v", got)
	}
}

// TestFits checks the bound of a delivery, counted in characters and with the blank lines
// between the texts.
func TestFits(t *testing.T) {
	for second, left := range map[int]int{9000 - 4096 - 4: 0, 9000 - 4096 - 3: 1} {
		var b box
		b.add(msg("1", "a", strings.Repeat("ж", 4096)))
		b.add(msg("2", "a", strings.Repeat("ж", second)))
		if d := b.take("a", "x"); d.Left != left {
			t.Errorf("4096 and %d characters: left %d, want %d", second, d.Left, left)
		}
	}
}

// TestLong checks that a text that does not fit waits for the next hook and is never cut.
func TestLong(t *testing.T) {
	var b box
	for i := range 4 {
		b.add(msg(fmt.Sprint(i), "a", strings.Repeat("ж", 4096)))
	}
	if d := b.take("a", "x"); d.Left != 2 || len(d.Changed) != 2 {
		t.Errorf("took %d, left %d", len(d.Changed), d.Left)
	}
	if d := b.take("a", "y"); d.Left != 0 || len(d.Changed) != 2 {
		t.Errorf("then took %d, left %d", len(d.Changed), d.Left)
	}
	b.add(msg("huge", "a", strings.Repeat("x", 50_000)))
	if d := b.take("a", "z"); len(d.Text) != 50_000 {
		t.Errorf("a message that fits nowhere was left: %d", len(d.Text))
	}
}

// TestExactlyOnce checks that each session gets each of its texts once and in order, however
// often its hooks ask.
func TestExactlyOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b box
		sent, got := map[session.ID][]string{}, map[session.ID][]string{}
		deliveries := map[string]string{}
		ids := []session.ID{"a", "b"}
		for i := range rapid.IntRange(1, 40).Draw(t, "steps") {
			id := rapid.SampledFrom(ids).Draw(t, "session")
			if rapid.Bool().Draw(t, "send") {
				key := fmt.Sprint(rapid.IntRange(0, 15).Draw(t, "key"))
				text := fmt.Sprintf("%s-%d", key, i)
				if b.add(msg(key, id, text)) {
					sent[id] = append(sent[id], text)
				}
				continue
			}
			name := fmt.Sprint(id, rapid.IntRange(0, 5).Draw(t, "hook"))
			d := b.take(id, name)
			if before, ok := deliveries[name]; ok && before != "" && d.Text != before {
				t.Fatalf("hook %s asked again and got %q, before %q", name, d.Text, before)
			}
			if deliveries[name] == "" && d.Text != "" {
				deliveries[name] = d.Text
				got[id] = append(got[id], strings.Split(d.Text, "\n\n")...)
			}
		}
		for _, id := range ids {
			if d := b.take(id, "last"+string(id)); d.Text != "" {
				got[id] = append(got[id], strings.Split(d.Text, "\n\n")...)
			}
			if !slices.Equal(sent[id], got[id]) {
				t.Fatalf("session %s: sent %q, got %q", id, sent[id], got[id])
			}
		}
	})
}

// TestTakeApart checks that the person's words and data are never handed over together, and
// that data has no author.
func TestTakeApart(t *testing.T) {
	all := []message.Message{
		{ID: "1", Session: "s", Seq: 1, State: message.Pending, Text: "words", By: "Ana"},
		{ID: "2", Session: "s", Seq: 2, State: message.Pending, Text: "data", By: "cron", Data: true},
		{ID: "3", Session: "s", Seq: 3, State: message.Pending, Text: "more", By: "Ana"},
	}
	first := message.Take(all, "s", "hook-1", session.Process{}, time.Time{})
	if first.Text != "words\n\nmore" || len(first.By) != 1 || first.Left != 1 {
		t.Errorf("first: %+v; want the words of Ana, and one left", first)
	}
	all[0].State, all[2].State = message.Done, message.Done
	second := message.Take(all, "s", "hook-2", session.Process{}, time.Time{})
	if second.Text != "data" || len(second.By) != 0 || second.Left != 0 {
		t.Errorf("second: %+v; want the data, by nobody", second)
	}
}

// TestVerify checks what becomes of texts that a hook or a turn took, as the proofs say.
func TestVerify(t *testing.T) {
	var b box
	for _, key := range []string{"old", "kept", "also kept", "lost", "doubtful", "waits"} {
		b.add(msg(key, "a", "text "+key))
	}
	took := func(delivery string, keys ...string) {
		for i, m := range b {
			if slices.Contains(keys, m.Key) {
				b[i].State, b[i].Delivery, b[i].DeliveredAt = message.Delivered, delivery, t0
			}
		}
	}
	took("hook-1", "kept", "also kept")
	took("hook-2", "lost")
	took("hook-3", "doubtful")
	took("hook-0", "old")
	b[0].DeliveredAt = t0.Add(-time.Second)
	b[1].State, b[1].Again = message.Pending, true // its hook was killed
	b[3].State, b[3].DoneAt = message.Done, t0     // a later hook has called
	handed := message.Handovers(b, "a", t0)
	want := []message.Handover{
		{"hook-1", "text kept\n\ntext also kept", t0}, {"hook-2", "text lost", t0}, {"hook-3", "text doubtful", t0},
	}
	if !slices.Equal(handed, want) {
		t.Errorf("handed over %+v, want %+v", handed, want)
	}
	b.put(message.Verify(b, "a", map[string]message.Proof{
		"hook-1": {Arrived: true, Sure: true}, "hook-2": {Sure: true}, "hook-3": {},
	}, t0))
	for i, want := range []struct {
		state message.State
		again bool
	}{
		{message.Delivered, false}, {message.Done, false}, {message.Done, false}, {message.Pending, false},
		{message.Pending, true}, {message.Pending, false},
	} {
		if b[i].State != want.state || b[i].Again != want.again {
			t.Errorf("%s is %s, again %t; want %+v", b[i].Key, b[i].State, b[i].Again, want)
		}
	}
	if d := b.take("a", "next"); d.Text != "text lost\n\ntext doubtful\n\ntext waits" || !d.Again {
		t.Errorf("the next one takes %+v", d)
	}
}
