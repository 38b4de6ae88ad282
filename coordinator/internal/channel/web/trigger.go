package web

import (
	"crypto/rand"

	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/wire"
)

// triggers shows all rules, and the ledger.
func (c *Channel) triggers(q *query) (page.View, error) {
	list, err := read(q.reader, wire.OpTriggers, wire.None{})
	if err != nil {
		return nil, err
	}
	ledger, err := read(q.reader, wire.OpTriggerLog, wire.TriggerLogRequest{})
	return page.Triggers{List: list.Triggers, Firings: ledger.Firings, Closed: c.closed(), Home: c.cfg.Home}, err
}

// trigger shows one rule, and what it would send for the payload that the query holds.
func (c *Channel) trigger(q *query) (page.View, error) {
	name := q.PathValue("name")
	t, err := read(q.reader, wire.OpTrigger, wire.TriggerRequest{ID: name})
	if err != nil {
		return nil, err
	}
	ledger, err := read(q.reader, wire.OpTriggerLog, wire.TriggerLogRequest{ID: name})
	return page.Trigger{Trigger: t, Firings: ledger.Firings, Closed: c.closed(), Home: c.cfg.Home}, err
}

// doTriggerForm switches a trigger on or off, lets it fire now, or says what it would send.
func doTriggerForm(d *decision) (string, error) {
	named := wire.TriggerRequest{ID: d.PathValue("name")}
	switch d.PostForm.Get("do") {
	case "on":
		t, err := decide(d, wire.OpTriggerOn, named)
		if err != nil || t.Secret == "" {
			return "Trigger " + t.ID + " is on.", err
		}
		return "Trigger " + t.ID + " is on. Its secret, shown this once: " + t.Secret, nil
	case "off":
		t, err := decide(d, wire.OpTriggerOff, named)
		return "Trigger " + t.ID + " is off.", err
	case "fire":
		f, err := decide(d, wire.OpTriggerFire, wire.TriggerFireRequest{Key: rand.Text(), ID: named.ID})
		return "Trigger " + f.Trigger + " fires. The ledger says what comes of it.", err
	case "test":
		in := wire.TriggerTestRequest{ID: named.ID, Payload: d.PostForm.Get("payload")}
		t, err := decide(d, wire.OpTriggerTest, in)
		if err != nil || t.Fires {
			return "It would send to " + t.To + ": " + t.Text, err
		}
		return "It would send nothing: " + t.Why, nil
	}
	return "", errButton
}
