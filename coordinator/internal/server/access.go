package server

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/internal/callers"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/fleet"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/peer"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// An access says who may ask for an operation. Every caller is a process of the
// coordinator's own user: Server.caller has checked that.
type access int

// It also says whose the things are that the operation changes. What is a session's is
// changed by that session and by the person, and by nobody else.
const (
	reader   access = iota // anyone: it changes nothing
	self                   // anyone, in their own name: it changes what is the caller's, and decides nothing
	owner                  // the session that the request names, and the person; see owned
	hook                   // a hook binary of this installation, for the session of its client; see allowFor
	own                    // the afar program of this installation, for the consultation that it began
	runner                 // the runner of this installation, for the turn that it drives; its fence says which
	person                 // a decision: never from inside a session
	change                 // as person, and from the page and the phone only where answers count: it takes away
	standing               // as person, and only where answers count: it gives authority that stays, or starts work
	asker                  // as standing; a session may ask for it, and its person decides
	writer                 // as standing; a session may do it in its own name
)

// A manner says how an operation becomes one with the end of the update that asked for it on a channel, so
// that a coordinator which dies and handles the update again has one effect and gives one reply.
type manner int

const (
	reading manner = iota // it changes nothing: what it replies is asked for when the channel tells it
	step                  // one step of core: what it changes, the end of the update and the reply are one commit
	keyed                 // it touches files, git or a process first, and comes to the same when it is done again
)

// An operation is one row of the table: who may ask for it, and what it does.
type operation struct {
	name   string
	access access
	manner manner
	do     func(*Server, *call) (any, error)             // decodes the body of the call
	take   func(s *Server, c *call, in any) (any, error) // takes the request itself, of the type that the Op names
	// reply decodes what another machine replies, "" for nothing yet.
	reply func(raw json.RawMessage, on wire.Origin) (any, error)
	// isAnywhere says that it is carried out on the machine of the thing that the id of its request names.
	isAnywhere bool
	mirrored   string // how the hub mirrors such things, "" for not at all
}

// row returns the row of an operation whose handler takes a decoded request. For a call
// without a body the handler gets the zero request.
func row[Request, Reply any](
	op wire.Op[Request, Reply], who access, do func(*Server, *call, Request) (Reply, error),
) operation {
	decoder := hostjson.NewDecoder[Request]()
	return operation{
		name:   string(op),
		access: who,
		do: func(s *Server, c *call) (any, error) {
			if len(c.body) == 0 || string(c.body) == "null" {
				return do(s, c, *new(Request))
			}
			in, err := decode(c, decoder)
			if err != nil {
				return nil, badRequest("%s: %v", c.op, err)
			}
			return do(s, c, in)
		},
		take:  func(s *Server, c *call, in any) (any, error) { return do(s, c, in.(Request)) },
		reply: func(raw json.RawMessage, on wire.Origin) (any, error) { return decodeReply(op, raw, on) },
	}
}

// anywhere returns a row whose operation is carried out on the machine of the thing that its request names. mirrored
// is how the hub mirrors such things, "" for not at all.
func (o operation) anywhere(mirrored string) operation {
	o.isAnywhere, o.mirrored = true, mirrored
	return o
}

// by returns a row whose operation changes something, in this manner.
func (o operation) by(m manner) operation {
	o.manner = m
	return o
}

// owned returns the row of an operation that changes something of one session. of returns
// that session by its name.
func owned[Reply any](
	op wire.Op[wire.Named, Reply], of func(*Server, string) (session.Session, error),
	do func(*Server, *call, wire.Named) (Reply, error),
) operation {
	return row(op, owner, func(s *Server, c *call, in wire.Named) (out Reply, err error) {
		v, err := of(s, in.ID)
		if err == nil {
			err = s.allowOwner(c, v)
		}
		if err != nil {
			return out, err
		}
		return do(s, c, in)
	})
}

// table returns operations by their names.
func table(rows ...operation) map[string]operation {
	all := make(map[string]operation, len(rows))
	for _, row := range rows {
		all[row.name] = row
	}
	return all
}

// operations is the whole surface of the socket, with its permissions.
var operations = table(
	row(wire.OpSessionStart, hook, (*Server).sessionStart),
	row(wire.OpSessionEnd, hook, (*Server).sessionEnd),
	row(wire.OpPrompt, hook, (*Server).prompt),
	row(wire.OpExpand, hook, (*Server).expand),
	row(wire.OpGuarded, hook, (*Server).guarded),
	row(wire.OpOutcome, hook, (*Server).outcome),
	row(wire.OpStop, hook, (*Server).stop),
	row(wire.OpCheck, hook, (*Server).check),
	row(wire.OpStopFailure, hook, (*Server).stopFailure),
	row(wire.OpPreCompact, hook, (*Server).preCompact),
	row(wire.OpSubagentStop, hook, (*Server).subagentStop),
	row(wire.OpSubagentStart, hook, (*Server).subagentStart),
	row(wire.OpNotification, hook, (*Server).notification),
	row(wire.OpDebug, hook, (*Server).debug),
	row(wire.OpAskOpen, hook, (*Server).askOpen),
	row(wire.OpAskWait, hook, (*Server).askWait),
	row(wire.OpAskClaim, hook, (*Server).askClaim),
	row(wire.OpAskEnded, hook, (*Server).askEnded),
	row(wire.OpTurn, hook, (*Server).turn),
	row(wire.OpRetry, hook, (*Server).retry),
	row(wire.OpMessageTake, hook, (*Server).messageTake),
	row(wire.OpCheckInOver, hook, (*Server).checkInOver),
	row(wire.OpParkedWait, hook, (*Server).parkedWait),
	row(wire.OpErrandWait, hook, (*Server).errandWait),
	row(wire.OpRewake, hook, (*Server).rewake),
	row(wire.OpBatch, hook, (*Server).batch),
	row(wire.OpPrinted, hook, (*Server).printed),

	row(wire.OpConfigRefused, hook, (*Server).configRefused),

	row(wire.OpUndoTake, hook, (*Server).undoTake),

	row(wire.OpConsults, hook, (*Server).consults),
	row(wire.OpConsultBegin, own, (*Server).consultBegin),
	row(wire.OpConsultEnd, own, (*Server).consultEnd),

	row(wire.OpUndos, reader, (*Server).undos),
	row(wire.OpGrants, reader, (*Server).grants),
	row(wire.OpSession, reader, (*Server).showSession).anywhere(fleet.OfSession),
	row(wire.OpSessions, reader, (*Server).someSessions),
	row(wire.OpStatus, reader, (*Server).status),
	row(wire.OpAsks, reader, (*Server).asks),
	row(wire.OpAsk, reader, (*Server).showAsk),
	row(wire.OpPast, reader, (*Server).pastAsks),
	row(wire.OpLoops, reader, (*Server).loops),
	row(wire.OpLoop, reader, (*Server).loop).anywhere(fleet.OfLoop),
	row(wire.OpLog, reader, (*Server).log),
	row(wire.OpVerify, reader, (*Server).verify),
	row(wire.OpReport, reader, (*Server).report),
	row(wire.OpDoctor, reader, (*Server).doctor),
	row(wire.OpPing, reader, (*Server).ping),

	row(wire.OpPost, self, (*Server).post).by(step), // agents write here; it decides nothing
	row(wire.OpRead, reader, (*Server).read),
	row(wire.OpTopics, reader, (*Server).topics),
	row(wire.OpTell, self, (*Server).tell).by(step),

	row(wire.OpEscalate, self, (*Server).escalate).by(step), // a run of a trigger, as its rule says
	row(wire.OpTools, reader, (*Server).tools),
	row(wire.OpWake, self, (*Server).wake).by(keyed), // a session wakes itself alone

	row(wire.OpToolMessage, self, (*Server).toolMessage).by(keyed), // each tool asks for its own operation

	row(wire.OpInbox, reader, (*Server).inbox),

	row(wire.OpAnswer, person, (*Server).answerAsk).by(step),       // an allow needs a terminal, see there
	row(wire.OpUndo, person, (*Server).undo).by(step).anywhere(""), // an act does not wait for its end
	row(wire.OpSend, person, (*Server).send).by(step),              // words need a terminal, see there
	row(wire.OpRevoke, person, (*Server).revoke).by(step),
	row(wire.OpAway, person, (*Server).away).by(step),
	row(wire.OpTurnStop, person, (*Server).turnStop).by(step).anywhere(""),
	row(wire.OpPause, person, (*Server).pause).by(step),
	row(wire.OpLoopStart, standing, (*Server).loopStart).by(step),
	owned(wire.OpLoopCancel, (*Server).looped, (*Server).loopCancel).by(step).anywhere(""), // a way out, at every channel
	row(wire.OpConfigSet, standing, (*Server).configSet).by(keyed),
	row(wire.OpShutdown, person, (*Server).shutdown).by(keyed),
	row(wire.OpPerson, self, (*Server).person).by(step),

	row(wire.OpOpen, person, (*Server).open).by(step),
	row(wire.OpSignOut, person, (*Server).signOut).by(step),

	row(wire.OpPolicyTrust, person, (*Server).policyTrust).by(keyed), // accepting one needs a terminal, see there

	row(wire.OpRuns, reader, (*Server).runs),
	row(wire.OpRun, reader, (*Server).runShow).anywhere(fleet.OfRun),
	row(wire.OpRunLog, reader, (*Server).runLog).anywhere(""),

	row(wire.OpSuggestions, reader, (*Server).suggestions),
	row(wire.OpSuggest, self, (*Server).suggest).by(keyed), // agents suggest here; it decides nothing
	row(wire.OpSuggestionAccept, standing, (*Server).suggestionAccept).by(keyed),
	row(wire.OpSuggestionDismiss, change, (*Server).suggestionDismiss).by(keyed),

	row(wire.OpGaps, reader, (*Server).gaps),
	row(wire.OpGapReport, self, (*Server).gapReport).by(keyed), // agents report here; it decides nothing
	row(wire.OpGapSet, change, (*Server).gapSet).by(keyed),

	row(wire.OpTasks, reader, (*Server).tasks),
	row(wire.OpTask, reader, (*Server).task).anywhere(fleet.OfTask),
	row(wire.OpTaskNew, standing, (*Server).taskNew).by(keyed),
	row(wire.OpTaskStart, standing, (*Server).taskStart).by(keyed).anywhere(""),
	row(wire.OpTaskStop, change, (*Server).taskStop).by(step).anywhere(""),
	row(wire.OpTaskSet, change, (*Server).taskSet).by(keyed).anywhere(""),
	row(wire.OpTaskFiles, reader, (*Server).taskFiles).anywhere(""),
	row(wire.OpTaskFile, reader, (*Server).taskFile).anywhere(""),
	row(wire.OpTaskEdit, standing, (*Server).taskEdit).by(keyed).anywhere(""),
	row(wire.OpTaskKeep, standing, (*Server).taskKeep).by(keyed).anywhere(""),

	row(wire.OpMemory, reader, (*Server).memory),
	row(wire.OpMemorySearch, reader, (*Server).memorySearch),
	row(wire.OpMemoryFact, reader, (*Server).memoryFact),
	row(wire.OpMemoryLint, reader, (*Server).memoryLint),
	row(wire.OpMemoryDay, reader, (*Server).memoryDay),
	row(wire.OpMemoryDays, reader, (*Server).memoryDays),
	row(wire.OpMemoryEdit, standing, (*Server).memoryEdit).by(keyed),
	row(wire.OpMemoryAdd, writer, (*Server).memoryAdd).by(keyed),       // the fact names its source
	row(wire.OpMemoryForget, writer, (*Server).memoryForget).by(keyed), // a session only archives
	row(wire.OpTriggers, reader, (*Server).triggers),
	row(wire.OpTrigger, reader, (*Server).trigger),
	row(wire.OpTriggerLog, reader, (*Server).triggerLog),
	row(wire.OpTriggerNew, standing, (*Server).triggerNew).by(keyed),
	row(wire.OpTriggerOn, standing, (*Server).triggerOn).by(step),
	row(wire.OpTriggerOff, change, (*Server).triggerOff).by(step),
	row(wire.OpTriggerRemove, change, (*Server).triggerRemove).by(keyed),
	row(wire.OpTriggerRotate, standing, (*Server).triggerRotate).by(keyed),
	row(wire.OpTriggerFire, standing, (*Server).triggerFire).by(step),
	row(wire.OpTriggerTest, change, (*Server).triggerTest).by(keyed), // it runs the rule's filter

	row(wire.OpModules, reader, (*Server).modules),
	row(wire.OpModule, reader, (*Server).module),
	row(wire.OpModuleFile, reader, (*Server).moduleFile),
	row(wire.OpModuleEnable, standing, (*Server).moduleEnable).by(step),
	row(wire.OpModuleDisable, change, (*Server).moduleDisable).by(step),
	row(wire.OpModuleRestart, change, (*Server).moduleRestart).by(keyed),

	row(wire.OpRunStart, asker, (*Server).runStart).by(step), // a session only proposes one, see there
	row(wire.OpRunWiden, self, (*Server).runWiden).by(keyed), // a run asks for itself alone
	row(wire.OpRunOpen, standing, (*Server).runOpen).by(keyed),
	row(wire.OpRunWait, person, (*Server).runWait).by(step), // an act does not wait
	row(wire.OpRunStop, change, (*Server).runStop).by(step).anywhere(""),
	row(wire.OpRunRemove, change, (*Server).runRemove).by(step).anywhere(""),
	row(wire.OpRunTake, person, (*Server).runTake).by(keyed), // needs a terminal, see there
	row(wire.OpRunGive, person, (*Server).runGive).by(step).anywhere(""),
	row(wire.OpRunAdopt, standing, (*Server).runAdopt).by(step),
	row(wire.OpRunTurn, runner, (*Server).runTurn),
	row(wire.OpRunEvents, runner, (*Server).runEvents),
	row(wire.OpRunClock, runner, (*Server).runClock),
	row(wire.OpRunEnd, runner, (*Server).runEnd),

	row(wire.OpMachines, reader, (*Server).machines),
	row(wire.OpMachine, reader, (*Server).machine),
	row(wire.OpFleetServe, person, (*Server).fleetServe).by(keyed),
	row(wire.OpFleetInvite, person, (*Server).fleetInvite).by(keyed),
	row(wire.OpFleetJoin, person, (*Server).fleetJoin).by(keyed),
	row(wire.OpFleetRename, person, (*Server).fleetRename).by(keyed),
	row(wire.OpFleetRemove, person, (*Server).fleetRemove).by(keyed),
	row(wire.OpFleetLeave, person, (*Server).fleetLeave).by(keyed),

	row(wire.OpTelegram, reader, (*Server).telegram),
	row(wire.OpTelegramConnect, person, (*Server).telegramConnect).by(keyed),
	row(wire.OpTelegramPair, person, (*Server).telegramPair).by(keyed),
	row(wire.OpTelegramPaired, reader, (*Server).telegramPaired),
	row(wire.OpTelegramDisconnect, person, (*Server).telegramDisconnect).by(keyed),
)

// allow returns an error if the caller may not ask for the operation. It journals a
// refused decision: a session may have tried to answer its own question.
func (s *Server) allow(op operation, c *call) error {
	if slices.Contains([]access{hook, own, runner}, op.access) && c.onChannel() {
		return fmt.Errorf("%w: %s is not for a person", errDenied, c.op)
	}
	switch op.access {
	case hook:
		return s.allowHook(c)
	case own:
		return s.allowOwn(c)
	case runner:
		return s.allowRunner(c)
	case person:
		return s.allowPerson(c)
	case change:
		if err := s.allowPerson(c); err != nil {
			return err
		}
		return s.allowChannel(c)
	case standing:
		return s.allowStanding(c)
	case asker:
		if !s.sessionAsks(c) {
			return s.allowStanding(c)
		}
	case writer:
		if !s.writesAsSession(c) {
			return s.allowStanding(c)
		}
	}
	return nil
}

func (s *Server) allowHook(c *call) error {
	if !peer.Supported || s.callers.IsHook(c.exe()) {
		return nil
	}
	if c.exe() == "" && c.ended() { // it tried nothing that it could hear of
		return fmt.Errorf("%w: the hook has ended", errDenied)
	}
	s.refusedProgram(c, "which is not a hook of Afar")
	return fmt.Errorf("%w: hook operations are taken only from the hook binaries in %s", errDenied, s.cfg.Place.Bin)
}

// sessionAsks reports whether a program that a known session started is the caller, other
// than a hook. A browser never asks for a session.
func (s *Server) sessionAsks(c *call) bool {
	v, _ := s.callers.Author(c.line)
	return peer.Supported && !c.onChannel() && !s.callers.IsHook(c.exe()) && v.ID != ""
}

// writesAsSession reports whether the caller writes in the name of a session: a program that one
// started, other than a browser.
func (s *Server) writesAsSession(c *call) bool {
	if c.onChannel() {
		return false
	}
	_, by := s.callers.Author(c.line)
	return by != callers.Person
}

// ended reports whether the caller has ended.
func (c *call) ended() bool { return len(c.line) == 0 || peer.Birth(c.line[0].PID) == "" }

// refusedProgram journals a call that was refused because of the caller's program.
func (s *Server) refusedProgram(c *call, why string) {
	text := fmt.Sprintf("%s was asked for by %s, %s", c.op, cmp.Or(c.exe(), "an unknown process"), why)
	if s.fresh(text) {
		s.refused(c.op, text)
	}
}

// tellEvery is the shortest time between two journal entries for the same refusal. Without it
// an older installation next to this one would fill the journal.
const tellEvery = time.Minute

// fresh reports whether a refusal was not journalled within tellEvery, and notes that it
// is journalled now.
func (s *Server) fresh(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	maps.DeleteFunc(s.told, func(_ string, at time.Time) bool { return now.Sub(at) >= tellEvery })
	if _, ok := s.told[text]; ok {
		return false
	}
	s.told[text] = now
	return true
}

// allowFor returns an error if a hook may not speak for a session and name that client.
// Of the processes that a session started, only the client of this session may.
// Otherwise a session could run a hook binary with an input that it made itself.
func (s *Server) allowFor(c *call, id session.ID, client int) error {
	if !peer.Supported {
		return nil
	}
	var where string
	var speaks bool
	if c.line, where, speaks = s.callers.Speaks(c.line, id, client); speaks {
		return nil
	}
	if len(c.line) == 0 { // the hook has ended on its own: it tried nothing, and hears nothing
		return fmt.Errorf("%w: the hook has ended", errDenied)
	}
	s.refused(c.op, fmt.Sprintf("%s was asked for session %.40q from inside a session (%s)", c.op, id, where))
	return fmt.Errorf("%w: only the client of a session speaks for it", errDenied)
}

func (s *Server) allowPerson(c *call) error {
	if !peer.Supported || c.by != "" { // the channel knows who it is
		return nil
	}
	if len(c.line) == 0 {
		s.refused(c.op, c.op+" was asked for by an unknown process")
		return fmt.Errorf("%w: %w", errDenied, peer.ErrUnknown)
	}
	if s.callers.IsHook(c.exe()) {
		s.refused(c.op, fmt.Sprintf("%s was asked for by %s", c.op, c.exe()))
		return fmt.Errorf("%w: a hook cannot make a decision", errDenied)
	}
	if where := s.callers.Inside(c.line); where != "" {
		s.refused(c.op, fmt.Sprintf("%s was asked for from inside a session (%s)", c.op, where))
		return s.insideError(c.line)
	}
	if told := callers.Traced(c.line); told != "" {
		s.refused(c.op, c.op+" was asked for by a traced process: "+told)
		return fmt.Errorf("%w: %s. Whoever traces a process can make it say anything, so its decisions do not count. "+
			"End the debugger and decide again, or decide on the phone", errDenied, told)
	}
	return nil
}

// person checks whether the caller may take a decision that another program carries out,
// such as to uninstall. A refusal is journalled under the decision's name.
func (s *Server) person(c *call, in wire.Named) (out wire.None, err error) {
	if in.ID == "" || len(in.ID) > 40 {
		return out, badRequest("a decision needs a name")
	}
	named := *c
	named.op = text.Fold(redact.Visible(in.ID))
	return out, s.allowPerson(&named)
}

// insideError returns the error for a decision of a line that is inside a session. It tells a
// person whose terminal or browser has the birthmark where they can decide.
func (s *Server) insideError(line []peer.Process) error {
	if s.callers.Below(line) != "" {
		return fmt.Errorf("%w: a session may not decide for its person; do it from a terminal of your own", errDenied)
	}
	return fmt.Errorf("%w: a session may not decide for its person, and this process has a birthmark: a session "+
		"started it, or one of its ancestors. Decide in a new terminal that no session started, or on the "+
		"phone. `afar doctor` names the terminals and browsers that have a birthmark", errDenied)
}

// allowHere returns an error if a decision does not count on the channel that it comes
// from. The setting answers_from may exclude that channel.
func (s *Server) allowHere(c *call) error {
	err := s.cfg.Core.Counts(c.channel())
	if err != nil {
		s.refused(c.op, c.op+" was asked for at the "+c.channel()+", where answers do not count")
	}
	return err
}

// terminal is the name of the command line as a channel.
const terminal = core.Terminal

// refused journals a call that was refused.
func (s *Server) refused(name, text string) {
	if err := s.cfg.Core.Note(event.Refused, "", name, text); err != nil {
		s.cfg.Log.Error("journal a refusal", "err", err)
	}
}

// allowTerminal returns an error if the caller has neither a terminal nor a channel of the
// person. allow must have accepted the caller before.
func (s *Server) allowTerminal(c *call) error {
	if !peer.Supported || c.onChannel() || c.line[0].Terminal {
		return nil
	}
	exe := filepath.Base(c.exe())
	s.refused(c.op, fmt.Sprintf("%s was asked for by a process without a terminal (%s)", c.op, exe))
	return fmt.Errorf("%w: an answer needs a controlling terminal; type it in a terminal of your own", errDenied)
}
