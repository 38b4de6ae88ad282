package telegram

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/event"
)

// A trouble is one streak of failures to poll. The zero value means that there is none.
type trouble struct {
	why         string
	conflict    bool // with another poller; reported only if it lasts
	since, last time.Time
	noted       bool // in the journal
	over        bool // a poll was answered since; kept to recognise the same conflict later
}

// text returns what Status says about t at now.
func (t trouble) text(now time.Time, report time.Duration) string {
	switch {
	case t.why == "", t.over:
		return ""
	case t.conflict && now.Sub(t.since) < report:
		return ""
	}
	return fmt.Sprintf("%s (since %s)", t.why, t.since.Format(sinceForm))
}

// sinceForm is how the beginning of a trouble is shown.
const sinceForm = "Jan 2 15:04:05"

// failed records that polling failed. A streak is entered in the journal once: after it has
// lasted for a while, or at once if only the person can end it.
func (c *Channel) failed(err error) {
	now := c.cfg.Now()
	next := trouble{why: err.Error(), conflict: isCode(err, http.StatusConflict), since: now, last: now}
	c.mu.Lock()
	same := c.trouble.goesOn(next, c.pace.report)
	if same {
		next.since, next.noted = c.trouble.since, c.trouble.noted
	}
	tell := false
	if isCode(err, http.StatusUnauthorized) || now.Sub(next.since) >= c.pace.report {
		tell, next.noted = !next.noted, true
	}
	c.trouble = next
	c.mu.Unlock()
	if !same {
		c.cfg.Log.Warn("telegram does not answer", "err", err)
	}
	if !tell {
		return
	}
	c.note(err.Error())
}

// note enters a failure in the journal.
func (c *Channel) note(text string) {
	if err := c.cfg.Core.Note(event.TelegramFailing, "", c.account().Speaker, text); err != nil {
		c.cfg.Log.Error("note that telegram fails", "err", err)
	}
}

// goesOn reports whether a failure belongs to the streak t. When two programs poll, each
// gets an answer now and then, so an answer does not end a conflict that soon returns.
func (t trouble) goesOn(next trouble, report time.Duration) bool {
	if t.why == "" || t.conflict != next.conflict {
		return false
	}
	return !t.over || t.conflict && next.last.Sub(t.last) < report
}

// worked notes that a poll was answered.
func (c *Channel) worked() {
	c.mu.Lock()
	before := c.trouble
	c.trouble.over = true
	c.mu.Unlock()
	switch {
	case before.why == "", before.over:
	case before.conflict && !before.noted: // two programs poll in turn, so this happens often
	default:
		c.cfg.Log.Info("telegram answers again")
	}
}

// isCode reports whether err is the API's refusal with this code.
func isCode(err error, code int) bool {
	var r *refusal
	return errors.As(err, &r) && r.code == code
}
