package wire

// OpCheck follows a loop's check that a Stop hook runs.
const OpCheck Op[CheckRequest, CheckReply] = "hook.check"

// CheckRequest follows a check that runs. It waits at most WaitMS until the check is to be
// ended from outside.
type CheckRequest struct {
	HookCall
	Frame  string `json:"frame,omitempty"`  // the frame whose check it is
	Output string `json:"output,omitempty"` // what it printed since the last request
	WaitMS int64  `json:"wait_ms,omitempty"`
	Ended  string `json:"verb,omitempty"` // Interrupted, or empty
}

// Interrupted, as CheckRequest.Ended, says that the host ended the hook and the check
// with it.
const Interrupted = "interrupted"

// CheckReply says with Wake whether the check's result is still wanted.
type CheckReply struct {
	Wake string `json:"wake,omitempty"` // wait or end
}

// A LoopCheck is a command that the Stop hook runs to find out whether a loop's
// work is done.
type LoopCheck struct {
	Frame     string `json:"frame"`
	Session   string `json:"session"` // its token
	Command   string `json:"command"`
	Dir       string `json:"dir"`
	TimeoutMS int64  `json:"timeout_ms"`
	Walled    bool   `json:"walled,omitempty"` // it runs behind a wall of its own
}

// LoopChecked is the result of a LoopCheck. Output is the end of the check's output.
// Digest is the SHA-256 of the whole output without times.
type LoopChecked struct {
	Frame    string `json:"frame"`
	ExitCode int    `json:"exit_code"`
	TimedOut bool   `json:"timed_out,omitempty"`
	Broken   string `json:"broken,omitempty"` // why it could not be run
	TookMS   int64  `json:"took_ms"`
	Output   string `json:"output,omitempty"`
	Digest   string `json:"digest,omitempty"`
}
