package channel

import "slices"

// Worded is what the person is told, as a value: a News, an Answer or a Fate.
type Worded interface{ Words() string }

// What came of what the person did about questions and with texts.
var (
	UnknownAsk = news("unknown-ask", "This question is no longer known. Nothing was changed.")
	OtherAsk   = news("other-ask", "That button belongs to another question. Nothing was changed.")
	OtherCard  = news("other-card",
		"That message does not show this question. Nothing was changed: answer on the card itself.")
	RunOrSkip  = news("run-or-skip", "Nothing was changed: tap Run or Skip, or reply yes or no.")
	DeniedWith = news("denied-with", "Denied. The session gets your words.")
	GoesOn     = news("goes-on", "📨 Sent. The session goes on with it.")
	TooEarly   = news("too-early", "⏳ This question was asked after your message, so nothing was decided. "+
		"Tap a button or reply to the card.")
	AllTooEarly = news("all-too-early", "⏳ These questions were asked after your message, so nothing was decided. "+
		"Tap a button or reply to a card.")
	NothingOpen    = news("nothing-open", "No question is open, so nothing was decided.")
	NothingRuns    = news("nothing-runs", "No session runs now. Nothing was sent.")
	UnknownText    = news("unknown-text", "This text is no longer known. Nothing was done.")
	UsedText       = news("used-text", "Too late: this text was used already.")
	SentText       = news("sent-text", "Too late: it went to {of}.")
	SessionOver    = news("session-over", "That session has ended. Nothing was sent.")
	NothingDecided = news("nothing-decided", "Fine. Nothing was decided.")
	DecidedIn      = news("decided-in", "{of}: {what}")
)

// What came of an order to stop. {of} is the session or the run.
var (
	StopsRun    = news("stops-run", "⏹ Stopping {of}.")
	StoppedRun  = news("stopped-run", "⏹ {of} has stopped.")
	RunGone     = news("run-gone", "This run was removed. Nothing was changed.")
	NothingStop = news("nothing-stop", "Nothing runs in {of} now, so there was nothing to stop.")
	LoopOff     = news("loop-off", "⏹ {of} is idle, and its loop is cancelled.")
	StaysSo     = news("stays-so", "⏹ {of} had stopped already. It stays so.")
	StopsAsking = news("stops-asking", "⏹ {of} stops now: its question was refused.")
	StopsSoon   = news("stops-soon", "⏹ Stopping {of}. A step that runs now is finished first.")
	StopsLater  = news("stops-later", "⏹ Stopping {of} before its next step. "+
		"This client of Claude Code cannot be interrupted sooner from outside.")
)

// A Fate says when a text reaches whom it is for.
type Fate struct {
	To  string   // whom, as people name it
	At  NewsKind // one of the times below, "" where Why says it
	Why string
}

// The times of a Fate. {why} is its Why.
var (
	AtOnce        = news("at-once", "now")
	AtResume      = news("at-resume", "when it is resumed: it has ended")
	AtUnpause     = news("at-unpause", "after /resume: Afar is paused")
	AtPrompt      = news("at-prompt", "with its next prompt")
	AtTool        = news("at-tool", "right after its next tool call, or when it stops")
	AtLoopEnd     = news("at-loop-end", "when its loop ends")
	AtStop        = news("at-stop", "when it stops")
	AtTriage      = news("at-triage", "within five minutes")
	AtToolOrTurn  = news("at-tool-or-turn", "right after its next tool call, or in its next turn")
	AtTurn        = news("at-turn", "with its next turn")
	AtAnswer      = news("at-answer", "after the answer to its open question")
	AtCheckpoint  = news("at-checkpoint", "with the answer to its checkpoint")
	AtGive        = news("at-give", "when it is given back")
	AtFree        = news("at-free", "when its conversation is free: it is open in process {why}")
	AtRestart     = news("at-restart", "when you start it again: it is stopped")
	AtTaskRestart = news("at-task-restart", "when you start task {why} again: it is stopped")
	AtStart       = news("at-start", "when you start it: afar task start {why}")
	Never         = news("never", "never, because {why}")
)

// When says when it is.
func (f Fate) When() string { return News{Kind: f.At, Why: f.Why, Text: f.Why}.Words() }

// Words says it in a sentence.
func (f Fate) Words() string { return "📨 " + f.To + " gets it " + f.When() + "." }

// IsRefusal reports whether what somebody did had no effect.
func IsRefusal(told Worded) bool {
	switch told := told.(type) {
	case Answer:
		return told.Err != nil
	case News:
		return slices.Contains([]NewsKind{UnknownAsk, OtherAsk, OtherCard, RunOrSkip}, told.Kind)
	}
	return false
}
