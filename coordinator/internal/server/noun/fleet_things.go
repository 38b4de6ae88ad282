package noun

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/fleet"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/wire"
)

// A thing of another machine takes the names that it has in the fleet.
type movable[T any] interface {
	*T
	From(wire.Origin)
}

// origins returns where things of other machines are, by machine. It is empty on a machine that is no hub.
func (s *Server) origins() map[fleet.MachineID]wire.Origin {
	if s.cfg.Core.Fleet().Role != fleet.Hub {
		return nil
	}
	out := map[fleet.MachineID]wire.Origin{}
	for _, m := range s.cfg.Core.Machines() {
		out[m.ID] = door.Origin(s.cfg.Core, m)
	}
	return out
}

// mirrored returns what other machines show of a kind, by machine.
func mirrored[T any, P movable[T]](s *Server, kind string) (out []T) {
	at := s.origins()
	if len(at) == 0 {
		return nil
	}
	all := s.cfg.Core.MirrorsOf(kind)
	slices.SortFunc(all, func(a, b fleet.Mirror) int {
		return cmp.Or(cmp.Compare(at[a.Machine].Machine, at[b.Machine].Machine), cmp.Compare(a.Ref, b.Ref))
	})
	for _, m := range all {
		var one T
		if from, known := at[m.Machine]; known && json.Unmarshal(m.Body, &one) == nil {
			from.SeenAt = m.At.UnixMilli()
			P(&one).From(from)
			out = append(out, one)
		}
	}
	return out
}

// answerThere sends an answer to the machine that asks, and returns what it came to there, or that it is on its way.
func (s *Server) answerThere(c *door.Call, a ask.Ask, in wire.AnswerRequest) (out wire.Ask, err error) {
	in.ID, in.Hash = string(a.From.Ref), a.Hash
	raw, err := json.Marshal(in)
	if err != nil {
		return out, err
	}
	what := "Denied"
	switch {
	case in.Allow:
		what = "Allowed"
	case in.Text != "" || len(in.Options) > 0:
		what = "Your answer"
	}
	o := fleet.Order{Op: string(wire.OpAnswer), In: raw, By: c.Decider()}
	if o, err = s.cfg.Core.SendAnswer(a.ID, o, what); err != nil {
		return out, err
	}
	was := s.wireAsk(a)
	body, err := c.AwaitOrder(fleet.Machine{ID: o.Machine, Name: was.Machine}, o)
	if errors.Is(err, door.ErrUnderway) {
		a, err = s.cfg.Core.Ask(a.ID)
		return s.wireAsk(a), err
	}
	if err != nil {
		return out, err
	}
	err = json.Unmarshal(body, &out)
	out.ID, out.Token, out.URL, out.Origin = was.ID, was.Token, was.URL, was.Origin
	return out, err
}
