package wire

// An OutwardAct is a call that reaches other machines or people, or that would have done so: a
// line of the workspace's audit/actions.log.
type OutwardAct struct {
	Time     string   `json:"time"`            // RFC 3339, when it was written
	Session  string   `json:"session"`         // the session's id
	Token    string   `json:"token,omitempty"` // and its name
	Run      string   `json:"run,omitempty"`   // the name of its run
	Task     string   `json:"task,omitempty"`  // the name of its task
	Agent    string   `json:"agent,omitempty"` // the type of the subagent that made the call
	Dir      string   `json:"dir,omitempty"`   // where it was made
	Tool     string   `json:"tool"`
	Programs []string `json:"programs"`       // the programs and the tool that reach others
	Command  string   `json:"command"`        // the call on one line, without secrets
	Decision string   `json:"decision"`       // allowed, denied, or "not asked"
	By       string   `json:"by,omitempty"`   // who decided: a person, the terminal, a grant, or the guard
	Rule     string   `json:"rule,omitempty"` // the guard's rule that denied it
	Outcome  string   `json:"outcome"`        // ok, failed, or "not run"
	TookMS   int64    `json:"took_ms,omitempty"`
}
