package wire

// Operations of the command line. Times are unix milliseconds.
const (
	OpStatus   = "status"    // reply: Status
	OpAsks     = "asks"      // reply: Asks
	OpAnswer   = "answer"    // Answer; reply: Ask
	OpGrants   = "grants"    // reply: Grants
	OpRevoke   = "revoke"    // ByID; reply: Grant
	OpAway     = "away"      // Away; reply: Settings
	OpTurnStop = "turn.stop" // ByID: end the running turn of a session; reply: Said
	OpPause    = "pause"     // Pause; reply: Settings
	OpLoops    = "loops"     // reply: Loops
	OpLoop     = "loop"      // ByID; reply: Loop
	OpLoopNew  = "loop.start"
	OpLoopEnd  = "loop.cancel" // ByID; reply: Loop
	OpLog      = "log"         // LogQuery; reply: Log
	OpVerify   = "audit.verify"
	OpReport   = "report"   // ReportQuery; reply: Report
	OpDoctor   = "doctor"   // reply: Checks
	OpPing     = "ping"     // does anybody answer?
	OpShutdown = "shutdown" // replies first, then finishes what it holds and ends
	OpPerson   = "person"   // ByID names a decision that another program takes: may the caller?

	OpTelegram           = "telegram.status"  // reply: Telegram
	OpTelegramConnect    = "telegram.connect" // TelegramConnect; reply: Telegram
	OpTelegramPair       = "telegram.pair"    // reply: Pairing
	OpTelegramPaired     = "telegram.paired"  // PairWait: waits at most WaitMS; reply: Telegram
	OpTelegramDisconnect = "telegram.disconnect"
)

// ByID names one thing.
type ByID struct {
	ID string `json:"id"`
}

// Status is all that `afar status` shows.
type Status struct {
	Coordinator Coordinator `json:"coordinator"`
	Guard       Guard       `json:"guard"`
	Settings    Settings    `json:"settings"`
	Channels    []Channel   `json:"channels"`
	Sessions    []Session   `json:"sessions"`
	Loops       []Loop      `json:"loops"`
	Asks        []Ask       `json:"asks"`
}

// Guard says how hard it is to get past the guard.
type Guard struct {
	Grade string `json:"grade"`         // plain, held or locked
	Why   string `json:"why,omitempty"` // it is no better, in words
	Mods  []Mod  `json:"mods"`          // enabled ones of other plugins that can overrule or silence a hook
}

// A Mod is a plugin's module that runs inside the client.
type Mod struct {
	ID     string   `json:"id"`
	Dir    string   `json:"dir"`
	Events []string `json:"events"` // those with which it can do so
}

// Coordinator describes the running daemon.
type Coordinator struct {
	PID     int    `json:"pid"`
	Version string `json:"version"`
	Since   int64  `json:"since"`
	Home    string `json:"home"`
	Socket  string `json:"socket"`
}

// Settings are the switches that hold for all sessions.
type Settings struct {
	Away      string `json:"away"` // off, on or auto
	AwayUntil int64  `json:"away_until,omitempty"`
	Paused    bool   `json:"paused"`
	// AnswersFrom names the channels whose answers count; none means all.
	AnswersFrom []string `json:"answers_from,omitempty"`
}

// A Channel is a place where asks are shown and answered.
type Channel struct {
	ID    string `json:"id"`
	State string `json:"state"` // ready, unpaired, off, failing
	Note  string `json:"note,omitempty"`
}

// A Session is one conversation of the host.
type Session struct {
	ID         string `json:"id"`
	Token      string `json:"token"`
	Project    string `json:"project"`
	Mode       string `json:"mode"`  // the host's permission mode
	State      string `json:"state"` // working, waiting, idle, ended or unprotected
	Since      int64  `json:"since"`
	Attended   bool   `json:"attended"`
	Away       string `json:"away,omitempty"`
	Terminal   string `json:"terminal,omitempty"`
	Protected  bool   `json:"protected"`
	ClientPID  int    `json:"client_pid,omitempty"`
	Entrypoint string `json:"entrypoint,omitempty"`
	Review     string `json:"review,omitempty"` // how its review gate stands, in words; empty: off
	// About is what the session is about, masked: its name, else its first prompt.
	About string `json:"about,omitempty"`
	// Model, Context (tokens) and Todos are absent where the host does not tell.
	Model   string `json:"model,omitempty"`
	Context int64  `json:"context_tokens,omitempty"`
	Todos   *Todos `json:"todos,omitempty"`
}

// Todos counts the steps of a session's own list.
type Todos struct {
	Done  int `json:"done"`
	Total int `json:"total"`
}

// Asks is a list of questions.
type Asks struct {
	Asks []Ask `json:"asks"`
}

// An Ask is a question put to the person. Its input is masked.
type Ask struct {
	ID string `json:"id"`
	// Short is the beginning of ID that is enough to name it, in a list of asks.
	Short   string `json:"short,omitempty"`
	Kind    string `json:"kind"`
	State   string `json:"state"`
	Session string `json:"session"`
	Token   string `json:"token"`
	Project string `json:"project"`
	Tool    string `json:"tool"`
	Input   string `json:"input"`
	// Questions are those of the kind question; Current is the place of the one
	// to be answered now, from 0.
	Questions []Question `json:"questions,omitempty"`
	Current   int        `json:"current,omitempty"`
	Hash      string     `json:"hash"`
	Agent     string     `json:"agent,omitempty"`
	Why       string     `json:"why,omitempty"`   // the guard's opinion
	Does      string     `json:"does,omitempty"`  // what the guard understands that the call would do
	Says      string     `json:"says,omitempty"`  // what the session says that it is for
	Asked     string     `json:"asked,omitempty"` // its person's last prompt, in one line
	Said      string     `json:"said,omitempty"`  // the last line that the model wrote since
	// Card is the id of the ask on whose card this one stands: identical asks
	// are answered together. AskedBy says in words who asks on that card.
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
	// ForSession and ForAlways say what an allow of that scope would permit;
	// empty where it is not offered.
	ForSession string `json:"for_session,omitempty"`
	ForAlways  string `json:"for_always,omitempty"`
	Parked     bool   `json:"parked,omitempty"` // refused, and answerable still
	// AnswerAt names the channels that count, where the terminal is none of them.
	AnswerAt []string `json:"answer_at,omitempty"`
}

// Answer decides an ask.
type Answer struct {
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
}

// Away sets when asks leave the terminal. An empty Session means all.
type Away struct {
	Mode    string `json:"mode"`
	Session string `json:"session,omitempty"`
	ForMS   int64  `json:"for_ms,omitempty"`
}

// Pause sets the kill switch.
type Pause struct {
	On bool `json:"on"`
}

// Loops is a list of loops.
type Loops struct {
	Loops []Loop `json:"loops"`
}

// A Loop keeps one session going; its id is the session's token.
type Loop struct {
	ID        string  `json:"id"`
	Run       string  `json:"run"` // tells two loops of one session apart
	Session   string  `json:"session"`
	Active    bool    `json:"active"`
	Verdict   string  `json:"verdict,omitempty"`
	Proven    bool    `json:"proven"`
	Evidence  string  `json:"evidence,omitempty"` // proven, claimed or nothing landed
	Note      string  `json:"note,omitempty"`
	UpdatedAt int64   `json:"updated_at"`
	Stack     []Frame `json:"stack"`
	// Begins and Mode are set in the reply to a start: when the session begins, and
	// its permission mode.
	Begins string `json:"begins,omitempty"`
	Mode   string `json:"permission_mode,omitempty"`
}

// When a session begins with a loop that was started from outside it.
const (
	BeginsNow      = "now"      // it is idle, and woken
	BeginsStop     = "stop"     // when it next stops
	BeginsPrompted = "prompt"   // it is idle and cannot be woken: with its next prompt
	BeginsResumed  = "resumed"  // it has ended
	BeginsUnpaused = "unpaused" // Afar is paused
)

// A Frame is one level of a loop.
type Frame struct {
	ID        string `json:"id"`
	Mode      string `json:"mode"`
	Goal      string `json:"goal"`
	N         int    `json:"iter"`
	Max       int    `json:"max"`
	StartedAt int64  `json:"started_at"`
	Check     string `json:"check,omitempty"`   // the command that decides
	Checked   string `json:"checked,omitempty"` // its last result in words
	// Tokens and USD are what it took so far; USD is at list prices.
	Tokens int64   `json:"tokens,omitempty"`
	USD    float64 `json:"usd,omitempty"`
	// The place of an issue, in the frame that works on it.
	IssueID  string `json:"issue_id,omitempty"`
	Worktree string `json:"worktree_path,omitempty"`
	Branch   string `json:"branch,omitempty"`
	Base     string `json:"base_ref,omitempty"`
	// Issue is set in a frame of mode issue.
	Issue *LoopIssue `json:"issue,omitempty"`
}

// A LoopIssue is how far a frame of mode issue is.
type LoopIssue struct {
	Repo   string `json:"repo"`
	Phase  string `json:"phase"` // picking, preparing, working, sealing, reviewing, landing, rebasing, checking, closing or cleaning
	ID     string `json:"id,omitempty"`
	Title  string `json:"title,omitempty"`
	Commit string `json:"commit,omitempty"` // that is reviewed and lands
	Review string `json:"review,omitempty"` // the last verdict in words
	Held   bool   `json:"held,omitempty"`   // a landing that was refused waits for the session's next stop
	Landed int    `json:"landed"`           // issues of this loop
	Left   int    `json:"left"`             // issues that were given up
}

// LoopNew starts a loop in a session, named by token or id.
type LoopNew struct {
	Session string `json:"session"`
	Args    string `json:"args"`
}

// LogQuery selects journal entries after a sequence number.
type LogQuery struct {
	After   int64  `json:"after"`
	Limit   int    `json:"limit"`
	Session string `json:"session,omitempty"`
	WaitMS  int64  `json:"wait_ms,omitempty"` // wait for the first new entry
	Last    bool   `json:"last,omitempty"`    // the newest Limit entries instead of the oldest
}

// Log is a run of journal entries, oldest first.
type Log struct {
	Entries []Entry `json:"entries"`
}

// An Entry is one line of the journal.
type Entry struct {
	Seq     int64  `json:"seq"`
	ID      string `json:"id"`
	At      int64  `json:"at"`
	Kind    string `json:"kind"`
	Session string `json:"session,omitempty"`
	Token   string `json:"token,omitempty"`
	Subject string `json:"subject,omitempty"`
	Text    string `json:"text"`
	Hash    string `json:"hash"`
}

// Verified is the result of checking the journal's hash chain.
type Verified struct {
	Entries int64  `json:"entries"`
	OK      bool   `json:"ok"`
	Broken  int64  `json:"broken,omitempty"` // the first entry that does not fit
	Head    string `json:"head"`
}

// Checks are the findings of doctor.
type Checks struct {
	Checks []Check `json:"checks"`
}

// A Check is one finding. State is ok, off (not configured yet) or bad.
type Check struct {
	ID    string `json:"id"`
	State string `json:"state"`
	Text  string `json:"text"`
	Fix   string `json:"fix,omitempty"`
}

// Telegram says how that channel stands. The token is never sent.
type Telegram struct {
	Connected bool   `json:"connected"`
	Bot       string `json:"bot,omitempty"`
	API       string `json:"api,omitempty"`
	Paired    bool   `json:"paired"`
	User      string `json:"user,omitempty"`
	Chat      string `json:"chat,omitempty"`
	Failing   string `json:"failing,omitempty"`
	Pairing   bool   `json:"pairing"` // a code is waiting
}

// TelegramConnect stores the bot's token and the base URL of its API.
type TelegramConnect struct {
	Token string `json:"token"`
	API   string `json:"api,omitempty"`
}

// Pairing is a fresh code.
type Pairing struct {
	Code      string `json:"code"`
	ExpiresAt int64  `json:"expires_at"`
	Bot       string `json:"bot,omitempty"`
}

// PairWait waits for the end of the pairing that is under way.
type PairWait struct {
	WaitMS int64 `json:"wait_ms"`
}

// Said is what a command says to its person.
type Said struct {
	Text string `json:"text"`
}
