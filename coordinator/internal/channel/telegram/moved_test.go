package telegram

import (
	"net/http"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/ask"
)

// forget drops the waiting updates, as Telegram does after a day.
func (r *rig) forget() {
	r.Helper()
	resp, err := http.Get(r.api.URL() + "/bot" + r.api.Token() + "/deleteWebhook?drop_pending_updates=true")
	if err != nil {
		r.Fatal(err)
	}
	resp.Body.Close()
}

// TestGroupBecomesSupergroup checks that open and later questions are in the new chat, whether
// an update or a refusal brings the news.
func TestGroupBecomesSupergroup(t *testing.T) {
	t.Parallel()
	for _, heard := range []bool{true, false} {
		r := newRig(t)
		g := r.pairedIn(r.api.Group(700, "Ann's machines"))
		r.session("s1")
		r.asks("s1", "a1", "git push")
		if !heard {
			r.close()
		}
		next := g.Upgrade(r.ann, 1_000_000_000_700)
		if !heard {
			r.forget()
			r.open()
			r.run()
			if _, err := r.core.CancelAsk("a1", "Esc"); err != nil { // has its card edited
				t.Fatal(err)
			}
			r.asks("s1", "a2", "git fetch")
		}
		r.awaitIn(next.ID, "This group is a supergroup now.")
		id, command := ask.ID("a1"), "git push"
		if !heard {
			id, command = "a2", "git fetch"
		}
		m := r.awaitIn(next.ID, command)
		if got := r.awaitAnswer(r.tap(r.ann, m.ID, "Allow")); !strings.Contains(got, "Allowed") ||
			r.state(id).State != ask.Answered {
			t.Errorf("heard %t: the tap answered %q, and the question is %s", heard, got, r.state(id).State)
		}
		r.ann.Say(next.ID, "/status")
		r.awaitIn(next.ID, "Open questions: 0")
		if p := r.core.Person(Name); !isPerson(p, r.ann.ID, next.ID) {
			t.Errorf("the person is %+v", p)
		}
	}
}

// TestAnothersGroupMoves checks that the news about another group, or no news, changes
// nothing.
func TestAnothersGroupMoves(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	g := r.pairedIn(r.api.Group(700, "Ann's machines"))
	r.api.Group(701, "Others").Upgrade(r.api.User(66, "Eve"), 1_000_000_000_701)
	r.settled()
	for _, odd := range []string{
		`{"message":{"message_id":1,"chat":{"id":-700,"type":"group"},"migrate_to_chat_id":66}}`,
		`{"message":{"message_id":2,"chat":{"id":66,"type":"private"},"from":{"id":66},"migrate_from_chat_id":-700}}`,
		`{"message":{"message_id":3,"chat":{"id":-700,"type":"group"},"migrate_to_chat_id":"x"}}`,
	} {
		r.api.Inject(odd)
	}
	r.settled()
	if p := r.core.Person(Name); !isPerson(p, r.ann.ID, g.ID) {
		t.Errorf("the person is %+v", p)
	}
}
