package server

import (
	"maps"
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/wire"
)

func (s *Server) report(_ *call, in wire.ReportRequest) (out wire.ReportReply, err error) {
	if in.Since <= 0 {
		return out, badRequest("a report needs a time to begin at, in unix milliseconds")
	}
	since := time.UnixMilli(in.Since)
	if in.OnlyAsks {
		r, err := s.cfg.Core.ReportAsks(since)
		return s.wireReport(r), err
	}
	r, err := s.cfg.Core.Report(since)
	if err != nil {
		return out, err
	}
	out = s.wireReport(r)
	out.Spent = s.spent(r.Since)
	return out, nil
}

// spent returns what the sessions that run used since a time, in order of time.
func (s *Server) spent(since time.Time) []wire.Spent {
	sums := map[int64]float64{}
	for _, path := range s.cfg.Core.Transcripts() {
		for _, part := range s.cfg.Spent(path, since) {
			sums[part.At.UnixMilli()] += part.USD
		}
	}
	out := []wire.Spent{}
	for _, at := range slices.Sorted(maps.Keys(sums)) {
		out = append(out, wire.Spent{At: at, USD: sums[at]})
	}
	return out
}

func (s *Server) wireReport(r core.Report) wire.ReportReply {
	out := wire.ReportReply{
		Since:      millis(r.Since),
		Until:      millis(r.Until),
		Asks:       []wire.ReportedAsk{},
		Counts:     map[string]int{},
		Loops:      s.wireEntries(r.Loops),
		Issues:     s.wireEntries(r.Issues),
		Refused:    s.wireEntries(r.Refused),
		Denied:     s.wireEntries(r.Denied),
		Overridden: s.wireEntries(r.Overridden),
		Spent:      []wire.Spent{},
	}
	for _, a := range r.Asks {
		end := a.Answered()
		if end.IsZero() {
			end = r.Until
		}
		out.Asks = append(out.Asks, wire.ReportedAsk{
			Ask:      s.wireAsk(a),
			WaitedMS: end.Sub(a.OpenedAt).Milliseconds(),
			How:      a.Ending(),
		})
	}
	for kind, n := range r.Counts {
		out.Counts[string(kind)] = n
	}
	return out
}
