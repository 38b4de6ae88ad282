package coordinator

import (
	"fmt"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/config"
	"github.com/afar-sh/afar/coordinator/consult"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/wire"
)

// consulting is whom this process asks, in its own environment.
func consulting(settings config.Config) (consult.Config, error) {
	all, err := consult.Programs(settings.Consult.Programs)
	return consult.Config{Programs: all, Timeout: time.Duration(settings.Consult.Timeout)}, err
}

// reviewed journals a verdict, before anything comes of it.
func reviewed(c *core.Core, e core.Errand, commit string, v consult.Verdict) error {
	if v.By == "" {
		return nil // nobody was asked
	}
	word := "not approved"
	if v.Approved {
		word = "approved"
	}
	text := fmt.Sprintf("commit %s of issue %s is %s by %s (%s), sha256 %s", commit, e.Issue.ID, word, v.By, v.Path, v.Digest)
	for _, m := range v.Missed {
		text += "; " + redact.Visible(redact.Mask(m.String()))
	}
	return c.Note(event.ReviewMade, e.Session, e.Issue.ID, strings.Join(strings.Fields(text), " "))
}

// doctorConsult says whom the review of a commit can ask. A session's own
// environment may find others.
func (c *Coordinator) doctorConsult() wire.Check {
	if found := c.consult.Installed(); len(found) > 0 {
		return wire.Check{ID: "consult", State: "ok", Text: "a second opinion comes from " + strings.Join(found, ", then ")}
	}
	return wire.Check{ID: "consult", State: "off", Text: "no other model can be asked: issues do not land unreviewed",
		Fix: "install codex, gemini or claude, or name a program under [consult] in config.toml; then afar restart"}
}
