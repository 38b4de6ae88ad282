package link

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"
)

// TestPieces checks that a large body arrives whole in both directions, and that a small request goes between its pieces.
func TestPieces(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a, _ := f.member()
	connected(t, a)
	large := make([]byte, 20<<20)
	if testing.Short() {
		large = large[:5<<20] // the race detector sees the same in a quarter of it
	}
	for i := range large {
		large[i] = byte(i * i >> 7)
	}
	done := make(chan error, 1)
	var got []byte
	go func() {
		var err error
		got, err = a.Call(t.Context(), "greet", large)
		done <- err
	}()
	between := 0
	for {
		select {
		case err := <-done:
			if err != nil || !bytes.HasSuffix(got, large) {
				t.Fatalf("%d bytes, %v", len(got), err)
			}
			if between < 10 {
				t.Errorf("%d small requests were answered meanwhile", between)
			}
			return
		default:
		}
		if _, err := a.Call(t.Context(), "greet", []byte("small")); err != nil {
			t.Fatal(err)
		}
		between++
	}
}

// TestBadPieces checks that pieces of no known body are refused, that a machine keeps no more than maxBody of them, and
// that it forgets those that nobody asks for.
func TestBadPieces(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a, _ := f.member()
	connected(t, a)
	a.mu.Lock()
	l := a.line
	a.mu.Unlock()
	if l == nil {
		t.Fatal("the member has no session")
	}
	ask := func(kind string, body []byte) error {
		_, err := l.ask(t.Context(), kind, body)
		return err
	}
	key := newKey()
	var refusal *Refusal
	for what, err := range map[string]error{
		"the whole of nothing":  ask(kindWhole, append(key[:keySize:keySize], "greet"...)),
		"a piece of nothing":    ask(kindPull, append(key[:keySize:keySize], make([]byte, 8)...)),
		"a place without end":   ask(kindPull, append(key[:keySize:keySize], 1, 2)),
		"a key that is no key":  ask(kindPart, []byte("short")),
		"a piece without bytes": ask(kindPart, key),
	} {
		if !errors.As(err, &refusal) || refusal.Code != codeFailed {
			t.Errorf("%s: %v", what, err)
		}
	}
	if testing.Short() {
		return // the race detector takes most of a minute for so many bytes
	}
	part := append(key[:keySize:keySize], make([]byte, piece)...)
	var err error
	for n := 0; err == nil && n <= maxBody/piece; n++ {
		err = ask(kindPart, part)
	}
	if !errors.As(err, &refusal) || refusal.Code != codeBusy {
		t.Errorf("more than it keeps: %v", err)
	}
	if err := ask(kindPart, part); err != nil {
		t.Errorf("after that: %v", err)
	}
	if _, err := a.Call(context.Background(), "greet", []byte("you")); err != nil {
		t.Errorf("an ordinary request after that: %v", err)
	}
	s := pieces{}
	if err := s.add("old", make([]byte, maxBody)); err != nil {
		t.Fatal(err)
	}
	s.bodies["old"].at = time.Now().Add(-2 * forgetAfter)
	if err := s.add("new", make([]byte, maxBody)); err != nil || s.size != maxBody {
		t.Errorf("beside what nobody asked for: %v, %d bytes", err, s.size)
	}
}
