package ask

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/text"
)

// maxLine bounds a call on one line, in characters.
const maxLine = 200

// Line returns the call of a on one line, for the journal and reports: its tool and what
// it would do, masked and of limited length.
func (a Ask) Line() string { return Line(a.Tool, a.Text) }

// Line returns a call on one line, made from its tool and the text that Input returned.
// It leaves out text that is written to a file.
func Line(tool, input string) string {
	switch tool {
	case "Write", "Edit", "MultiEdit", "NotebookEdit", "ExitPlanMode":
		input, _, _ = strings.Cut(input, "\n")
	}
	return text.Clip(strings.TrimSpace(tool+" "+text.Fold(input)), maxLine)
}
