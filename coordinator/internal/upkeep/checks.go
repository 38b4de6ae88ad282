package upkeep

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/afar-sh/afar/coordinator/consult"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// A Checker checks what only the coordinator can see: its database, its journal, its channels, the
// programs that it can consult, and the agents that it can start.
type Checker struct {
	core      *feature.Core
	path      string // of the database
	telegram  func() channel.Status
	page      func() wire.Channel
	reviewers consult.Config
	agents    func() []wire.Check
}

// NewChecker returns a Checker for the coordinator with this core and the database at path.
// telegram and page return the state of these channels; reviewers are asked to review
// commits; agents checks the agents of runs.
func NewChecker(
	c *feature.Core,
	path string,
	telegram func() channel.Status,
	page func() wire.Channel,
	reviewers consult.Config,
	agents func() []wire.Check,
) *Checker {
	return &Checker{core: c, path: path, telegram: telegram, page: page, reviewers: reviewers, agents: agents}
}

// Checks runs all checks and returns their results.
func (c *Checker) Checks() []wire.Check {
	entries, broken, _, err := c.core.Verify()
	journal := wire.Check{ID: "journal", State: "ok", Text: text.Count(int(entries), "entry") + ", the chain holds"}
	if err != nil || broken != 0 {
		journal = wire.Check{ID: "journal", State: "bad", Text: fmt.Sprintf("the chain breaks at entry %d", broken),
			Fix: "somebody changed the database by hand: keep it and look at afar log"}
	}
	if unproven, err := c.core.Unproven(); err == nil && broken == 0 && len(unproven) > 0 {
		journal = wire.Check{ID: "journal", State: "bad", Text: "it has no entry of a decision in the database: " +
			strings.Join(unproven[:min(3, len(unproven))], ", "),
			Fix: "somebody changed the database by hand; what they wrote does not count"}
	}
	own := []wire.Check{c.checkDatabase(), journal, c.checkTelegram(), c.checkPage(), c.checkConsult()}
	return append(own, c.agents()...)
}

func (c *Checker) checkDatabase() wire.Check {
	if err := c.core.Probe(); err != nil {
		return wire.Check{ID: "database", State: "bad", Text: err.Error(),
			Fix: "make room on that disk, or make it writable; all goes on by itself then"}
	}
	return wire.Check{ID: "database", State: "ok", Text: c.path}
}

func (c *Checker) checkTelegram() wire.Check {
	t := c.telegram()
	switch {
	case t.Failing != "":
		return wire.Check{ID: "telegram", State: "bad", Text: t.Failing, Fix: cmp.Or(t.Fix, "afar telegram status")}
	case t.Person != nil:
		return wire.Check{ID: "telegram", State: "ok", Text: "@" + t.Speaker + " speaks with " + t.Person.Name}
	case t.Connected:
		text := "@" + t.Speaker + " is not paired"
		return wire.Check{ID: "telegram", State: "off", Text: text, Fix: "afar telegram pair"}
	}
	return wire.Check{ID: "telegram", State: "off", Text: "no bot is connected", Fix: "afar telegram connect"}
}

func (c *Checker) checkPage() wire.Check {
	page := c.page()
	switch page.State {
	case "ready":
		return wire.Check{ID: "web", State: "ok", Text: page.Note}
	case "off":
		return wire.Check{ID: "web", State: "off", Text: "the page is " + page.Note}
	}
	return wire.Check{ID: "web", State: "bad", Text: page.Note,
		Fix: "end that program, or set web.addr in config.toml to a free address or to off; then afar restart"}
}

// checkConsult returns the programs that a review of a commit can ask. A session's own
// environment may have others.
func (c *Checker) checkConsult() wire.Check {
	if found := c.reviewers.Installed(); len(found) > 0 {
		return wire.Check{ID: "consult", State: "ok", Text: "a second opinion comes from " +
			strings.Join(found, ", then ")}
	}
	return wire.Check{ID: "consult", State: "off", Text: "no other model can be asked: issues do not land unreviewed",
		Fix: "install codex, gemini or claude, or name a program under [consult] in config.toml; then afar restart"}
}
