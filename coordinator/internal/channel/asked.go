package channel

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/wire"
)

// Asked returns what an ask itself tells people. Whoever knows its session and its place in the house adds those.
func Asked(a ask.Ask) wire.Ask {
	w := wire.Ask{
		ID:         string(a.ID),
		Kind:       string(a.Kind),
		State:      string(a.State),
		Session:    string(a.Session),
		Task:       a.Task,
		Tool:       a.Tool,
		Input:      a.Text,
		Hash:       a.Hash,
		Agent:      a.AgentType,
		Why:        a.Why,
		Does:       a.Does,
		Says:       a.Says,
		Asked:      a.Asked,
		Said:       a.Said,
		Card:       string(a.On),
		AskedBy:    ask.Card{a}.Askers(),
		Perhaps:    a.Perhaps,
		OpenedAt:   a.OpenedAt.UnixMilli(),
		ExpiresAt:  a.ExpiresAt.UnixMilli(),
		SettledAt:  wire.Millis(a.SettledAt),
		Outcome:    a.Outcome(),
		ForSession: a.ForSession(),
		ForAlways:  a.ForAlways(),
		Parked:     a.Parked,
		InRun:      a.InRun,
	}
	if f := a.Form; f != nil {
		w.Current = f.At
		for _, q := range f.Questions {
			w.Questions = append(w.Questions, question(q))
		}
	}
	if d := a.Decision; d != nil {
		w.By, w.Channel, w.Allow = d.By, d.Channel, d.Allow
	}
	if l := a.Lease; l != nil {
		w.By, w.Channel, w.Allow = l.Decision.By, l.Decision.Channel, l.Decision.Allow
	}
	if f := a.From; f != nil {
		w.Machine, w.Sent, w.Project = f.Name, f.Sent, f.Project
		host, _, _ := strings.Cut(w.Session, "@"+f.Machine)
		w.Session, w.Token, w.Task = w.Address(host), w.Address(f.Token), w.Address(a.Task)
		if !f.Decides {
			w.Closed = f.OnlyThere()
		}
	}
	return w
}

func question(q ask.Question) wire.Question {
	w := wire.Question{Text: q.Text, Header: q.Header, Hint: q.Hint, Multi: q.Multi, Answer: q.Answer()}
	for _, o := range q.Options {
		w.Options = append(w.Options, wire.Option{Label: o.Label, Description: o.Description})
	}
	return w
}
