package run

// LeaveAuto takes r out of Auto, because the check that this mode relies on does not run: the
// agent refuses what needs it. The turn is told to end, and the next one goes on in AcceptEdits,
// which asks the person instead.
func LeaveAuto(r Run) (Run, error) {
	if !r.Busy() || r.Mode != Auto {
		return r.unfit("leave auto mode in")
	}
	r.Mode, r.Turn.LeavesAuto = AcceptEdits, true
	return r, nil
}

// autoNotice follows Notice in a turn whose run has left Auto.
const autoNotice = " It was in auto mode, whose safety check does not run here, so calls were refused. " +
	"It is now in mode " + AcceptEdits + ": such a call is a question to your person. Make it again if you still " +
	"need it."

// ResumeNotice is the prompt of the turn that restarts the conversation of r.
func (r Run) ResumeNotice() string {
	if r.Turn.LeavesAuto {
		return Notice + autoNotice
	}
	return Notice
}
