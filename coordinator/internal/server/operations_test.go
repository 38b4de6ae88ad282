package server

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/wire"
)

// TestOperationsHaveRows checks that each operation of wire has a row. The compiler compares their types.
func TestOperationsHaveRows(t *testing.T) {
	files, err := filepath.Glob("../../wire/*.go")
	if err != nil {
		t.Fatal(err)
	}
	named, operations := 0, New(Config{}).operations(nil)
	declared := regexp.MustCompile(`\bOp\w+ +Op\[\w+, \w+\] += "([\w.-]+)"`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range declared.FindAllStringSubmatch(string(text), -1) {
			named++
			if _, has := operations[m[1]]; !has {
				t.Errorf("%s: the operation %q has no row", file, m[1])
			}
		}
	}
	if named != len(operations) {
		t.Errorf("package wire has %d operations, and the table has %d rows", named, len(operations))
	}
}

// TestOperationsHaveAManner checks that each operation which a person may ask for on a channel says how it becomes
// one with the update, and that one which reads is open to all.
func TestOperationsHaveAManner(t *testing.T) {
	for name, op := range New(Config{}).operations(nil) {
		forHosts := slices.Contains([]door.Access{door.Hook, door.Own, door.Runner}, op.Access)
		if changes := op.Manner != door.Reading; changes != (op.Access != door.Reader && !forHosts) {
			t.Errorf("%s has the access %d and the manner %d", name, op.Access, op.Manner)
		}
	}
}

// TestWaysAreNeeded checks that only an operation which needs a channel whose answers count says where else it is done.
func TestWaysAreNeeded(t *testing.T) {
	for name, op := range New(Config{}).operations(nil) {
		if op.Page+op.Phone != "" && !slices.Contains([]door.Access{door.Standing, door.Asker, door.Writer}, op.Access) {
			t.Errorf("%s has ways elsewhere and access %d", name, op.Access)
		}
	}
}

// TestOperations makes every change of the table of permissions visible.
func TestOperations(t *testing.T) {
	listed := map[door.Access][]fmt.Stringer{
		door.Reader: {
			wire.OpStatus, wire.OpAsks, wire.OpLoops, wire.OpLoop, wire.OpLog, wire.OpVerify, wire.OpDoctor,
			wire.OpTelegram, wire.OpTelegramPaired, wire.OpGrants, wire.OpUndos, wire.OpReport, wire.OpPing,
			wire.OpAsk, wire.OpPast, wire.OpSession, wire.OpSessions, wire.OpRuns, wire.OpRun, wire.OpRunLog,
			wire.OpTasks, wire.OpTask, wire.OpTaskFiles, wire.OpTaskFile, wire.OpRead, wire.OpTopics,
			wire.OpInbox, wire.OpTools, wire.OpMemory, wire.OpMemorySearch, wire.OpMemoryFact, wire.OpMemoryLint,
			wire.OpMemoryDay, wire.OpMemoryDays, wire.OpTriggers, wire.OpTrigger, wire.OpTriggerLog,
			wire.OpModules, wire.OpModule, wire.OpModuleFile, wire.OpSuggestions, wire.OpGaps,
		},
		door.Self: {
			wire.OpPost, wire.OpTell, wire.OpEscalate, wire.OpWake, wire.OpRunWiden, wire.OpToolMessage,
			wire.OpSuggest, wire.OpGapReport, wire.OpPerson, wire.OpMachineCall,
		},
		door.Owner: {wire.OpLoopCancel},
		door.Own:   {wire.OpConsultBegin, wire.OpConsultEnd},
		door.Asker: {wire.OpRunStart}, door.Writer: {wire.OpMemoryAdd, wire.OpMemoryForget},
		door.Runner: {wire.OpRunTurn, wire.OpRunEvents, wire.OpRunClock, wire.OpRunEnd},
		door.Person: {
			wire.OpAnswer, wire.OpUndo, wire.OpSend, wire.OpRevoke, wire.OpAway, wire.OpTurnStop, wire.OpPause,
			wire.OpShutdown, wire.OpOpen, wire.OpSignOut, wire.OpPolicyTrust, wire.OpRunWait, wire.OpRunTake,
			wire.OpRunGive, wire.OpFleetServe, wire.OpFleetInvite, wire.OpFleetJoin, wire.OpFleetRename, wire.OpFleetRemove,
			wire.OpFleetLeave, wire.OpTelegramConnect, wire.OpTelegramPair, wire.OpTelegramDisconnect,
		},
		door.Change: {
			wire.OpSuggestionDismiss, wire.OpGapSet, wire.OpTaskStop, wire.OpTaskSet, wire.OpRunStop,
			wire.OpRunRemove, wire.OpTriggerOff, wire.OpTriggerRemove, wire.OpTriggerTest,
			wire.OpModuleDisable, wire.OpModuleRestart,
		},
		door.Standing: {
			wire.OpConfigSet, wire.OpLoopStart, wire.OpSuggestionAccept, wire.OpTaskNew, wire.OpTaskStart, wire.OpTaskEdit,
			wire.OpTaskKeep, wire.OpMemoryEdit, wire.OpTriggerNew, wire.OpTriggerOn, wire.OpTriggerRotate,
			wire.OpTriggerFire, wire.OpModuleEnable, wire.OpRunAdopt, wire.OpRunOpen,
		},
	}
	want := map[string]door.Access{}
	for who, names := range listed {
		for _, name := range names {
			want[name.String()] = who
		}
	}
	for name, op := range New(Config{}).operations(nil) {
		isHook := strings.HasPrefix(name, "hook.")
		if isHook != (op.Access == door.Hook) || !isHook && op.Access != want[name] {
			t.Errorf("%s: have access %d, want %d", name, op.Access, want[name])
		}
	}
}

// TestHere makes every change of the operations that no machine carries out for another visible.
func TestHere(t *testing.T) {
	here := []fmt.Stringer{
		wire.OpShutdown, wire.OpPerson, wire.OpSignOut, wire.OpMachineCall, wire.OpConfigSet, wire.OpPolicyTrust,
		wire.OpToolMessage, wire.OpTelegramConnect, wire.OpTelegramPair, wire.OpTelegramDisconnect, wire.OpFleetServe,
		wire.OpFleetInvite, wire.OpFleetJoin, wire.OpFleetRename, wire.OpFleetRemove, wire.OpFleetLeave, wire.OpRunTake,
		wire.OpRunOpen,
	}
	want := map[string]bool{}
	for _, op := range here {
		want[op.String()] = true
	}
	for name, op := range New(Config{}).operations(nil) {
		if op.IsHere != want[name] {
			t.Errorf("%s: is here alone: %t", name, op.IsHere)
		}
	}
}
