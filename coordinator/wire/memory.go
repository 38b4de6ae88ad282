package wire

// Operations of memory.
const (
	OpMemory       Op[MemoryRequest, MemoryReply]             = "memory" // all facts
	OpMemorySearch Op[MemorySearchRequest, MemorySearchReply] = "memory.search"
	OpMemoryFact   Op[Named, MemoryFactReply]                 = "memory.fact" // one of them
	OpMemoryAdd    Op[MemoryAddRequest, MemoryAddReply]       = "memory.add"
	// OpMemoryForget deletes a fact. For a session it moves the fact to the archive.
	OpMemoryForget Op[Named, MemoryForgetReply]           = "memory.forget"
	OpMemoryLint   Op[None, MemoryLintReply]              = "memory.lint"
	OpMemoryEdit   Op[MemoryEditRequest, MemoryEditReply] = "memory.edit"
	OpMemoryDay    Op[MemoryDayRequest, MemoryDayReply]   = "memory.day"  // the journal of a day
	OpMemoryDays   Op[MemoryDaysRequest, MemoryDaysReply] = "memory.days" // the journals of several days
)

// A Fact is one file of memory.
type Fact struct {
	ID     string   `json:"id"` // its name, and that of its file
	Title  string   `json:"title"`
	Type   string   `json:"type,omitempty"`
	Tags   []string `json:"tags,omitempty"`
	From   string   `json:"from,omitempty"`  // the day since when it is true, YYYY-MM-DD
	Until  string   `json:"until,omitempty"` // the last day on which it is true
	Source string   `json:"source,omitempty"`
	Text   string   `json:"text"`
	Path   string   `json:"path"`
	Over   bool     `json:"over,omitempty"` // it is true no more
	// Rival is a newer fact with the same subject that says otherwise.
	Rival    string `json:"rival,omitempty"`
	Changed  bool   `json:"changed,omitempty"` // it said otherwise before
	Archived bool   `json:"archived,omitempty"`
}

// MemoryRequest asks for all facts, or for those of the archive.
type MemoryRequest struct {
	Archived bool `json:"archived,omitempty"`
}

// MemoryReply lists facts, the newest first, and the files that cannot be read.
type MemoryReply struct {
	Facts  []Fact    `json:"facts"`
	Broken []Finding `json:"broken"`
}

// A Finding is something in memory that a person should look at.
type Finding struct {
	File string `json:"file"` // below memory/
	Line int    `json:"line"`
	Kind string `json:"kind"` // broken, contradiction, over, duplicate or link
	Text string `json:"text"`
}

// MemorySearchRequest asks which documents answer a question or have some words.
type MemorySearchRequest struct {
	Query string `json:"query"`
	Most  int    `json:"most,omitempty"` // at most so many; 0 is 5
}

// MemorySearchReply lists documents and single lines, the best first.
type MemorySearchReply struct {
	Results []MemoryResult `json:"results"`
	Lines   []MemoryResult `json:"lines"`
}

// A MemoryResult is something that a search has found.
type MemoryResult struct {
	Kind  string  `json:"kind"` // fact, journal, task, run or session
	ID    string  `json:"id"`   // its name, date or token
	Title string  `json:"title"`
	At    int64   `json:"at"`   // when it changed last
	Line  int     `json:"line"` // of the best line, counted from 1; 0 where the title says it
	Text  string  `json:"text"` // that line
	Score float64 `json:"score"`
}

// MemoryFactReply is the fact, with the text of its file. A file that cannot be read as a fact has
// its name and its path alone.
type MemoryFactReply struct {
	Fact
	File    string `json:"file"`
	Fault   string `json:"fault,omitempty"`    // why the file cannot be read, with its line
	Base    string `json:"base"`               // names this text; see MemoryEditRequest
	TooLong bool   `json:"too_long,omitempty"` // too long for a form
}

// MemoryEditRequest saves the file of a fact that a person wrote in a form. Base is the one of the text
// that the form showed.
type MemoryEditRequest struct {
	ID   string `json:"id"`
	Base string `json:"base"`
	Text string `json:"text"`
}

// MemoryEditReply says where the text is. If the file had changed since it was shown, it stays as it
// is, and Kept names the fact that holds the person's text.
type MemoryEditReply struct {
	Kept  string `json:"kept,omitempty"`
	Fault string `json:"fault,omitempty"` // why the file cannot be read, with its line
}

// MemoryAddRequest adds a fact. Only a title is required.
type MemoryAddRequest struct {
	Title string   `json:"title"`
	Text  string   `json:"text,omitempty"`
	Type  string   `json:"type,omitempty"`
	Tags  []string `json:"tags,omitempty"`
	Until string   `json:"until,omitempty"` // YYYY-MM-DD
}

// MemoryAddReply is the fact, and what became of it: added, changed or unchanged.
type MemoryAddReply struct {
	Fact
	Change string `json:"change"`
}

// MemoryForgetReply says what became of it: deleted or archived.
type MemoryForgetReply struct {
	Change string `json:"change"`
}

// MemoryLintReply lists findings by file.
type MemoryLintReply struct {
	Findings []Finding `json:"findings"`
}

// MemoryDayRequest asks for the journal of a day, YYYY-MM-DD; "" is today.
type MemoryDayRequest struct {
	Date string `json:"date,omitempty"`
}

// MemoryDayReply is the journal of a day.
type MemoryDayReply struct {
	MemoryDay
	Days []string `json:"days"` // that have a journal, the newest first, at most 30
}

// MemoryDaysRequest asks for the journals of the newest days up to one, at most so many.
type MemoryDaysRequest struct {
	Until string `json:"until,omitempty"` // YYYY-MM-DD; "" for any day
	Most  int    `json:"most,omitempty"`  // 0 is 7
}

// MemoryDaysReply holds the journals of the days that have one, the newest first.
type MemoryDaysReply struct {
	Days []MemoryDay `json:"days"`
	Next string      `json:"next,omitempty"` // the day before these that has a journal
}

// A MemoryDay is the journal of one day.
type MemoryDay struct {
	Date    string       `json:"date"`
	Path    string       `json:"path"`
	Entries []MemoryNote `json:"entries"` // in the order of the file
}

// A MemoryNote is an entry of the journal of a day.
type MemoryNote struct {
	Heading string `json:"heading"`
	Text    string `json:"text"`
	Source  string `json:"source,omitempty"`
}
