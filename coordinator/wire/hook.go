package wire

// Operations of the hooks. Each body is a HookCall; "payload" holds the host's
// own JSON, byte for byte but for line breaks.
const (
	OpSessionStart  = "hook.session-start" // reply: HookReply.Context
	OpSessionEnd    = "hook.session-end"
	OpPrompt        = "hook.prompt" // reply: HookReply.Context
	OpExpand        = "hook.expand" // reply: HookReply.Block, Reason, Context
	OpGuarded       = "hook.guarded"
	OpOutcome       = "hook.outcome"
	OpStop          = "hook.stop"  // reply: HookReply.Block, Reason, Notice, Check, ParkedMS, Errand
	OpCheck         = "hook.check" // a check runs: wait at most WaitMS for its end from outside; reply: HookReply.Wake
	OpStopFailure   = "hook.stop-failure"
	OpPreCompact    = "hook.pre-compact"
	OpSubagentStop  = "hook.subagent-stop"  // reply: HookReply.Block, Reason
	OpSubagentStart = "hook.subagent-start" // reply: HookReply.Context
	OpNotification  = "hook.notification"
	OpDebug         = "hook.debug" // HookDebug; records it while the person debugs

	OpConfigRefused = "hook.config-refused" // the session does not take over what Part, a settings file, says; Why

	OpAskOpen  = "hook.ask.open"  // register a question; reply: AskReply
	OpAskWait  = "hook.ask.wait"  // wait at most WaitMS for its end; reply: AskReply
	OpAskClaim = "hook.ask.claim" // may the answer still be printed? reply: AskReply
	OpAskEnded = "hook.ask.ended" // the host ended the hook (Esc, No, closed terminal)

	OpTurn  = "hook.turn"  // is the running turn to end? with the verb over it ends now; reply: HookReply.Block
	OpRetry = "hook.retry" // may a call run that auto mode refused before? reply: AskReply.Allow

	OpMessageTake = "hook.message.take"  // the texts that wait, for Delivery; reply: HookReply.Text, By
	OpCheckInOver = "hook.check-in.over" // the hook holds the session no longer; reply: AskReply
	OpParkedWait  = "hook.parked.wait"   // wait at most WaitMS until there is more to say at Stop: then ask OpStop again
	OpErrandWait  = "hook.errand.wait"   // wait at most WaitMS until the loop's errand is over: then ask OpStop again; reply: HookReply.Wake
	OpRewake      = "hook.rewake"        // take over, then wait at most WaitMS; reply: HookReply.Wake
	OpBatch       = "hook.batch"         // tools of the main agent have run; reply: HookReply.Texts
	OpPrinted     = "hook.printed"       // what was taken under Ask or Delivery is printed; see HookCall.Receipt
)

// TakeOver, as the Verb of OpRewake, makes the caller the one waiter of its
// session. It is said once, at the start.
const TakeOver = "take-over"

// NotPrinted, as the Verb of OpSessionStart, says that the reply to the Delivery
// did not come in time to be printed.
const NotPrinted = "not-printed"

// A HookCall is what every hook sends.
type HookCall struct {
	Payload Raw `json:"payload"`
	// Client is the process id of the host's client that ran the hook.
	Client int `json:"client"`
	// Entrypoint is the host's word for its kind: "cli" or "sdk-cli".
	Entrypoint string `json:"entrypoint"`
	// Attended is true when someone sits at the client's terminal.
	Attended bool `json:"attended"`
	// Background is true in a session of the host's own background service.
	Background bool `json:"background,omitempty"`
	// Terminal names the terminal and where the name was found, "tty:/dev/pts/3".
	Terminal string `json:"terminal,omitempty"`
	// Off is set when the session or its project switched Afar off.
	Off bool `json:"off,omitempty"`
	// Redirected lists variables of the environment that tried to move a pinned
	// home, as NAME=value.
	Redirected []string `json:"redirected,omitempty"`

	// Project is the session's root, as the host names it.
	Project string `json:"project,omitempty"`

	Ask     string `json:"ask,omitempty"`      // id minted by the hook
	Kind    string `json:"kind,omitempty"`     // of the ask: permission, guard, question, plan, denied or elicitation
	Why     string `json:"why,omitempty"`      // guard's reason for the person, or why the hook ended
	Rule    string `json:"rule,omitempty"`     // guard rule id
	Verb    string `json:"verb,omitempty"`     // guard verdict
	Part    string `json:"part,omitempty"`     // the part of the command it is about
	From    string `json:"from,omitempty"`     // policy file and line that gave the verdict
	Broken  string `json:"broken,omitempty"`   // what is wrong with the guard's policy files
	WaitMS  int64  `json:"wait_ms,omitempty"`  // of OpAskWait
	SinceMS int64  `json:"since_ms,omitempty"` // of OpErrandWait: when the hook began; unix milliseconds
	Kept    string `json:"kept,omitempty"`     // of OpOutcome: what the hooks wrote down about the call: seen, deny or never
	OK      bool   `json:"ok,omitempty"`       // of OpOutcome: the tool succeeded
	Frame   string `json:"frame,omitempty"`    // of OpCheck: whose check it is
	Output  string `json:"output,omitempty"`   // of OpCheck: what it printed since the last call
	// Checked, of OpStop, is the result of the check of the reply before; Round
	// counts these results, so that each call of one Stop is told from the others.
	Checked *LoopChecked `json:"checked,omitempty"`
	Round   int          `json:"round,omitempty"`
	Park    bool         `json:"park,omitempty"` // of OpAskOpen: refused at once, answerable later

	// Delivery names the hook that takes texts; asking again with the same name
	// brings the same texts.
	Delivery string `json:"delivery,omitempty"`

	// Receipt, of OpAskClaim and OpMessageTake, says that the hook will send one more
	// byte after the reply once it has printed what it took, and gets one byte back when
	// the coordinator has kept that. A connection that ends without the hook's byte is a
	// hook that ended before. A hook whose coordinator died meanwhile says it with
	// OpPrinted.
	Receipt bool `json:"receipt,omitempty"`
}

// Interrupted, as the Verb of OpCheck, says that the host ended the hook and
// the check with it.
const Interrupted = "interrupted"

// A LoopCheck is a command that the Stop hook runs to find out whether a loop's
// work is done.
type LoopCheck struct {
	Frame     string `json:"frame"`
	Session   string `json:"session"` // its token
	Command   string `json:"command"`
	Dir       string `json:"dir"`
	TimeoutMS int64  `json:"timeout_ms"`
}

// LoopChecked is the result of a LoopCheck. Output is the end of what it
// printed, Digest the SHA-256 of all of it but for times.
type LoopChecked struct {
	Frame    string `json:"frame"`
	ExitCode int    `json:"exit_code"`
	TimedOut bool   `json:"timed_out,omitempty"`
	Broken   string `json:"broken,omitempty"` // why it could not be run
	TookMS   int64  `json:"took_ms"`
	Output   string `json:"output,omitempty"`
	Digest   string `json:"digest,omitempty"`
}

// A HookReply answers the hooks that print something.
type HookReply struct {
	Block   bool   `json:"block,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Context string `json:"context,omitempty"`
	// Notice is a line for the person at the terminal, never for the model.
	Notice string `json:"notice,omitempty"`

	// Check, of OpStop, is to be run; its result goes with the next OpStop.
	Check *LoopCheck `json:"check,omitempty"`

	Texts  int   `json:"texts,omitempty"`   // texts that wait for the session: take them
	HoldMS int64 `json:"hold_ms,omitempty"` // of OpStop: hold the session, the Ask is its check-in
	// ParkedMS, of OpStop: calls of the session are parked, and their answers may
	// be waited for so long.
	ParkedMS int64 `json:"parked_ms,omitempty"`

	// Errand, of OpStop, says in words for what the session waits: a loop's issue is
	// being picked, reviewed, landed.
	Errand string `json:"errand,omitempty"`

	Text string `json:"text,omitempty"` // of OpMessageTake
	By   string `json:"by,omitempty"`   // who wrote Text
	// Again, of OpMessageTake, says that the session may have seen some of it before.
	Again bool   `json:"again,omitempty"`
	Wake  string `json:"wake,omitempty"` // of OpRewake: wait, wake or end; of OpCheck and OpErrandWait: wait or end
}

// An AskReply says how a question stands.
type AskReply struct {
	ID string `json:"id"`
	// State is open, answered, delivered, withdrawn, expired or cancelled.
	State string `json:"state"`
	// Allow is the answer once State is answered or delivered.
	Allow bool `json:"allow,omitempty"`
	// Message is the refusal's text for the model, or why there is no answer.
	Message string `json:"message,omitempty"`
	// Scope of an allow is empty, session or always.
	Scope string `json:"scope,omitempty"`
	// Echo names the host's suggestions that an allow of the scope always covers, by
	// their places in the hook's input. The hook hands these back and no others.
	Echo []int `json:"echo,omitempty"`
	// Choices are the answers to the questions of the call, in their order.
	Choices []Choice `json:"choices,omitempty"`
	// AcceptEdits, of an approved plan, lets the session edit without asking.
	AcceptEdits bool `json:"accept_edits,omitempty"`
	// Interrupt, of a refusal, ends the turn that the call belongs to.
	Interrupt bool `json:"interrupt,omitempty"`
	// DeadlineMS is the time left until the ask ends by itself.
	DeadlineMS int64 `json:"deadline_ms,omitempty"`
}

// TurnOver is the verb of OpTurn with which a hook ends the turn.
const TurnOver = "over"
