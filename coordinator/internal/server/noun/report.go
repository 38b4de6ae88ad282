package noun

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/wire"
)

func (s *Server) report(_ *door.Call, in wire.ReportRequest) (out wire.ReportReply, err error) {
	if in.Since <= 0 {
		return out, door.BadRequest("a report needs a time to begin at, in unix milliseconds")
	}
	return s.Report(time.UnixMilli(in.Since))
}

// Report returns what happened since a time.
func (s *Server) Report(since time.Time) (out wire.ReportReply, err error) {
	r, err := s.cfg.Core.Report(since)
	if err != nil {
		return out, err
	}
	out = s.wireReport(r)
	out.Spent = s.spent(r.Since)
	out.Runs = wire.List(s.cfg.Core.RunsEnded(since), s.wireRun)
	loops, err := s.cfg.Core.AllLoops()
	for _, l := range loops {
		if !l.Active() && !l.UpdatedAt.Before(since) {
			out.Ended = append(out.Ended, s.wireLoop(l))
		}
	}
	return out, err
}

// spent returns what the sessions that have run since a time used in it, in order of time.
func (s *Server) spent(since time.Time) []wire.Spent {
	sums := map[int64]float64{}
	for _, v := range s.cfg.Core.SessionsSince(since) {
		for _, part := range s.cfg.Spent(v.Transcript, since) {
			sums[part.At.UnixMilli()] += part.USD
		}
	}
	at := slices.Sorted(maps.Keys(sums))
	return wire.List(at, func(at int64) wire.Spent { return wire.Spent{At: at, USD: sums[at]} })
}

func (s *Server) wireReport(r feature.Report) wire.ReportReply {
	out := wire.ReportReply{
		Since:      wire.Millis(r.Since),
		Until:      wire.Millis(r.Until),
		Asks:       wire.List(r.Asks, func(a ask.Ask) wire.ReportedAsk { return s.reported(a, r.Until) }),
		Counts:     map[string]int{},
		Loops:      wire.List(r.Loops, s.wireEntry),
		Issues:     wire.List(r.Issues, s.wireEntry),
		Refused:    wire.List(r.Refused, s.wireEntry),
		Denied:     wire.List(r.Denied, s.wireEntry),
		Overridden: wire.List(r.Overridden, s.wireEntry),
		Spent:      []wire.Spent{},
		Runs:       []wire.Run{},
		Ended:      []wire.Loop{},
	}
	for kind, n := range r.Counts {
		out.Counts[string(kind)] = n
	}
	return out
}

// reported returns an ask with its outcome. One that waits has waited until a time.
func (s *Server) reported(a ask.Ask, until time.Time) wire.ReportedAsk {
	end := a.Answered()
	if end.IsZero() {
		end = until
	}
	return wire.ReportedAsk{Ask: s.wireAsk(a), WaitedMS: end.Sub(a.OpenedAt).Milliseconds(), How: a.Ending()}
}

// pastAsks lists questions that have ended.
func (s *Server) pastAsks(_ *door.Call, in wire.PastRequest) (out wire.PastReply, err error) {
	limit := cmp.Or(in.Limit, defaultEntries)
	if limit < 0 || limit > maxEntries {
		return out, door.BadRequest("asks.past: the limit must be from 1 to %d", maxEntries)
	}
	var ended []ask.Ask
	if in.Since > 0 {
		ended = s.cfg.Core.AsksEndedSince(time.UnixMilli(in.Since))
	} else {
		ended, err = s.cfg.Core.AsksEnded(ask.ID(in.Before), limit)
	}
	out.Asks = wire.List(ended, func(a ask.Ask) wire.ReportedAsk { return s.reported(a, time.Now()) })
	return out, err
}
