package wire

// Operations of gaps.
const (
	OpGaps      Op[None, GapsReply]                  = "gaps"
	OpGapReport Op[GapReportRequest, GapReportReply] = "gap.report" // by an agent: it decides nothing
	OpGapSet    Op[GapSetRequest, Gap]               = "gap.set"
)

// A Gap is something that kept an agent from doing well.
type Gap struct {
	ID         int    `json:"id"` // its place in gaps.md, from 1
	Title      string `json:"title"`
	Status     string `json:"status"`         // open, resolved or ignored
	Date       string `json:"date,omitempty"` // 2026-11-21
	Problem    string `json:"problem,omitempty"`
	Impact     string `json:"impact,omitempty"`
	Suggestion string `json:"suggestion,omitempty"`
	Source     string `json:"source,omitempty"`
}

// GapsReply lists the gaps in the order of gaps.md.
type GapsReply struct {
	Gaps []Gap `json:"gaps"`
}

// GapReportRequest records a gap. Source is filled in by the coordinator.
type GapReportRequest struct {
	Title      string `json:"title"`
	Problem    string `json:"problem,omitempty"`
	Impact     string `json:"impact,omitempty"`
	Suggestion string `json:"suggestion,omitempty"`
}

// GapReportReply is the place of the gap. Known says that it was recorded before.
type GapReportReply struct {
	ID    int  `json:"id"`
	Known bool `json:"known,omitempty"`
}

// GapSetRequest sets the status of a gap: open, resolved or ignored. Title, if it is not empty,
// must be that of the gap: the file may have changed meanwhile.
type GapSetRequest struct {
	ID     int    `json:"id"`
	Status string `json:"status"`
	Title  string `json:"title,omitempty"`
}
