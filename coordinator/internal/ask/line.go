package ask

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/text"
)

// maxLine bounds a call on one line, in characters.
const maxLine = 200

// Line is the call of a on one line, for journal and report: its tool and what it
// would do, masked as on the card, and bounded.
func (a Ask) Line() string { return Line(a.Tool, a.Text) }

// Line is a call on one line, from its tool and the text of its Input. A text that
// goes into a file is left out.
func Line(tool, input string) string {
	switch tool {
	case "Write", "Edit", "MultiEdit", "NotebookEdit", "ExitPlanMode":
		input, _, _ = strings.Cut(input, "\n")
	}
	return text.Clip(strings.TrimSpace(tool+" "+text.Fold(input)), maxLine)
}
