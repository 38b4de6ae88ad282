package door

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/peer"
	"github.com/afar-sh/afar/coordinator/wire"
)

// TestCodes checks the code of each domain error. No other place assigns codes.
func TestCodes(t *testing.T) {
	for _, c := range []struct {
		err  error
		code string
	}{
		{ErrDenied, wire.CodeDenied}, {BadRequest("x"), wire.CodeBadRequest}, {core.ErrNotFound, wire.CodeNotFound},
		{core.ErrBound, wire.CodeBadRequest}, {core.ErrChannel, wire.CodeDenied}, {ask.ErrSettled, wire.CodeSettled},
		{loop.ErrNone, wire.CodeNotFound},
		{loop.ErrDepth, wire.CodeBadRequest}, {loop.ErrNoTask, wire.CodeBadRequest},
		{context.Canceled, wire.CodeClosing},
		{errors.New("disk full"), wire.CodeInternal},
	} {
		wrapped := fmt.Errorf("do it: %w", c.err)
		if got := success("x", wrapped); got.Code != c.code || got.Error != wrapped.Error() || got.Body != nil ||
			got.V != wire.Version {
			t.Errorf("%v: have %+v, want %q", c.err, got, c.code)
		}
	}
	if got := success(map[string]int{"a": 1}, nil); got.Code != wire.CodeOK || string(got.Body) != `{"a":1}` {
		t.Errorf("have %+v", got)
	}
	if got := success(func() {}, nil); got.Code != wire.CodeInternal {
		t.Errorf("a body that cannot be written: %+v", got)
	}
}

// TestUnknownProcess checks that a caller about which the system knows nothing, for example
// because it has ended, may only read.
func TestUnknownProcess(t *testing.T) {
	if !peer.Supported {
		t.Skip("this system tells nothing of any process")
	}
	r := newOwnRig(t)
	for name, who := range map[string]Access{"a hook": Hook, "our command line": Own, "a person": Person} {
		for range 2 {
			if err := (&Call{door: r, op: name}).allow(Operation{Access: who}); !errors.Is(err, ErrDenied) {
				t.Errorf("it is taken for %s: %v", name, err)
			}
		}
	}
	if err := (&Call{door: r, op: "stop"}).AllowFor("s", 0); !errors.Is(err, ErrDenied) {
		t.Errorf("it speaks for a session: %v", err)
	}
	if err := (&Call{door: r, op: "status"}).allow(Operation{Access: Reader}); err != nil {
		t.Errorf("it may not read: %v", err)
	}
	told, err := r.core.Journal(t.Context(), 0, 100, "", false)
	told = slices.DeleteFunc(told, func(e event.Event) bool { return e.Kind != event.Refused })
	if err != nil || len(told) != 3 { // of what is forged once, of each decision, and of a hook that has ended nothing
		t.Errorf("told: %v, %v", told, err)
	}
}

// TestToldOnce checks that a forged operation is journalled at most once a minute.
func TestToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Config{Operations: ofEachAccess})
		for i, want := range []bool{true, false, false, true, false} {
			if got := s.fresh("x"); got != want {
				t.Errorf("after %d × 20 s: told %t", i, got)
			}
			if i == 0 && !s.fresh("y") {
				t.Error("another text is not told")
			}
			time.Sleep(tellEvery / 3)
		}
		time.Sleep(2 * tellEvery)
		if s.fresh("z"); len(s.told) != 1 {
			t.Errorf("what was told long ago is kept: %v", s.told)
		}
	})
}

// TestDecisionByName checks that a decision that is made elsewhere has a name of at most 40
// bytes, which the journal shows on one line.
func TestDecisionByName(t *testing.T) {
	if !peer.Supported {
		t.Skip("nobody is refused here")
	}
	r := newOwnRig(t)
	for body, decided := range map[string]bool{
		``: false, `7`: false, `{}`: false, `{"id":7}`: false, `{"id":"` + strings.Repeat("x", 41) + `"}`: false,
		`{"id":"` + strings.Repeat("x", 40) + `"}`: true, `{"id":"un\ninstall"}`: true,
	} {
		_, err := r.table[string(wire.OpPerson)].do(&Call{door: r, op: string(wire.OpPerson), body: []byte(body)})
		if errors.Is(err, ErrDenied) != decided || err == nil {
			t.Errorf("%s: %v", body, err)
		}
	}
	told, err := r.core.Journal(t.Context(), 0, 100, "", false)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range told {
		if e.Kind == event.Refused && (e.Subject == string(wire.OpPerson) || strings.Contains(e.Subject+e.Text, "\n")) {
			t.Errorf("the journal says %+v", e)
		}
	}
}

// TestElsewhereAlone checks that an answer at the terminal is refused and journalled if only
// answers from the phone count.
func TestElsewhereAlone(t *testing.T) {
	for _, from := range [][]string{nil, {"terminal"}, {"telegram"}} {
		r := newOwnRig(t, from...)
		err := (&Call{door: r, op: string(wire.OpAnswer)}).AllowHere()
		told, failed := r.core.Journal(t.Context(), 0, 100, "", false)
		refused := slices.ContainsFunc(told, func(e event.Event) bool { return e.Kind == event.Refused })
		if want := slices.Equal(from, []string{"telegram"}); failed != nil || errors.Is(err, core.ErrChannel) != want ||
			refused != want {
			t.Errorf("from %q: %v, journalled: %t, %v", from, err, refused, failed)
		}
	}
}

// TestChangesElsewhere checks that what changes triggers, suggestions, gaps, tasks, memory and runs is
// refused on the page and the phone, and journalled, if only answers at the terminal count there. What
// gives authority or starts work is refused at the terminal too where answers there do not count, and
// what takes away is not.
func TestChangesElsewhere(t *testing.T) {
	if !peer.Supported {
		t.Skip("nobody is refused here")
	}
	outside := []peer.Process{{PID: 1, Exe: "/usr/bin/browser"}}
	here, elsewhere := newOwnRig(t, "terminal"), newOwnRig(t, "telegram")
	for name, op := range here.table {
		if !slices.Contains([]Access{Change, Standing, Asker, Writer}, op.Access) {
			continue
		}
		if _, err := here.Page(t.Context(), outside, name, nil); !errors.Is(err, core.ErrChannel) {
			t.Errorf("%s on the page: %v", name, err)
		}
		if _, err := here.Phone(t.Context(), "Ann", name, nil); !errors.Is(err, core.ErrChannel) {
			t.Errorf("%s on the phone: %v", name, err)
		}
		if err := (&Call{door: here, op: name, Line: outside}).allow(op); err != nil {
			t.Errorf("%s at the terminal: %v", name, err)
		}
		err := (&Call{door: elsewhere, op: name, Line: outside}).allow(op)
		if errors.Is(err, core.ErrChannel) != (op.Access != Change) {
			t.Errorf("%s at a terminal whose answers do not count: %v", name, err)
		}
		for on, want := range map[*Door]int{here: 2, elsewhere: btoi(op.Access != Change)} {
			told, err := on.core.Journal(t.Context(), 0, 1000, "", false)
			refused := slices.DeleteFunc(told, func(e event.Event) bool {
				return e.Kind != event.Refused || e.Subject != name
			})
			if err != nil || len(refused) != want {
				t.Errorf("%s: the journal has %+v, %v", name, refused, err)
			}
		}
	}
}

func btoi(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// TestSaysWhereItCounts checks that a refusal names a place where the person can do it.
func TestSaysWhereItCounts(t *testing.T) {
	if !peer.Supported {
		t.Skip("nobody is refused here")
	}
	outside := []peer.Process{{PID: 1, Exe: "/usr/bin/bash"}}
	both, none, page := Operation{}.Ways("Tasks", "/task TEXT"), Operation{}, Operation{}.Ways("Modules", "")
	for _, c := range []struct {
		op   Operation
		from []string
		want string
	}{
		{both, []string{"telegram"}, "do it on the phone: /task TEXT"},
		{both, []string{"telegram", "web"}, "do it on the phone: /task TEXT, or on the page: Tasks"},
		{none, []string{"telegram"}, `add "terminal" to answers_from`},
		{page, []string{"web"}, "do it on the page: Modules"},
	} {
		c.op.Access = Standing
		err := (&Call{door: newOwnRig(t, c.from...), op: "x", Line: outside}).allow(c.op)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v with %q: %v, want %q", c.op, c.from, err, c.want)
		}
	}
}

// TestRemote checks that the hub has a machine do only what may be done twice and is not about the machine itself.
func TestRemote(t *testing.T) {
	do := func(*Call, wire.None) (out wire.None, err error) { return out, nil }
	op := func(name string) wire.Op[wire.None, wire.None] { return wire.Op[wire.None, wire.None](name) }
	d := newOwnRig(t)
	d.table = TableOf([]Operation{
		Row(op("reads"), Reader, do), Row(op("keyed"), Person, do).By(Keyed), Row(op("once"), Person, do).By(Step),
		Row(op("here"), Person, do).By(Keyed).Here(),
	})
	d.cfg.Marks = func() {}
	for name, ok := range map[string]bool{"reads": true, "keyed": true, "once": false, "here": false, "none": false} {
		if _, err := d.Remote(t.Context(), "hub", name, wire.None{}); (err == nil) != ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}
