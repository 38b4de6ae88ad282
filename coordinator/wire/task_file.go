package wire

// Operations of the files of a task.
const (
	OpTaskFiles Op[Named, TaskFilesReply]          = "task.files"
	OpTaskFile  Op[TaskFileRequest, TaskFileReply] = "task.file"
	OpTaskEdit  Op[TaskEditRequest, TaskEditReply] = "task.edit"
	OpTaskKeep  Op[TaskKeepRequest, TaskFile]      = "task.keep"
)

// A TaskFile is a file in the folder of a task.
type TaskFile struct {
	Path string `json:"path"` // below the folder of the task
	Size int64  `json:"size"`
	At   int64  `json:"at"` // when it was last written
}

// TaskFilesReply is what is in the folder of a task, for a person who reads or edits it.
type TaskFilesReply struct {
	Text    string     `json:"text"`    // of state.md
	Base    string     `json:"base"`    // names this text, see TaskEditRequest
	TooLong bool       `json:"toolong"` // for an edit through TaskEditRequest, or not to be read at all
	Files   []TaskFile `json:"files"`   // that the task made or was given, newest first
	More    int        `json:"more"`    // further ones
}

// TaskFileRequest names a file of TaskFilesReply.
type TaskFileRequest struct {
	ID   string `json:"id"`
	Path string `json:"path"`
}

// TaskFileReply is what the file holds.
type TaskFileReply struct {
	Data []byte `json:"data"`
}

// TaskEditRequest replaces the state.md of a task with a text that a person wrote. Lines that
// they did not change keep their bytes.
type TaskEditRequest struct {
	ID   string `json:"id"`
	Base string `json:"base"` // of the text that they began with
	Text string `json:"text"`
}

// TaskEditReply says what became of an edit.
type TaskEditReply struct {
	Task Task `json:"task"`
	// Kept is the file that holds the person's text, because state.md had changed meanwhile
	// and was left as it is. "" says that the text is in state.md.
	Kept string `json:"kept,omitempty"`
}

// TaskKeepRequest puts a file of a person into the artifacts of a task.
type TaskKeepRequest struct {
	ID   string `json:"id"`
	Name string `json:"name"` // as the person's program gives it
	Data []byte `json:"data"`
}
