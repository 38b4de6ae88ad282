package noun

import (
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/task"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// A Notebook is one file of the workspace that grows.
type Notebook interface {
	Read() (string, error)
	// Edit replaces the text with the result of change. change may be called again if others write
	// the file meanwhile.
	Edit(change func(string) string) error
}

func (s *Server) gaps(*door.Call, wire.None) (out wire.GapsReply, err error) {
	file, err := s.cfg.Gaps.Read()
	return wire.GapsReply{Gaps: wire.List(task.ParseGaps(file), wireGap)}, err
}

func wireGap(g task.Gap) wire.Gap {
	return wire.Gap{
		ID:         g.N,
		Title:      g.Title,
		Status:     string(g.Status),
		Date:       g.Date,
		Problem:    g.Problem,
		Impact:     g.Impact,
		Suggestion: g.Fix,
		Source:     g.Source,
	}
}

// gapReport records what kept an agent from doing well, once.
func (s *Server) gapReport(c *door.Call, in wire.GapReportRequest) (out wire.GapReportReply, err error) {
	if text.Fold(in.Title) == "" || !utf8.ValidString(in.Title+in.Problem+in.Impact+in.Suggestion) {
		return out, door.BadRequest("a gap needs a title, and its texts must be UTF-8")
	}
	_, who := c.Author()
	g := task.Gap{
		Date:    time.Now().Format(time.DateOnly),
		Title:   redact.Clean(in.Title),
		Problem: redact.Clean(in.Problem),
		Impact:  redact.Clean(in.Impact),
		Fix:     redact.Clean(in.Suggestion),
		Source:  who,
	}
	err = s.cfg.Gaps.Edit(func(file string) string {
		file, out.ID, out.Known = task.AddGap(file, g)
		return file
	})
	return out, err
}

// gapSet records what the person decided about a gap.
func (s *Server) gapSet(_ *door.Call, in wire.GapSetRequest) (out wire.Gap, err error) {
	status := task.GapStatus(in.Status)
	if !slices.Contains([]task.GapStatus{task.GapOpen, task.GapResolved, task.GapIgnored}, status) {
		return out, door.BadRequest("unknown status %.40q; want open, resolved or ignored", in.Status)
	}
	var failed error
	err = s.cfg.Gaps.Edit(func(file string) string {
		all := task.ParseGaps(file)
		failed = fmt.Errorf("gap %d: %w", in.ID, core.ErrNotFound)
		if in.ID < 1 || in.ID > len(all) {
			return file
		}
		if g := all[in.ID-1]; in.Title != "" && g.Title != in.Title {
			failed = door.BadRequest("gap %d is another one now: %s", in.ID, g.Title)
			return file
		}
		after, _ := task.SetGap(file, in.ID, status)
		out, failed = wireGap(task.ParseGaps(after)[in.ID-1]), nil
		return after
	})
	if err == nil {
		err = failed
	}
	return out, err
}
