package wire

// Operations of suggestions.
const (
	OpSuggestions       Op[SuggestionsRequest, SuggestionsReply] = "suggestions"
	OpSuggest           Op[SuggestRequest, SuggestReply]         = "suggest" // by an agent: it decides nothing
	OpSuggestionAccept  Op[SuggestionAcceptRequest, Task]        = "suggestion.accept"
	OpSuggestionDismiss Op[Named, Suggestion]                    = "suggestion.dismiss"
)

// A Suggestion is a task that an agent, a trigger or triage proposes.
type Suggestion struct {
	ID      string   `json:"id"` // its name, and that of its file
	Title   string   `json:"title"`
	Status  string   `json:"status"`  // open, accepted or dismissed; unreadable for a file that cannot be read
	Urgency string   `json:"urgency"` // urgent, normal or low
	Source  string   `json:"source,omitempty"`
	Date    string   `json:"date,omitempty"` // as the file writes it
	Task    string   `json:"task,omitempty"` // what became of it
	Summary string   `json:"summary,omitempty"`
	Why     string   `json:"why,omitempty"`
	Plan    string   `json:"plan,omitempty"`
	Context string   `json:"context,omitempty"` // data, and not the person's words
	Ask     string   `json:"ask,omitempty"`     // the id of its question
	Faults  []string `json:"faults,omitempty"`  // of the file, each with its line
}

// SuggestionsRequest asks for the suggestions that are open, or for all.
type SuggestionsRequest struct {
	All bool `json:"all,omitempty"`
}

// SuggestionsReply lists suggestions: those that are urgent first, then by name.
type SuggestionsReply struct {
	Suggestions []Suggestion `json:"suggestions"`
}

// SuggestRequest suggests a task. Source is filled in by the coordinator.
type SuggestRequest struct {
	Title   string `json:"title"`
	Urgency string `json:"urgency,omitempty"`
	Summary string `json:"summary,omitempty"`
	Why     string `json:"why,omitempty"`
	Plan    string `json:"plan,omitempty"`
	Context string `json:"context,omitempty"`
}

// SuggestReply says where a suggestion went: added, folded into the open one ID, or dismissed,
// because the person has dismissed the same one, ID, before.
type SuggestReply struct {
	Place string `json:"place"`
	ID    string `json:"id"`
}

// SuggestionAcceptRequest makes a task of a suggestion and starts it. A second request makes no
// second task.
type SuggestionAcceptRequest struct {
	ID          string `json:"id"`
	Instruction string `json:"instruction,omitempty"`
}
