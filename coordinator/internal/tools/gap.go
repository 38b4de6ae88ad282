package tools

import "github.com/afar-sh/afar/coordinator/wire"

type gapArgs struct {
	Title      string `json:"title" jsonschema:"what is missing, in one short line"`
	Problem    string `json:"problem,omitempty" jsonschema:"what you could not do"`
	Impact     string `json:"impact,omitempty" jsonschema:"what came of it"`
	Suggestion string `json:"suggestion,omitempty" jsonschema:"what would close the gap"`
}

const aboutGap = "Report a gap: something that kept you from doing your work well, such as a missing right, tool, " +
	"document or answer. The person reads it later and may close it. Report each gap once, and go on as well as " +
	"you can."

func (s *Server) offerGaps() {
	offer(s, wire.ToolReportGap, aboutGap, reportGap)
}

func reportGap(c call, in gapArgs) (string, error) {
	_, err := ask(c, wire.OpGapReport, wire.GapReportRequest{
		Title:      in.Title,
		Problem:    in.Problem,
		Impact:     in.Impact,
		Suggestion: in.Suggestion,
	})
	if err != nil {
		return "", err
	}
	return "Noted. The person reads it later; go on as well as you can.", nil
}
