package core

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// What a person decides counts only with its entry in the journal's chain: a row that somebody wrote
// into the database by hand decides nothing. The entry ends with a proof, a digest of what was decided.

// Proof returns the end of the text of an entry about a decision.
func Proof(decided any) string {
	raw, err := json.Marshal(decided)
	if err != nil {
		return "" // cannot happen: a value of the state can be stored. Then the decision counts for nothing later
	}
	sum := sha256.Sum256(raw)
	return " (kept as " + hex.EncodeToString(sum[:8]) + ")"
}

// aProof is the end of an entry that has a proof. Entries of older programs have none.
var aProof = regexp.MustCompile(` \(kept as [0-9a-f]{16}\)$`)

// A Claim is a value of the state that says that a person has decided it. An entry of the journal must say so too.
type Claim struct {
	Row      string // its table and its id
	Kind     event.Kind
	Subject  string
	Proof    string
	TakeBack func(*Draft)
}

// provenBy reports whether an entry is the one of a claim. The entry of an older program proves
// every decision about its subject.
func (c Claim) provenBy(e event.Event) bool {
	return e.Kind == c.Kind && e.Subject == c.Subject && (strings.HasSuffix(e.Text, c.Proof) || !aProof.MatchString(e.Text))
}

// claimOf returns what an ask claims. ok is false for one without an answer, and for one of another machine: its journal
// has the entry.
func claimOf(a ask.Ask) (c Claim, ok bool) {
	said, ok := a.Given()
	ok = ok && !a.Mirrored()
	return Claim{
		Row: store.Asks.Table + " " + string(a.ID), Kind: event.AskAnswered, Subject: string(a.ID), Proof: Proof(said),
		TakeBack: func(s *Draft) { s.PutAsk(s.Asks.Rows[a.ID].Unanswered(Unproven)) },
	}, ok
}

func grantProof(g grant.Grant) string {
	return Proof(struct {
		Session     string
		Rules       []grant.Rule
		At, Expires int64
	}{string(g.Session), g.Rules, g.At.UnixMilli(), g.ExpiresAt.UnixMilli()})
}

// answerProof returns the proof of an answer.
func answerProof(a ask.Ask) string {
	c, _ := claimOf(a)
	return c.Proof
}

// proven reports whether the journal has the entry of a claim, in its place in the chain.
func (c *Core) proven(claim Claim) (bool, error) {
	entries, err := c.cfg.Store.EntriesOf(claim.Kind, claim.Subject)
	for _, e := range entries {
		if !claim.provenBy(e) {
			continue
		}
		if chained, err := c.cfg.Store.Chained(e); chained || err != nil {
			return chained, err
		}
	}
	return false, err
}

// Unproven says why a claim does not count.
const Unproven = "it claims a decision of the person that the journal has no entry of; it does not count"

// claims returns the claims that still have an effect.
func (c *Core) claims() (all []Claim) {
	for _, a := range c.state.Asks.Waiting() {
		claim, ok := claimOf(a)
		if a.Overlong() {
			claim.Proof = "none"
		}
		if ok {
			all = append(all, claim)
		}
	}
	for _, g := range c.state.activeGrants() {
		all = append(all, Claim{
			Row: store.Grants.Table + " " + string(g.ID), Kind: event.GrantGiven, Subject: string(g.ID), Proof: grantProof(g),
			TakeBack: func(s *Draft) { _, _ = s.endGrant(g, "nobody gave it") }, // it is active
		})
	}
	return all
}

// Disprove takes back the claims that are not proven, and tells the person.
func (c *Core) Disprove(claims []Claim) error {
	var unproven []Claim
	for _, claim := range claims {
		ok, err := c.proven(claim)
		if err != nil {
			return fmt.Errorf("compare with the journal: %w", err)
		}
		if !ok {
			unproven = append(unproven, claim)
		}
	}
	if len(unproven) == 0 {
		return nil
	}
	return c.Do(func(s *Draft) error {
		for _, claim := range unproven {
			claim.TakeBack(s)
			s.Record(event.Damaged, "", claim.Row, Unproven)
			s.Notify("unproven:"+claim.Row, "", channel.News{Kind: channel.Unproven, Of: claim.Row})
		}
		return nil
	})
}

// checkAnswer takes back the answer of an ask that is not proven. A hook is about to print it.
func (c *Core) checkAnswer(id ask.ID) error {
	a, err := c.Ask(id)
	if err != nil {
		return err
	}
	if claim, ok := claimOf(a); ok {
		return c.Disprove([]Claim{claim})
	}
	return nil
}

// tellsFor is how long Unproven returns a row that was taken back.
const tellsFor = 30 * 24 * time.Hour

// Unproven returns the rows of the database that claim a decision of the person without an entry in
// the journal: answers of long ago included, and what was taken back within tellsFor.
func (c *Core) Unproven() (rows []string, err error) {
	entries, err := c.cfg.Store.Newest([]event.Kind{event.AskAnswered, event.Damaged}, 0, 0, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	since := c.cfg.Now().Add(-tellsFor)
	bySubject := map[string][]event.Event{}
	for _, e := range entries {
		if e.Kind == event.AskAnswered {
			bySubject[e.Subject] = append(bySubject[e.Subject], e)
		} else if e.Text == Unproven && e.At.After(since) {
			rows = append(rows, e.Subject)
		}
	}
	asks, _, err := c.cfg.Store.AsksEnded("", math.MaxInt32)
	for _, a := range asks {
		claim, claims := claimOf(a)
		known := !claims
		for _, e := range bySubject[claim.Subject] {
			known = known || claim.provenBy(e)
		}
		if !known {
			rows = append(rows, claim.Row)
		}
	}
	return rows, err
}
