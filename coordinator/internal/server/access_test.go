package server

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
		{errDenied, wire.CodeDenied}, {badRequest("x"), wire.CodeBadRequest}, {core.ErrNotFound, wire.CodeNotFound},
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

// TestOperations makes every change of the table of permissions visible.
func TestOperations(t *testing.T) {
	listed := map[access][]fmt.Stringer{
		reader: {
			wire.OpStatus, wire.OpAsks, wire.OpLoops, wire.OpLoop, wire.OpLog, wire.OpVerify, wire.OpDoctor,
			wire.OpTelegram, wire.OpTelegramPaired, wire.OpGrants, wire.OpUndos, wire.OpReport, wire.OpPing,
			wire.OpAsk, wire.OpPast, wire.OpSession, wire.OpSessions, wire.OpRuns, wire.OpRun, wire.OpRunLog,
			wire.OpTasks, wire.OpTask, wire.OpTaskFiles, wire.OpTaskFile, wire.OpRead, wire.OpTopics,
			wire.OpInbox, wire.OpTools, wire.OpMemory, wire.OpMemorySearch, wire.OpMemoryFact, wire.OpMemoryLint,
			wire.OpMemoryDay, wire.OpMemoryDays, wire.OpTriggers, wire.OpTrigger, wire.OpTriggerLog,
			wire.OpModules, wire.OpModule, wire.OpModuleFile, wire.OpSuggestions, wire.OpGaps,
		},
		self: {
			wire.OpPost, wire.OpTell, wire.OpEscalate, wire.OpWake, wire.OpRunWiden, wire.OpToolMessage, wire.OpSuggest, wire.OpGapReport, wire.OpPerson,
			wire.OpMachineCall,
		},
		owner: {wire.OpLoopCancel},
		own:   {wire.OpConsultBegin, wire.OpConsultEnd},
		asker: {wire.OpRunStart}, writer: {wire.OpMemoryAdd, wire.OpMemoryForget},
		runner: {wire.OpRunTurn, wire.OpRunEvents, wire.OpRunClock, wire.OpRunEnd},
		person: {
			wire.OpAnswer, wire.OpUndo, wire.OpSend, wire.OpRevoke, wire.OpAway, wire.OpTurnStop, wire.OpPause,
			wire.OpShutdown, wire.OpOpen, wire.OpSignOut, wire.OpPolicyTrust, wire.OpRunWait, wire.OpRunTake,
			wire.OpRunGive, wire.OpFleetServe, wire.OpFleetInvite, wire.OpFleetJoin, wire.OpFleetRename, wire.OpFleetRemove,
			wire.OpFleetLeave, wire.OpTelegramConnect, wire.OpTelegramPair, wire.OpTelegramDisconnect,
		},
		change: {
			wire.OpSuggestionDismiss, wire.OpGapSet, wire.OpTaskStop, wire.OpTaskSet, wire.OpRunStop,
			wire.OpRunRemove, wire.OpTriggerOff, wire.OpTriggerRemove, wire.OpTriggerTest,
			wire.OpModuleDisable, wire.OpModuleRestart,
		},
		standing: {
			wire.OpConfigSet, wire.OpLoopStart, wire.OpSuggestionAccept, wire.OpTaskNew, wire.OpTaskStart, wire.OpTaskEdit,
			wire.OpTaskKeep, wire.OpMemoryEdit, wire.OpTriggerNew, wire.OpTriggerOn, wire.OpTriggerRotate,
			wire.OpTriggerFire, wire.OpModuleEnable, wire.OpRunAdopt, wire.OpRunOpen,
		},
	}
	want := map[string]access{}
	for who, names := range listed {
		for _, name := range names {
			want[name.String()] = who
		}
	}
	for name, op := range operations {
		isHook := strings.HasPrefix(name, "hook.")
		if isHook != (op.access == hook) || !isHook && op.access != want[name] {
			t.Errorf("%s: have access %d, want %d", name, op.access, want[name])
		}
	}
}

// TestUnknownProcess checks that a caller about which the system knows nothing, for example
// because it has ended, may only read.
func TestUnknownProcess(t *testing.T) {
	if !peer.Supported {
		t.Skip("this system tells nothing of any process")
	}
	r := newOwnRig(t)
	for name, who := range map[string]access{"a hook": hook, "our command line": own, "a person": person} {
		for range 2 {
			if err := r.allow(operation{access: who}, &call{op: name}); !errors.Is(err, errDenied) {
				t.Errorf("it is taken for %s: %v", name, err)
			}
		}
	}
	if err := r.allowFor(&call{op: "stop"}, "s", 0); !errors.Is(err, errDenied) {
		t.Errorf("it speaks for a session: %v", err)
	}
	if err := r.allow(operation{access: reader}, &call{op: "status"}); err != nil {
		t.Errorf("it may not read: %v", err)
	}
	told, err := r.cfg.Core.Journal(t.Context(), 0, 100, "", false)
	told = slices.DeleteFunc(told, func(e event.Event) bool { return e.Kind != event.Refused })
	if err != nil || len(told) != 3 { // of what is forged once, of each decision, and of a hook that has ended nothing
		t.Errorf("told: %v, %v", told, err)
	}
}

// TestToldOnce checks that a forged operation is journalled at most once a minute.
func TestToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Config{})
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

// TestPace checks that a session posts only so much in a minute, and that another one is free.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Config{})
		for range pacePosts {
			if err := s.pace("web-1", 10); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.pace("web-1", 10); err == nil || !strings.Contains(err.Error(), "go on in 1m") {
			t.Errorf("one more: %v", err)
		}
		if err := s.pace("api-2", paceBytes); err != nil {
			t.Errorf("another session: %v", err)
		}
		if err := s.pace("api-2", 1); err == nil {
			t.Error("it posts without a bound")
		}
		time.Sleep(paceFor)
		if err := s.pace("web-1", 10); err != nil || len(s.posted) != 1 {
			t.Errorf("a minute later: %v, %v", err, s.posted)
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
		_, err := operations[string(wire.OpPerson)].do(r, &call{op: string(wire.OpPerson), body: []byte(body)})
		if errors.Is(err, errDenied) != decided || err == nil {
			t.Errorf("%s: %v", body, err)
		}
	}
	told, err := r.cfg.Core.Journal(t.Context(), 0, 100, "", false)
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
		err := r.allowHere(&call{op: string(wire.OpAnswer)})
		told, failed := r.cfg.Core.Journal(t.Context(), 0, 100, "", false)
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
	for name, op := range operations {
		if !slices.Contains([]access{change, standing, asker, writer}, op.access) {
			continue
		}
		if _, err := here.Page(t.Context(), outside, name, nil); !errors.Is(err, core.ErrChannel) {
			t.Errorf("%s on the page: %v", name, err)
		}
		if _, err := here.Phone(t.Context(), "Ann", name, nil); !errors.Is(err, core.ErrChannel) {
			t.Errorf("%s on the phone: %v", name, err)
		}
		if err := here.allow(op, &call{op: name, line: outside}); err != nil {
			t.Errorf("%s at the terminal: %v", name, err)
		}
		err := elsewhere.allow(op, &call{op: name, line: outside})
		if errors.Is(err, core.ErrChannel) != (op.access != change) {
			t.Errorf("%s at a terminal whose answers do not count: %v", name, err)
		}
		for on, want := range map[*Server]int{here: 2, elsewhere: btoi(op.access != change)} {
			told, err := on.cfg.Core.Journal(t.Context(), 0, 1000, "", false)
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
	for _, c := range []struct {
		op   fmt.Stringer
		from []string
		want string
	}{
		{wire.OpTaskNew, []string{"telegram"}, "do it on the phone: /task TEXT"},
		{wire.OpTaskNew, []string{"telegram", "web"}, "do it on the phone: /task TEXT, or on the page: Tasks"},
		{wire.OpTriggerNew, []string{"telegram"}, `add "terminal" to answers_from`},
		{wire.OpModuleEnable, []string{"web"}, "do it on the page: Modules"},
	} {
		s := newOwnRig(t, c.from...)
		if err := s.allow(operations[c.op.String()], &call{op: c.op.String(), line: outside}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %q: %v, want %q", c.op, c.from, err, c.want)
		}
	}
	for op := range ways {
		if who := operations[op].access; !slices.Contains([]access{standing, asker, writer}, who) {
			t.Errorf("%s has ways elsewhere and access %d", op, who)
		}
	}
}
