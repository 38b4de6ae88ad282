package web

import (
	"fmt"
	"strconv"

	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/wire"
)

// gaps returns what is missing, in the order of gaps.md.
func (s *shared) gaps() ([]wire.Gap, error) {
	out, err := read(s.reader, wire.OpGaps, wire.None{})
	return out.Gaps, err
}

// gaps shows what kept agents from doing well.
func (c *Channel) gaps(q *query) (page.View, error) {
	list, err := q.gaps()
	return page.Gaps{List: list, Tabs: q.tabs(), Closed: c.closed(), Home: c.cfg.Home}, err
}

// gapForm sets the status of a gap.
func gapForm(d *decision) (string, error) {
	n, err := strconv.Atoi(d.PathValue("n"))
	if err != nil {
		return "", errButton
	}
	in := wire.GapSetRequest{ID: n, Status: d.PostForm.Get("do"), Title: d.PostForm.Get("title")}
	g, err := decide(d, wire.OpGapSet, in)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Gap %d is %s.", g.ID, g.Status), nil
}
