package consult

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/child"
	"github.com/afar-sh/afar/coordinator/internal/git"
	"github.com/afar-sh/afar/coordinator/wall"
	"github.com/afar-sh/afar/coordinator/wire"
)

// Make makes a consultation that the coordinator has allowed. The programs run in the
// environment of this process, which has the person's sign-ins, and end with it. They are
// those that the coordinator found, and any other is looked up in the PATH of dirs. The
// caller must report the outcome to the coordinator, even after an error. The opinion
// counts only if err is nil.
func Make(ctx context.Context, dirs home.Dirs, by wire.ConsultBeginReply, question string) (wire.SecondOpinion,
	wire.ConsultEndRequest, error) {
	programs, err := Programs(by.Programs)
	if err != nil {
		return wire.SecondOpinion{}, wire.ConsultEndRequest{ID: by.ID, Ended: true}, err
	}
	for _, p := range dirs.Programs() {
		child.Use(p.Name, p.File)
	}
	timeout := time.Duration(by.TimeoutMS) * time.Millisecond
	c := Config{
		Programs: programs, Timeout: timeout, Path: dirs.Path, Repo: project(ctx), Wall: wall.Here(by.Wall), Dirs: dirs,
	}
	a, err := ask(ctx, c, question)
	outcome := wire.ConsultEndRequest{ID: by.ID, Missed: wireMissed(a.Missed), Ended: err != nil &&
		!errors.Is(err, ErrNone)}
	if err != nil {
		return wire.SecondOpinion{}, outcome, err
	}
	outcome.By, outcome.Path, outcome.Digest = a.By, a.Path, a.Digest
	outcome.Bytes, outcome.TookMS = len(a.Text), a.Took.Milliseconds()
	opinion := wire.SecondOpinion{
		By:     a.By,
		Text:   a.Text,
		Cut:    a.Cut,
		Digest: a.Digest,
		TookMS: outcome.TookMS,
		Missed: outcome.Missed,
	}
	return opinion, outcome, nil
}

// project returns the root of the repository around the current directory, or that
// directory itself if it is in no repository.
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

func wireMissed(all []Miss) []wire.Missed {
	out := []wire.Missed{}
	for _, m := range all {
		out = append(out, wire.Missed{By: m.By, Why: m.Why, Absent: m.Absent})
	}
	return out
}
