package coordinator

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/config"
	"github.com/afar-sh/afar/coordinator/consult"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/git"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/wire"
)

// ErrNobody says that no other model could be asked; the text says why.
var ErrNobody = consult.ErrNone

// Consult asks another model in the environment of this process, by what the
// coordinator said of it. Whatever comes of it is to be told to the coordinator,
// an error or not; the answer counts only where there is none.
func Consult(ctx context.Context, by wire.Consult, question string) (wire.SecondOpinion, wire.Consulted, error) {
	programs, err := programs(by.Programs)
	if err != nil {
		return wire.SecondOpinion{}, wire.Consulted{ID: by.ID, Ended: true}, err
	}
	c := consult.Config{Programs: programs, Timeout: time.Duration(by.TimeoutMS) * time.Millisecond, Repo: project(ctx)}
	a, err := consult.Ask(ctx, c, question)
	out := wire.Consulted{ID: by.ID, Missed: missed(a.Missed), Ended: err != nil && !errors.Is(err, consult.ErrNone)}
	if err != nil {
		return wire.SecondOpinion{}, out, err
	}
	out.By, out.Path, out.Digest, out.Bytes, out.TookMS = a.By, a.Path, a.Digest, len(a.Text), a.Took.Milliseconds()
	return wire.SecondOpinion{By: a.By, Text: a.Text, Cut: a.Cut, Digest: a.Digest, TookMS: out.TookMS, Missed: out.Missed}, out, nil
}

// project is the directory whose files this process stands among.
func project(ctx context.Context) string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	if top, err := git.Top(ctx, dir); err == nil {
		return top
	}
	return dir
}

// Consulted reports whether a consulted model started this process.
func Consulted() bool { return consult.Nested() }

// programs are those that the settings name.
func programs(words []string) ([]consult.Program, error) {
	out := make([]consult.Program, len(words))
	for i, w := range words {
		p, err := consult.Named(w)
		if err != nil {
			return nil, fmt.Errorf("consult.programs: %w", err)
		}
		out[i] = p
	}
	return out, nil
}

func missed(all []consult.Miss) []wire.Missed {
	out := []wire.Missed{}
	for _, m := range all {
		out = append(out, wire.Missed{By: m.By, Why: m.Why, Absent: m.Absent})
	}
	return out
}

// consulting is whom this process asks, in its own environment.
func consulting(settings config.Config) (consult.Config, error) {
	all, err := programs(settings.Consult.Programs)
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
