package page

import (
	"regexp"
	"strings"

	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// A spoken is what an entry of the journal says of the guard's opinion.
type spoken struct {
	wire.Entry
	Tool, Rule, Call string
	Within           string // the whole command, where Call is a part of it
}

// spokenText reads "guard: deny Bash (rule): rm -rf / by guard.toml:3 · in: …".
var spokenText = regexp.MustCompile(`^guard: (?:deny|ask) (.*?) \(([^()]*)\): (.*)$`)

// Spoken returns an entry about the guard in its parts. One of another form has only Call.
func Spoken(e wire.Entry) spoken {
	m := spokenText.FindStringSubmatch(e.Text)
	if m == nil {
		return spoken{Entry: e, Call: wording.DeniedCall(e)}
	}
	call, within, _ := strings.Cut(m[3], " · in: ")
	return spoken{Entry: e, Tool: m[1], Rule: m[2], Call: call, Within: within}
}
