package noun

import (
	"github.com/afar-sh/afar/coordinator/internal/fleet"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/wire"
)

// of returns the handler of an operation on one thing, which find finds by its name.
func of[Thing, Reply any](
	find func(name string) (Thing, error), do func(*door.Call, Thing) (Reply, error),
) func(*door.Call, wire.Named) (Reply, error) {
	return func(c *door.Call, in wire.Named) (out Reply, err error) {
		thing, err := find(in.ID)
		if err != nil {
			return out, err
		}
		return do(c, thing)
	}
}

// Rows returns the operations on nouns, with who may ask for them.
func (s *Server) Rows() []door.Operation {
	return []door.Operation{
		door.Row(wire.OpUndos, door.Reader, s.undos),
		door.Row(wire.OpGrants, door.Reader, s.grants),
		door.Row(wire.OpSession, door.Reader, of(s.named, s.showSession)).Anywhere(fleet.OfSession),
		door.Row(wire.OpSessions, door.Reader, s.someSessions),
		door.Row(wire.OpStatus, door.Reader, s.status),
		door.Row(wire.OpAsks, door.Reader, s.asks),
		door.Row(wire.OpAsk, door.Reader, s.showAsk),
		door.Row(wire.OpPast, door.Reader, s.pastAsks),
		door.Row(wire.OpLoops, door.Reader, s.loops),
		door.Row(wire.OpLoop, door.Reader, of(s.looped, s.loop)).Anywhere(fleet.OfLoop),
		door.Row(wire.OpLog, door.Reader, s.log),
		door.Row(wire.OpVerify, door.Reader, s.verify),
		door.Row(wire.OpReport, door.Reader, s.report),
		door.Row(wire.OpDoctor, door.Reader, s.doctor),
		door.Row(wire.OpPing, door.Reader, s.ping),

		door.Row(wire.OpPost, door.Self, s.post).By(door.Step), // agents write here; it decides nothing
		door.Row(wire.OpRead, door.Reader, s.read),
		door.Row(wire.OpTopics, door.Reader, s.topics),
		door.Row(wire.OpTell, door.Self, s.tell).By(door.Step),

		door.Row(wire.OpEscalate, door.Self, s.escalate).By(door.Step), // a run of a trigger, as its rule says
		door.Row(wire.OpTools, door.Reader, s.tools),
		door.Row(wire.OpWake, door.Self, s.wake).By(door.Keyed), // a session wakes itself alone

		door.Row(wire.OpToolMessage, door.Self, s.toolMessage).By(door.Keyed).Here(), // each tool asks for its own operation

		door.Row(wire.OpInbox, door.Reader, s.inbox),

		door.Row(wire.OpAnswer, door.Person, s.answerAsk).By(door.Step),       // an allow needs a terminal, see there
		door.Row(wire.OpUndo, door.Person, s.undo).By(door.Step).Anywhere(""), // an act does not wait for its end
		door.Row(wire.OpSend, door.Person, s.send).By(door.Step),              // words need a terminal, see there
		door.Row(wire.OpRevoke, door.Person, s.revoke).By(door.Step),
		door.Row(wire.OpAway, door.Person, s.away).By(door.Step),
		door.Row(wire.OpTurnStop, door.Person, of(s.named, s.turnStop)).By(door.Step).Anywhere(""),
		door.Row(wire.OpPause, door.Person, s.pause).By(door.Step),
		door.Row(wire.OpLoopStart, door.Standing, s.loopStart).By(door.Step),
		door.Row(wire.OpLoopCancel, door.Owner, s.loopCancel).By(door.Step).Anywhere(""), // a way out, at every channel
		door.Row(wire.OpConfigSet, door.Standing, s.configSet).By(door.Keyed).Here(),
		door.Row(wire.OpShutdown, door.Person, s.shutdown).By(door.Keyed).Here(),

		door.Row(wire.OpOpen, door.Person, s.open).By(door.Step),
		door.Row(wire.OpSignOut, door.Person, s.signOut).By(door.Step).Here(),

		// Accepting one needs a terminal, see there.
		door.Row(wire.OpPolicyTrust, door.Person, s.policyTrust).By(door.Keyed).Here(),

		door.Row(wire.OpRuns, door.Reader, s.runs),
		door.Row(wire.OpRun, door.Reader, s.runShow).Anywhere(fleet.OfRun),
		door.Row(wire.OpRunLog, door.Reader, s.runLog).Anywhere(""),

		door.Row(wire.OpSuggestions, door.Reader, s.suggestions),
		door.Row(wire.OpSuggest, door.Self, s.suggest).By(door.Keyed), // agents suggest here; it decides nothing
		door.Row(wire.OpSuggestionAccept, door.Standing, s.suggestionAccept).By(door.Keyed).
			Ways("Suggestions", "/suggestions"),
		door.Row(wire.OpSuggestionDismiss, door.Change, s.suggestionDismiss).By(door.Keyed),

		door.Row(wire.OpGaps, door.Reader, s.gaps),
		door.Row(wire.OpGapReport, door.Self, s.gapReport).By(door.Keyed), // agents report here; it decides nothing
		door.Row(wire.OpGapSet, door.Change, s.gapSet).By(door.Keyed),

		door.Row(wire.OpTasks, door.Reader, s.tasks),
		door.Row(wire.OpTask, door.Reader, of(s.taskNamed, s.task)).Anywhere(fleet.OfTask),
		door.Row(wire.OpTaskNew, door.Standing, s.taskNew).By(door.Keyed).Ways("Tasks", "/task TEXT"),
		door.Row(wire.OpTaskStart, door.Standing, s.taskStart).By(door.Keyed).Anywhere("").Ways("Tasks", "/tasks"),
		door.Row(wire.OpTaskStop, door.Change, of(s.taskNamed, s.taskStop)).By(door.Step).Anywhere(""),
		door.Row(wire.OpTaskSet, door.Change, s.taskSet).By(door.Keyed).Anywhere(""),
		door.Row(wire.OpTaskFiles, door.Reader, of(s.taskNamed, s.taskFiles)).Anywhere(""),
		door.Row(wire.OpTaskFile, door.Reader, s.taskFile).Anywhere(""),
		door.Row(wire.OpTaskEdit, door.Standing, s.taskEdit).By(door.Keyed).Anywhere(""),
		door.Row(wire.OpTaskKeep, door.Standing, s.taskKeep).By(door.Keyed).Anywhere(""),

		door.Row(wire.OpMemory, door.Reader, s.memory),
		door.Row(wire.OpMemorySearch, door.Reader, s.memorySearch),
		door.Row(wire.OpMemoryFact, door.Reader, of(factNamed, s.memoryFact)),
		door.Row(wire.OpMemoryLint, door.Reader, s.memoryLint),
		door.Row(wire.OpMemoryDay, door.Reader, s.memoryDay),
		door.Row(wire.OpMemoryDays, door.Reader, s.memoryDays),
		door.Row(wire.OpMemoryEdit, door.Standing, s.memoryEdit).By(door.Keyed),
		// The fact names its source.
		door.Row(wire.OpMemoryAdd, door.Writer, s.memoryAdd).By(door.Keyed).Ways("Memory", "/remember TEXT"),
		// A session only archives.
		door.Row(wire.OpMemoryForget, door.Writer, of(factNamed, s.memoryForget)).By(door.Keyed).Ways("Memory", ""),
		door.Row(wire.OpTriggers, door.Reader, s.triggers),
		door.Row(wire.OpTrigger, door.Reader, of(s.triggerNamed, s.trigger)),
		door.Row(wire.OpTriggerLog, door.Reader, s.triggerLog),
		door.Row(wire.OpTriggerNew, door.Standing, s.triggerNew).By(door.Keyed),
		door.Row(wire.OpTriggerOn, door.Standing, of(s.triggerNamed, s.triggerOn)).By(door.Step).
			Ways("Triggers", "/triggers, for a rule that you had approved"),
		door.Row(wire.OpTriggerOff, door.Change, of(s.triggerNamed, s.triggerOff)).By(door.Step),
		door.Row(wire.OpTriggerRemove, door.Change, of(s.triggerNamed, s.triggerRemove)).By(door.Keyed),
		door.Row(wire.OpTriggerRotate, door.Standing, of(s.triggerNamed, s.triggerRotate)).By(door.Keyed),
		door.Row(wire.OpTriggerFire, door.Standing, s.triggerFire).By(door.Step).Ways("Triggers", ""),
		door.Row(wire.OpTriggerTest, door.Change, s.triggerTest).By(door.Keyed), // it runs the rule's filter

		door.Row(wire.OpModules, door.Reader, s.modules),
		door.Row(wire.OpModule, door.Reader, of(s.moduleNamed, s.module)),
		door.Row(wire.OpModuleFile, door.Reader, s.moduleFile),
		door.Row(wire.OpModuleEnable, door.Standing, s.moduleEnable).By(door.Step).
			Ways("Modules", "/modules, for a folder that you had enabled"),
		door.Row(wire.OpModuleDisable, door.Change, of(s.moduleNamed, s.moduleDisable)).By(door.Step),
		door.Row(wire.OpModuleRestart, door.Change, of(s.moduleNamed, s.moduleRestart)).By(door.Keyed),

		// A session only proposes one, see there.
		door.Row(wire.OpRunStart, door.Asker, s.runStart).By(door.Step).Ways("Runs", "/run TEXT").Proposes(s.proposeOn),
		door.Row(wire.OpRunWiden, door.Self, s.runWiden).By(door.Keyed), // a run asks for itself alone
		door.Row(wire.OpRunOpen, door.Standing, s.runOpen).By(door.Keyed).Here(),
		door.Row(wire.OpRunWait, door.Person, s.runWait).By(door.Step), // an act does not wait
		door.Row(wire.OpRunStop, door.Change, of(s.runNamed, s.runStop)).By(door.Step).Anywhere(""),
		door.Row(wire.OpRunRemove, door.Change, of(s.runNamed, s.runRemove)).By(door.Step).Anywhere(""),
		door.Row(wire.OpRunTake, door.Person, s.runTake).By(door.Keyed).Here(), // needs a terminal, see there
		door.Row(wire.OpRunGive, door.Person, of(s.runNamed, s.runGive)).By(door.Step).Anywhere(""),
		door.Row(wire.OpRunAdopt, door.Standing, s.runAdopt).By(door.Step),
		door.Row(wire.OpRunTurn, door.Runner, s.runTurn),
		door.Row(wire.OpRunEvents, door.Runner, s.runEvents),
		door.Row(wire.OpRunClock, door.Runner, s.runClock),
		door.Row(wire.OpRunEnd, door.Runner, s.runEnd),

		door.Row(wire.OpMachines, door.Reader, s.machines),
		door.Row(wire.OpMachine, door.Reader, s.machine),
		door.Row(wire.OpFleetServe, door.Person, s.fleetServe).By(door.Keyed).Here(),
		door.Row(wire.OpFleetInvite, door.Person, s.fleetInvite).By(door.Keyed).Here(),
		door.Row(wire.OpFleetJoin, door.Person, s.fleetJoin).By(door.Keyed).Here(),
		door.Row(wire.OpFleetRename, door.Person, s.fleetRename).By(door.Keyed).Here(),
		door.Row(wire.OpFleetRemove, door.Person, of(s.cfg.Core.Machine, s.fleetRemove)).By(door.Keyed).Here(),
		door.Row(wire.OpFleetLeave, door.Person, s.fleetLeave).By(door.Keyed).Here(),

		door.Row(wire.OpTelegram, door.Reader, s.telegram),
		door.Row(wire.OpTelegramConnect, door.Person, s.telegramConnect).By(door.Keyed).Here(),
		door.Row(wire.OpTelegramPair, door.Person, s.telegramPair).By(door.Keyed).Here(),
		door.Row(wire.OpTelegramPaired, door.Reader, s.telegramPaired),
		door.Row(wire.OpTelegramDisconnect, door.Person, s.telegramDisconnect).By(door.Keyed).Here(),
	}
}
