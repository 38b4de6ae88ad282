package view

import (
	"cmp"

	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// Triggers are the rules that send texts.
var Triggers = add(Noun{
	Name: "trigger",
	Page: true, About: "rules that send texts, and switch them on or off", Phone: []string{"on", "off"},
	Empty: "No triggers. Write one: `afar trigger new NAME --on WHEN --to ADDRESS --prompt TEXT`. A trigger sends a " +
		"text at a time, when a webhook comes in, when a file appears or by hand.",
	List: list(wire.OpTriggers, wire.None{}, func(r wire.TriggersReply) []Thing { return Each(r.Triggers, Trigger) }),
	Read: one(wire.OpTrigger, Trigger),
	Does: map[string]Act{
		"on": act(wire.OpTriggerOn, named, func(t wire.Trigger) Done {
			return Done{Said: "Trigger " + t.ID + " is on.", Secret: t.Secret}
		}),
		"off": says(wire.OpTriggerOff, named, "Trigger %s is off."),
		"fire": says(wire.OpTriggerFire, func(id string, in Input) wire.TriggerFireRequest {
			return wire.TriggerFireRequest{Key: in.Key, ID: id}
		}, "Trigger %s fires. The ledger says what comes of it."),
		"test": act(wire.OpTriggerTest, func(id string, in Input) wire.TriggerTestRequest {
			return wire.TriggerTestRequest{ID: id, Payload: in.Words}
		}, func(t wire.TriggerTestReply) Done {
			if t.Fires {
				return Done{Said: "It would send to " + t.To + ": " + t.Text}
			}
			return Done{Said: "It would send nothing: " + t.Why}
		}),
	},
})

// Trigger shows a rule.
func Trigger(t wire.Trigger) Thing {
	out := Thing{
		ID: t.ID, Title: t.Title, State: t.State, Mark: Mark{Muted, "⏸"},
		Notes: facts(Row{"", Bad, said(t.Fault)}, Row{"held", Ask, said(t.Held)}, Row{"next", Plain, when("", t.Next)}),
		Details: facts(
			Row{"file", Plain, path(t.File)}, Row{"on", Plain, code(t.On)}, Row{"to", Plain, said(t.To)},
			Row{"auth", Plain, said(t.Auth)}, Row{"path", Plain, code(t.Hook)}, Row{"if missed", Plain, said(t.Missed)},
			Row{"filter", Plain, code(t.Filter)}, Row{"check", Plain, code(t.Check)}, Row{"until", Plain, when("", t.Until)},
			Row{"agent", Plain, said(t.Agent)}, Row{"mode", Plain, said(t.Mode)},
			Row{"fired", Plain, when(text.Count(t.Fired, "time")+", last", t.Last)},
			Row{"budget", Plain, said(text.Only(t.Budget > 0, wording.USD(t.Budget)+" a run"))},
		),
		Texts: []Text{{Body: t.Prompt}},
	}
	if t.On != "" {
		out.Columns = []Line{code(t.On), said("to " + cmp.Or(t.To, "nobody"))}
	}
	switch t.State {
	case wire.TriggerOn:
		out.Mark = Mark{Plain, "⚡️"}
		out.Deeds = []Deed{{Key: "off", Label: "Off", Sign: "⏸"}, {Key: "fire", Label: "Fire now", Alone: true}}
	case wire.TriggerOff:
		out.Deeds = []Deed{{Key: "on", Label: "On", Sign: "▶️"}}
	case wire.TriggerBroken:
		out.State, out.Mark, out.Texts = "cannot be understood", Mark{Bad, "⚠️"}, nil
	case wire.TriggerProposed:
		out.State = cmp.Or(text.Only(t.By == "", "proposed: nobody has approved it"), "proposed: its file was changed")
		out.Mark = Mark{Ask, "💡"}
		out.Foot = said("It fires only after you have approved it as it is now: what it sends, to whom, and its filter, " +
			"which is a command of this machine.")
		out.Deeds = []Deed{{
			Key: "on", Label: "Approve and switch on", Tone: Good, First: "Read, then approve",
			Look: "Read its file", Command: "afar trigger on " + t.ID,
		}}
	}
	return out
}

// Firing shows a line of the ledger. Its state is as it is stored.
func Firing(f wire.Firing) Thing {
	more := text.Only(f.Count > 0, "and "+text.Count(f.Count, "more time")+" before")
	what := text.Series(", ", text.Only(f.To != "", "to "+f.To), text.Only(f.By != "", "by "+f.By), f.Why, more)
	tones := map[string]Tone{"fired": Good, "failed": Bad, "missed": Ask, "due": Ask}
	return Thing{ID: f.Trigger, State: f.State, Mark: Mark{Tone: tones[f.State]}, Columns: []Line{said(what)}}
}

// TriggerProof says how the sender of a webhook uses its secret.
func TriggerProof(t wire.Trigger) string {
	how := map[string]string{
		"standard": "The sender signs id, time and body with it, as Standard Webhooks says.",
		"github":   "Enter it as the secret of the webhook at GitHub.",
	}
	return cmp.Or(how[t.Auth], "The sender puts it into the header X-Webhook-Secret.") + " POST to " + t.Hook + " of the page."
}
