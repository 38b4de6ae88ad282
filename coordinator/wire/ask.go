package wire

// Operations of questions. A hook opens one, waits for its end, and claims the answer
// just before it prints it; the command line lists them and answers.
const (
	OpAskOpen Op[AskOpenRequest, AskState] = "hook.ask.open" // register a question
	OpAskWait Op[AskWaitRequest, AskState] = "hook.ask.wait" // wait for its end
	// OpAskClaim takes the answer. It counts if State is delivered.
	OpAskClaim Op[AskClaimRequest, AskState] = "hook.ask.claim" // may the answer still be printed?
	OpAskEnded Op[AskEndedRequest, AskState] = "hook.ask.ended" // the host ended the hook (Esc, No, closed terminal)
	OpAsks     Op[None, AsksReply]           = "asks"
	OpAsk      Op[Named, AskReply]           = "ask"       // one question, also one that has ended
	OpPast     Op[PastRequest, PastReply]    = "asks.past" // questions that have ended
	OpAnswer   Op[AnswerRequest, Ask]        = "answer"
)

// AskOpenRequest registers a question under an id that the hook made.
type AskOpenRequest struct {
	HookCall
	Ask  string `json:"ask"`
	Kind string `json:"kind"` // permission, guard, question, plan, denied or elicitation
	Why  string `json:"why,omitempty"`
	Part string `json:"part,omitempty"` // of the call, that Why is about
	Park bool   `json:"park,omitempty"` // the call is refused at once and answerable later
}

// AskWaitRequest waits at most WaitMS for the end of a question.
type AskWaitRequest struct {
	Ask    string `json:"ask"`
	WaitMS int64  `json:"wait_ms,omitempty"`
}

// AskClaimRequest takes the answer that is about to be printed.
type AskClaimRequest struct {
	Ask     string `json:"ask"`
	Receipt bool   `json:"receipt,omitempty"` // see PrintedRequest
}

// AskEndedRequest says that the host ended the hook of a question, and why.
type AskEndedRequest struct {
	Ask string `json:"ask"`
	Why string `json:"why,omitempty"`
}

// An AskState is the state of a question.
type AskState struct {
	ID string `json:"id"`
	// State is open, answered, delivered, withdrawn, expired or cancelled.
	State string `json:"state"`
	// Allow is the answer once State is answered or delivered.
	Allow bool `json:"allow,omitempty"`
	// Message is the refusal's text for the model, or why there is no answer.
	Message string `json:"message,omitempty"`
	// Scope of an allow is empty, session or always.
	Scope string `json:"scope,omitempty"`
	// Echo lists the host's suggestions that an allow of the scope always covers, by
	// their places in the hook's input. The hook returns only these to the host.
	Echo []int `json:"echo,omitempty"`
	// Choices are the answers to the questions of the call, in their order.
	Choices []Choice `json:"choices,omitempty"`
	// AcceptEdits, of an approved plan, lets the session edit without asking.
	AcceptEdits bool `json:"accept_edits,omitempty"`
	// Interrupt, of a refusal, ends the turn that the call belongs to.
	Interrupt bool `json:"interrupt,omitempty"`
	// Parked, of a run, is true for a call that was refused and can still be answered.
	Parked bool `json:"parked,omitempty"`
	// Defer, of a run, tells the hook to let the host keep the call for the next turn.
	Defer bool `json:"defer,omitempty"`
	// DeadlineMS is the time left until the ask ends by itself.
	DeadlineMS int64 `json:"deadline_ms,omitempty"`
}

// AsksReply lists questions, oldest first.
type AsksReply struct {
	Asks []Ask `json:"asks"`
}

// PastRequest selects questions that have ended: the newest ones, those that were opened before the one with an id,
// or those that were shown and ended at a time or later, the oldest first.
type PastRequest struct {
	Since  int64  `json:"since,omitempty"` // at most hours ago
	Before string `json:"before,omitempty"`
	Limit  int    `json:"limit"` // at most; 0 is 200
}

// PastReply lists questions that have ended, newest first.
type PastReply struct {
	Asks []ReportedAsk `json:"asks"`
}

// AskReply shows one question. How says how it ended, in one line; Undo is the snapshot of
// its step.
type AskReply struct {
	Ask
	How  string `json:"how,omitempty"`
	Undo *Undo  `json:"undo,omitempty"`
}

// AnswerRequest decides a question.
type AnswerRequest struct {
	ID      string `json:"id"`
	Allow   bool   `json:"allow"`
	Message string `json:"message,omitempty"`
	// Scope of an allow: empty is the exact call, once; session is what the ask
	// offers; always is the rule that the host suggested.
	Scope string `json:"scope,omitempty"`
	// Text or Options answer the question that is asked now; options count from
	// 1, as people do. Text sends a plan back.
	Text    string `json:"text,omitempty"`
	Options []int  `json:"options,omitempty"`
	// Question is the place of the question that Text or Options answer, from 0. The answer
	// is refused if another question is asked by now. Without it they answer the current one.
	Question *int `json:"question,omitempty"`
	// Hash is that of the call which the person was shown. The answer is refused if the question is about
	// another one. Without it any is answered.
	Hash string `json:"hash,omitempty"`
	// AcceptEdits, with an allowed plan, lets the session edit without asking.
	AcceptEdits bool `json:"accept_edits,omitempty"`
}

// An Ask is a question put to the person. Its input is masked.
type Ask struct {
	ID string `json:"id"`
	// Short is a beginning of ID that is enough to name it; set in a list of asks.
	Short   string `json:"short,omitempty"`
	Kind    string `json:"kind"`
	State   string `json:"state"`
	Session string `json:"session"`
	Token   string `json:"token"`
	Run     string `json:"run,omitempty"`  // the name of the run that asks
	Task    string `json:"task,omitempty"` // of the kind checkpoint: the task that asks
	Project string `json:"project"`
	Tool    string `json:"tool"`
	Input   string `json:"input"`
	Request string `json:"request"` // what is wanted, in one line
	// Questions are those of the kind question; Current is the place of the one
	// to be answered now, from 0.
	Questions []Question `json:"questions,omitempty"`
	Current   int        `json:"current,omitempty"`
	Hash      string     `json:"hash"`
	Agent     string     `json:"agent,omitempty"`
	Why       string     `json:"why,omitempty"`   // the guard's opinion
	Does      string     `json:"does,omitempty"`  // what the call would do, as the guard understands it
	Says      string     `json:"says,omitempty"`  // what the call is for, as the session says it
	Asked     string     `json:"asked,omitempty"` // its person's last prompt, in one line
	Said      string     `json:"said,omitempty"`  // the last line that the model wrote since
	// Card is the id of the ask whose card also shows this one: identical asks are
	// answered together. AskedBy says in words who asks on that card.
	Card      string `json:"card,omitempty"`
	AskedBy   string `json:"asked_by"`
	Perhaps   bool   `json:"perhaps,omitempty"` // it may have been settled at the terminal
	OpenedAt  int64  `json:"opened_at"`
	ExpiresAt int64  `json:"expires_at"`
	SettledAt int64  `json:"settled_at,omitempty"`
	By        string `json:"by,omitempty"`
	Channel   string `json:"channel,omitempty"`
	Allow     bool   `json:"allow"`
	Outcome   string `json:"outcome,omitempty"`
	// ForSession and ForAlways say what an allow of that scope would permit. They
	// are empty if the scope is not offered.
	ForSession string `json:"for_session,omitempty"`
	ForAlways  string `json:"for_always,omitempty"`
	Parked     bool   `json:"parked,omitempty"` // refused, and can still be answered
	InRun      bool   `json:"in_run,omitempty"` // a run asks: while it is parked, no process waits
	// AnswerAt names the channels whose answers count. It is set if the terminal is
	// not among them.
	AnswerAt []string `json:"answer_at,omitempty"`
	URL      string   `json:"url,omitempty"` // of its page, absent while none is served
	// Of a question of another machine: the answer that is on its way there, in words, and why it cannot be
	// answered here.
	Sent   string `json:"sent,omitempty"`
	Closed string `json:"closed,omitempty"`
	Origin
}
