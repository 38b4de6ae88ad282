package server

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/peer"
	"github.com/afar-sh/afar/coordinator/wire"
)

// An access says who may ask for an operation. Every caller is a process of
// our own user; that has been checked before.
type access int

const (
	anyone access = iota // reading
	hook                 // a hook binary of ours
	person               // a decision: never from inside a session
)

// An operation is one row of the table: who may, and what it does.
type operation struct {
	access access
	do     func(*Server, *call) (any, error)
}

// operations is the whole surface of the socket, with its permissions.
var operations = map[string]operation{
	wire.OpSessionStart: {hook, (*Server).sessionStart},
	wire.OpSessionEnd:   {hook, (*Server).sessionEnd},
	wire.OpPrompt:       {hook, (*Server).prompt},
	wire.OpExpand:       {hook, (*Server).expand},
	wire.OpGuarded:      {hook, (*Server).guarded},
	wire.OpOutcome:      {hook, (*Server).outcome},
	wire.OpStop:         {hook, (*Server).stop},
	wire.OpCheck:        {hook, (*Server).check},
	wire.OpStopFailure:  {hook, (*Server).stopFailure},
	wire.OpPreCompact:   {hook, (*Server).preCompact},
	wire.OpSubagentStop: {hook, (*Server).subagentStop},
	wire.OpNotification: {hook, (*Server).notification},
	wire.OpAskOpen:      {hook, (*Server).askOpen},
	wire.OpAskWait:      {hook, (*Server).askWait},
	wire.OpAskClaim:     {hook, (*Server).askClaim},
	wire.OpAskEnded:     {hook, (*Server).askEnded},
	wire.OpRetry:        {hook, (*Server).retry},
	wire.OpMessageTake:  {hook, (*Server).messageTake},
	wire.OpCheckInOver:  {hook, (*Server).checkInOver},
	wire.OpParkedWait:   {hook, (*Server).parkedWait},
	wire.OpRewake:       {hook, (*Server).rewake},

	wire.OpUndoTake: {hook, (*Server).undoTake},

	wire.OpUndos:  {anyone, (*Server).undos},
	wire.OpGrants: {anyone, (*Server).grants},
	wire.OpStatus: {anyone, (*Server).status},
	wire.OpAsks:   {anyone, (*Server).asks},
	wire.OpLoops:  {anyone, (*Server).loops},
	wire.OpLoop:   {anyone, (*Server).loop},
	wire.OpLog:    {anyone, (*Server).log},
	wire.OpVerify: {anyone, (*Server).verify},
	wire.OpDoctor: {anyone, (*Server).doctor},

	wire.OpAnswer:   {person, (*Server).answerAsk}, // an allow needs a terminal, see there
	wire.OpUndo:     {person, (*Server).undo},
	wire.OpRevoke:   {person, (*Server).revoke},
	wire.OpAway:     {person, (*Server).away},
	wire.OpPause:    {person, (*Server).pause},
	wire.OpLoopNew:  {person, (*Server).loopStart},
	wire.OpLoopEnd:  {anyone, (*Server).loopCancel}, // a way out must always work
	wire.OpShutdown: {person, (*Server).shutdown},

	wire.OpPolicyTrust: {person, (*Server).policyTrust}, // accepting one needs a terminal, see there

	wire.OpTelegram:           {anyone, (*Server).telegram},
	wire.OpTelegramConnect:    {person, (*Server).telegramConnect},
	wire.OpTelegramPair:       {person, (*Server).telegramPair},
	wire.OpTelegramPaired:     {anyone, (*Server).telegramPaired},
	wire.OpTelegramDisconnect: {person, (*Server).telegramDisconnect},
}

// allow says whether the caller may have the operation. A refused decision is
// journalled: somebody tried to answer its own question.
func (s *Server) allow(op operation, name string, c *call) error {
	switch op.access {
	case hook:
		return s.allowHook(c)
	case person:
		return s.allowPerson(name, c)
	}
	return nil
}

func (s *Server) allowHook(c *call) error {
	if !peer.Supported || len(c.line) > 0 && ourHook(c.line[0].Exe, s.cfg.Bin) {
		return nil
	}
	return fmt.Errorf("%w: hook operations are taken from the hook binaries in %s alone", errDenied, s.cfg.Bin)
}

func (s *Server) allowPerson(name string, c *call) error {
	if !peer.Supported {
		return nil
	}
	if len(c.line) == 0 {
		return fmt.Errorf("%w: %w", errDenied, peer.ErrUnknown)
	}
	if where := s.inSession(c.line); where != "" {
		text := fmt.Sprintf("%s was asked for from inside a session (%s)", name, where)
		if err := s.cfg.Core.Note(event.Refused, "", name, text); err != nil {
			s.cfg.Log.Error("journal a refusal", "err", err)
		}
		return fmt.Errorf("%w: a session may not decide for its person; do it from a terminal of your own", errDenied)
	}
	return nil
}

// allowTerminal says whether the caller, whom allow let in, has a terminal.
func allowTerminal(c *call) error {
	if peer.Supported && !c.line[0].Terminal {
		return fmt.Errorf("%w: an answer is taken from a process with a controlling terminal alone", errDenied)
	}
	return nil
}

// inSession looks for a session's mark on a process or any of its ancestors:
// the environment that the host gives its children, or the client itself. It
// returns the program that bears it, "" for none.
func (s *Server) inSession(line []peer.Process) string {
	for _, p := range line {
		if p.Marked || p.PID > 1 && s.cfg.Core.IsClient(p.PID) { // an orphaned hook takes the first process for its client
			return filepath.Base(p.Exe)
		}
	}
	return ""
}

// nested reports whether the client that ran a hook descends from another
// session: what is typed there was not typed by a person.
func (s *Server) nested(line []peer.Process, client int) bool {
	for i, p := range line {
		if p.PID != client {
			continue
		}
		return p.Marked || s.inSession(line[i+1:]) != ""
	}
	return peer.Supported // the client is not among its ancestors: somebody lies
}

// ourHook reports whether exe is a hook binary of this installation. The host
// keeps one folder per version of a plugin that was installed from git, and a
// hook of the version before may still run.
func ourHook(exe, bin string) bool {
	if !strings.HasPrefix(filepath.Base(exe), "hook-") {
		return false
	}
	dir := filepath.Dir(exe)
	return dir == bin || versions(dir) != "" && versions(dir) == versions(bin)
}

// versions returns the folder that holds all versions of the plugin that a bin
// directory belongs to, "" when it is not one of the host's plugin cache.
func versions(bin string) string {
	parent := filepath.Dir(filepath.Dir(bin))
	if strings.HasSuffix(filepath.ToSlash(parent), "/plugins/cache/afar/afar") {
		return parent
	}
	return ""
}
