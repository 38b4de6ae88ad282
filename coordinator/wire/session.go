package wire

// Operations of a session's life and of what a person types in it.
const (
	OpSessionStart Op[SessionStartRequest, SessionStartReply] = "hook.session-start"
	OpSessionEnd   Op[SessionEndRequest, None]                = "hook.session-end"
	OpPrompt       Op[PromptRequest, PromptReply]             = "hook.prompt" // a prompt was typed
	OpExpand       Op[ExpandRequest, ExpandReply]             = "hook.expand" // a slash command was typed
	OpPreCompact   Op[PreCompactRequest, None]                = "hook.pre-compact"
	OpNotification Op[NotificationRequest, None]              = "hook.notification"
	OpSession      Op[Named, SessionReply]                    = "session"  // one session, with its last tool calls
	OpSessions     Op[SessionsRequest, SessionsReply]         = "sessions" // the sessions that run, a part of them
)

// SessionStartRequest registers a session.
type SessionStartRequest struct {
	HookCall
	Delivery string `json:"delivery,omitempty"` // names the hook; see MessageTakeRequest
	Broken   string `json:"broken,omitempty"`   // what is wrong with the guard's policy files
	// Printed is NotPrinted if the reply to the Delivery did not come in time to be
	// printed.
	Printed string `json:"verb,omitempty"`
}

// NotPrinted is the value of SessionStartRequest.Printed for a lost reply.
const NotPrinted = "not-printed"

// SessionStartReply holds what the session is told.
type SessionStartReply struct {
	Context string `json:"context,omitempty"`
}

// SessionEndRequest says that a session has ended.
type SessionEndRequest struct{ HookCall }

// PromptRequest says that a prompt was typed.
type PromptRequest struct {
	HookCall
	Delivery string `json:"delivery,omitempty"` // names the hook; see MessageTakeRequest
}

// PromptReply blocks the prompt, or holds what the session is told with it.
type PromptReply struct {
	Block   bool   `json:"block,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Context string `json:"context,omitempty"`
	Notice  string `json:"notice,omitempty"` // for the person at the terminal
	Texts   int    `json:"texts,omitempty"`  // texts that wait for the session: take them
}

// ExpandRequest says that a slash command was typed.
type ExpandRequest struct{ HookCall }

// ExpandReply blocks the prompt with what was done, or holds what the model is told.
type ExpandReply struct {
	Block   bool   `json:"block,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Context string `json:"context,omitempty"`
}

// PreCompactRequest says that the session's context is about to be compacted.
type PreCompactRequest struct{ HookCall }

// NotificationRequest passes a notice of the host on.
type NotificationRequest struct{ HookCall }

// A Session is one conversation of the host.
type Session struct {
	ID         string `json:"id"`
	Token      string `json:"token"`
	Project    string `json:"project"`
	Mode       string `json:"mode"`  // the host's permission mode
	State      string `json:"state"` // working, waiting, idle, ended or unprotected
	Since      int64  `json:"since"`
	Attended   bool   `json:"attended"`
	Background bool   `json:"background,omitempty"` // of claude --bg
	Away       string `json:"away,omitempty"`
	Terminal   string `json:"terminal,omitempty"`
	Protected  bool   `json:"protected"`
	ClientPID  int    `json:"client_pid,omitempty"`
	Entrypoint string `json:"entrypoint,omitempty"`
	Review     string `json:"review,omitempty"` // how its review gate stands, in words; empty: off
	// Words says how a text of the person reaches the session when it stops: WordsPrompt, or "" if
	// a hook hands it over.
	Words string `json:"words,omitempty"`
	// Sandbox says that the session's settings switch the host's sandbox on.
	Sandbox bool `json:"sandbox_enabled"`
	// About is what the session is about, masked: its name, else its last prompt.
	About string `json:"about,omitempty"`
	// Model, Context (tokens) and Todos are absent where the host does not tell.
	Model   string `json:"model,omitempty"`
	Context int64  `json:"context_tokens,omitempty"`
	Todos   *Todos `json:"todos,omitempty"`
	// Running is the call that runs now, masked, in one line; RunningSince is when it began.
	Running      string `json:"doing,omitempty"`
	RunningSince int64  `json:"doing_since,omitempty"`
	// SpentUSD is what the session has used so far at list prices, its subagents excepted.
	SpentUSD float64 `json:"usd,omitempty"`
	URL      string  `json:"url,omitempty"` // of its page, absent while none is served
	Run      string  `json:"run,omitempty"` // the name of the run whose conversation it is
	Origin
}

// WordsPrompt is the value of Session.Words if the plugin's mod submits the person's texts as
// their own prompts.
const WordsPrompt = "prompt"

// SessionReply shows one session, also one that has ended, with its last tool calls,
// newest first.
type SessionReply struct {
	Session
	Steps []Step `json:"steps"`
}

// SessionsRequest asks for a part of the sessions that run.
type SessionsRequest struct {
	From int `json:"from,omitempty"` // how many are left out before it
	Most int `json:"most"`           // how many it has at most
	// Machine selects the sessions of one machine of the fleet, "" for all.
	Machine string `json:"machine,omitempty"`
}

// SessionsReply holds sessions that run: the unprotected ones first, then those that wait for
// the person, those that work, and the others. The newest are first among equals.
type SessionsReply struct {
	Sessions []Session `json:"sessions"`
	All      int       `json:"all"` // how many run
}

// A Step is one tool call of a session.
type Step struct {
	At      int64  `json:"at"`
	Tool    string `json:"tool"`
	Input   string `json:"input"`             // masked
	TookMS  int64  `json:"took_ms,omitempty"` // once it has ended
	Outcome string `json:"outcome,omitempty"` // ok or failed, "" while it runs
}

// Todos counts the steps of a session's own list.
type Todos struct {
	Done  int `json:"done"`
	Total int `json:"total"`
}
