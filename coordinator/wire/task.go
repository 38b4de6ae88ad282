package wire

// Operations of tasks.
const (
	OpTasks     Op[None, TasksReply]       = "tasks"
	OpTask      Op[Named, Task]            = "task"
	OpTaskNew   Op[TaskNewRequest, Task]   = "task.new"
	OpTaskStart Op[TaskStartRequest, Task] = "task.start"
	OpTaskStop  Op[Named, Task]            = "task.stop"
	OpTaskSet   Op[TaskSetRequest, Task]   = "task.set"
)

// A Task is a durable unit of work: a folder that says in state.md what the task is and how
// far it is.
type Task struct {
	ID         string `json:"id"` // its name, and that of its folder
	Title      string `json:"title"`
	Objective  string `json:"objective"`
	Status     string `json:"status"` // as state.md says; one that is unknown is written as it is
	Known      bool   `json:"known"`  // the status is a known one
	LastAction int64  `json:"last_action,omitempty"`
	WaitingFor string `json:"waiting_for,omitempty"` // the first line
	NextAction int64  `json:"next_action,omitempty"` // when the task goes on by itself
	// NextWords are the words of the file for NextAction, or the words that were not understood.
	NextWords string   `json:"next_words,omitempty"`
	Faults    []string `json:"faults,omitempty"`  // of state.md, each with its line
	Warning   string   `json:"warning,omitempty"` // what should be mended in state.md
	Dir       string   `json:"dir"`
	Agent     string   `json:"agent,omitempty"`
	Run       string   `json:"run,omitempty"` // the name of the run that works on it
	RunState  string   `json:"run_state,omitempty"`
	Stopped   bool     `json:"stopped,omitempty"` // by a person: nothing else starts it
	Ask       string   `json:"ask,omitempty"`     // the question about its checkpoint.md that waits for the person
	Confirm   bool     `json:"confirm,omitempty"` // the person is asked about each outward act of its runs
	// Proposed says that no person has made the folder a task.
	Proposed  bool   `json:"proposed,omitempty"`
	By        string `json:"by,omitempty"`
	CreatedAt int64  `json:"created_at,omitempty"`
	Origin
}

// TasksReply lists tasks by name. Those that are archived come last.
type TasksReply struct {
	Tasks []Task `json:"tasks"`
}

// TaskNewRequest creates a task. Where a text other than the title is empty, the settings
// decide; an empty objective is the title.
type TaskNewRequest struct {
	Key       string `json:"key"` // made by the caller; a second request with the same key is the same task
	Title     string `json:"title"`
	Objective string `json:"objective,omitempty"`
	Agent     string `json:"agent,omitempty"`
	Confirm   bool   `json:"confirm,omitempty"` // the person is asked about each outward act
	Start     bool   `json:"start,omitempty"`
}

// TaskStartRequest lets a run work on a task.
type TaskStartRequest struct {
	Key string `json:"key"` // made by the caller; a second request with the same key is the same start
	ID  string `json:"id"`
}

// TaskSetRequest sets the status of a task.
type TaskSetRequest struct {
	ID     string `json:"id"`
	Status string `json:"status"`
}

// TaskCall returns the call that carries out a verb of the command line about a task: start, stop, done,
// reopen or archive. key is as in TaskStartRequest.
func TaskCall(verb, id, key string) (c Call[Task], ok bool) {
	switch verb {
	case "start":
		return OpTaskStart.With(TaskStartRequest{Key: key, ID: id}), true
	case "stop":
		return OpTaskStop.With(Named{ID: id}), true
	case "done":
		return OpTaskSet.With(TaskSetRequest{ID: id, Status: "COMPLETED"}), true
	case "reopen":
		return OpTaskSet.With(TaskSetRequest{ID: id, Status: "IN PROGRESS"}), true
	case "archive":
		return OpTaskSet.With(TaskSetRequest{ID: id, Status: "ARCHIVED"}), true
	}
	return c, false
}
