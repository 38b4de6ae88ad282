package task

import (
	"slices"
	"strings"
)

// A Status says how far a task is, in the words of its file.
type Status string

// The statuses of a task. Unknown stands for every other text; a task with it is shown as
// its file says and is not started by itself.
const (
	Unknown    Status = ""
	InProgress Status = "IN PROGRESS"
	Waiting    Status = "WAITING"
	Blocked    Status = "BLOCKED"
	Completed  Status = "COMPLETED"
	Archived   Status = "ARCHIVED"
)

// Statuses lists the known statuses.
func Statuses() []Status { return []Status{InProgress, Waiting, Blocked, Completed, Archived} }

// Over reports whether nothing is left to do.
func (s Status) Over() bool { return s == Completed || s == Archived }

// spellings are the beginnings of each status, in upper case and without blanks, dashes and
// underscores. Older workspaces have the French ones.
var spellings = []struct {
	status Status
	begin  []string
}{
	{InProgress, []string{"INPROGRESS", "ENCOURS"}},
	{Waiting, []string{"WAITING", "ENATTENTE"}},
	{Blocked, []string{"BLOCK", "BLOQU"}},
	{Completed, []string{"COMPLET", "TERMIN"}},
	{Archived, []string{"ARCHIV"}},
}

// parseStatus returns the status that a text means, or Unknown.
func parseStatus(text string) Status {
	folded := strings.NewReplacer(" ", "", "\t", "", "_", "", "-", "").Replace(strings.ToUpper(text))
	for _, s := range spellings {
		begins := func(begin string) bool { return strings.HasPrefix(folded, begin) }
		if slices.ContainsFunc(s.begin, begins) {
			return s.status
		}
	}
	return Unknown
}
