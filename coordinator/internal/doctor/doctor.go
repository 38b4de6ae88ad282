// Package doctor checks what only the coordinator can see: its database, its
// journal, its channel and whom it can consult.
package doctor

import (
	"fmt"
	"strings"

	"github.com/afar-sh/afar/coordinator/consult"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/wire"
)

// A Doctor checks one coordinator.
type Doctor struct {
	Core     *core.Core
	Database string // its path
	Telegram func() wire.TelegramReply
	Consult  consult.Config // whom the reviews of commits ask
}

// Checks returns what it found.
func (d *Doctor) Checks() []wire.Check {
	entries, broken, _, err := d.Core.Verify()
	journal := wire.Check{ID: "journal", State: "ok", Text: fmt.Sprintf("%d entries, the chain holds", entries)}
	if err != nil || broken != 0 {
		journal = wire.Check{ID: "journal", State: "bad", Text: fmt.Sprintf("the chain breaks at entry %d", broken),
			Fix: "somebody changed the database by hand: keep it and look at afar log"}
	}
	return []wire.Check{d.database(), journal, d.telegram(), d.consult()}
}

func (d *Doctor) database() wire.Check {
	if err := d.Core.Probe(); err != nil {
		return wire.Check{ID: "database", State: "bad", Text: err.Error(),
			Fix: "make room on that disk, or make it writable; all goes on by itself then"}
	}
	return wire.Check{ID: "database", State: "ok", Text: d.Database}
}

func (d *Doctor) telegram() wire.Check {
	t := d.Telegram()
	switch {
	case t.Failing != "":
		return wire.Check{ID: "telegram", State: "bad", Text: t.Failing, Fix: "afar telegram status"}
	case t.Paired:
		return wire.Check{ID: "telegram", State: "ok", Text: "@" + t.Bot + " speaks with " + t.User}
	case t.Connected:
		return wire.Check{ID: "telegram", State: "off", Text: "@" + t.Bot + " is not paired", Fix: "afar telegram pair"}
	}
	return wire.Check{ID: "telegram", State: "off", Text: "no bot is connected", Fix: "afar telegram connect"}
}

// consult says whom the review of a commit can ask. A session's own
// environment may find others.
func (d *Doctor) consult() wire.Check {
	if found := d.Consult.Installed(); len(found) > 0 {
		return wire.Check{ID: "consult", State: "ok", Text: "a second opinion comes from " +
			strings.Join(found, ", then ")}
	}
	return wire.Check{ID: "consult", State: "off", Text: "no other model can be asked: issues do not land unreviewed",
		Fix: "install codex, gemini or claude, or name a program under [consult] in config.toml; then afar restart"}
}
