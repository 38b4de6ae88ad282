package web_test

import (
	"fmt"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// TestEarlier: whoever follows the links to earlier lines sees each line once, the newest
// first, and comes back to the newest ones.
func TestEarlier(t *testing.T) {
	s := served(t, past(450))
	for _, list := range []struct {
		path, name string
		lines      *regexp.Regexp
		want       int
	}{
		{"/session/shop-0001", "before", regexp.MustCompile(`line (\d{3}) of s1`), 450},
		{"/questions", "before", regexp.MustCompile(`echo (\d{3})</a>`), 450},
		{"/inbox", "before", regexp.MustCompile(`text (\d{3}) was sent`), 450},
		{"/guard", "denied", regexp.MustCompile(`denied(\d{3})`), 225},
		{"/guard", "asked", regexp.MustCompile(`spoke(\d{3})`), 225},
	} {
		t.Run(strings.Trim(list.path, "/")+" "+list.name, func(t *testing.T) {
			earlier := regexp.MustCompile(`<a href="([^"]*\?` + list.name + `=[^"]*)">Earlier</a>`)
			var seen []string
			for path, pages := list.path, 0; path != ""; pages++ {
				if pages > 20 {
					t.Fatal("the links never end")
				}
				text := s.get(t, path)
				if back := strings.Contains(text, `<a href="`+list.path+`">Show the newest</a>`); back != (pages > 0) {
					t.Errorf("%s: a link to the newest lines: %t", path, back)
				}
				for _, m := range list.lines.FindAllStringSubmatch(text, -1) {
					seen = append(seen, m[1])
				}
				path = ""
				if m := earlier.FindStringSubmatch(text); m != nil {
					path = html.UnescapeString(m[1])
				}
			}
			if len(seen) != list.want ||
				!slices.IsSortedFunc(seen, func(a, b string) int { return strings.Compare(b, a) }) {
				t.Errorf("%d lines, want %d, the newest first: %v", len(seen), list.want, seen)
			}
		})
	}
}

// TestEarlierNonsense: a place that nobody made is refused in words, or has nothing before it.
func TestEarlierNonsense(t *testing.T) {
	s := served(t, past(3))
	for path, want := range map[string]string{
		"/session/shop-0001?before=x":        "want the number of an entry",
		"/session/shop-0001?before=-5":       "want the number of an entry",
		"/guard?denied=99999999999999999999": "want the number of an entry",
	} {
		resp, err := s.browser.Get(s.ch.URL() + path)
		if err != nil {
			t.Fatal(err)
		}
		if text := body(t, resp, http.StatusInternalServerError); !strings.Contains(text, want) {
			t.Errorf("%s: want %q in %s", path, want, text)
		}
	}
	if text := s.get(t, "/questions?before=ask_nobody"); strings.Contains(text, "echo 000") {
		t.Error("before a question that does not exist there are questions")
	}
}

// past is a session with n questions that were answered, n old texts, and n entries of the journal: half
// of them about calls that were denied, half about calls that were asked about.
func past(n int) (b store.Batch) {
	at := time.Now().Add(-48 * time.Hour)
	store.Sessions.Put(&b, session.Session{
		ID: "s1", Token: "shop-0001", Project: "/home/ann/shop", State: session.Idle, Hooked: true,
		Since: at, SeenAt: at,
	})
	for i := range n {
		at := at.Add(time.Duration(i/3) * time.Second) // some at the same moment
		store.Asks.Put(&b, ask.Ask{
			ID: ask.ID(fmt.Sprintf("ask_%03d", i)), Kind: ask.Permission, Session: "s1", Tool: "Bash",
			Text:  fmt.Sprintf("echo %03d", i),
			State: ask.Withdrawn, OpenedAt: at, ExpiresAt: at, SettledAt: at,
		})
		store.Messages.Put(&b, message.Message{
			ID: message.ID(fmt.Sprintf("msg_%x", 1000-i)), State: message.Done, Session: "s1", Seq: int64(i), By: "Ann",
			Text: fmt.Sprintf("text %03d was sent", i), At: at.Add(-30 * 24 * time.Hour), // no longer in memory
		})
		of, word := event.GuardDenied, "denied"
		if i%2 == 1 {
			of, word = event.GuardSpoke, "spoke"
		}
		b.Events = append(b.Events, event.Event{
			At: at, Kind: of, Session: "s1", Text: fmt.Sprintf("line %03d of s1, %s%03d", i, word, i),
		})
	}
	return b
}
