package wire

import "time"

// Operations of snapshots.
const (
	OpUndoTake Op[UndoTakeRequest, UndoTakeReply] = "hook.undo" // take a snapshot before a question is asked
	OpUndos    Op[None, UndosReply]               = "undos"
	OpUndo     Op[UndoRequest, Undo]              = "undo" // restore a snapshot
)

// UndoFor is how long the reply to OpUndo waits for the restore. The restore goes on after that.
const UndoFor = 2 * time.Minute

// UndoTakeRequest names the call in its payload.
type UndoTakeRequest struct{ HookCall }

// UndoTakeReply says what was kept before a step, in one line for people. Line is "" if
// there is nothing to say.
type UndoTakeReply struct {
	Line string `json:"line,omitempty"`
}

// UndosReply lists snapshots, oldest first.
type UndosReply struct {
	Undos []Undo `json:"undos"`
}

// UndoRequest names a snapshot to be restored. Force overwrites newer work.
type UndoRequest struct {
	ID    string `json:"id"`
	Force bool   `json:"force,omitempty"`
	// Anyway overwrites the newer work that the last try has named.
	Anyway bool `json:"anyway,omitempty"`
}

// An Undo is a snapshot that was taken before a destructive step.
type Undo struct {
	ID      string `json:"id"`
	State   string `json:"state"` // ready, restoring or restored
	Session string `json:"session"`
	Token   string `json:"token"`
	Project string `json:"project"`
	Tool    string `json:"tool"`
	Input   string `json:"input"`         // masked
	Ask     string `json:"ask,omitempty"` // the question about the step
	Undoes  string `json:"undoes,omitempty"`
	Holds   string `json:"holds"` // for people
	Files   int    `json:"files"`
	Bytes   int64  `json:"bytes"`
	// Left names what could not be kept.
	Left    []string `json:"left,omitempty"`
	TakenAt int64    `json:"taken_at"`
	RanAt   int64    `json:"ran_at,omitempty"` // the step was reported as over
	EndsAt  int64    `json:"ends_at"`
	// Newer names newer work that a restore would overwrite; these files were not restored.
	Newer    []string `json:"newer,omitempty"`
	By       string   `json:"by,omitempty"` // who asked for it back
	UndoneAt int64    `json:"undone_at,omitempty"`
	Did      string   `json:"did,omitempty"`
	Failed   string   `json:"failed,omitempty"`
	Redo     string   `json:"redo,omitempty"`  // the snapshot of the files as they were before the restore
	Notes    []string `json:"notes,omitempty"` // what is unusual about it, for people
}
