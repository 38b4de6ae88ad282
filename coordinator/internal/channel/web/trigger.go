package web

import (
	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
)

// triggers shows all rules, and the ledger.
func (c *Channel) triggers(q *query) (page.View, error) {
	list, err := q.list(view.Triggers)
	if err != nil {
		return nil, err
	}
	ledger, err := read(q.reader, wire.OpTriggerLog, wire.TriggerLogRequest{})
	return page.Triggers{List: list, Firings: ledger.Firings}, err
}

// trigger shows one rule.
func (c *Channel) trigger(q *query) (page.View, error) {
	one, err := q.alone(view.Triggers)
	if err != nil {
		return nil, err
	}
	ledger, err := read(q.reader, wire.OpTriggerLog, wire.TriggerLogRequest{ID: one.Thing.ID})
	return page.Trigger{Alone: one, Firings: ledger.Firings}, err
}
