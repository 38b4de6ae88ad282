package noun

import (
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/wire"
)

func wireIssue(is *loop.Issue) *wire.LoopIssue {
	if is == nil {
		return nil
	}
	return &wire.LoopIssue{
		Repo:   is.Repo,
		Phase:  string(is.Phase),
		ID:     is.ID,
		Title:  is.Title,
		Commit: is.Commit,
		Review: is.Verdict,
		Held:   is.Held,
		Landed: is.Landed,
		Left:   is.Left,
	}
}
