package web_test

import (
	"bufio"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/config"
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel/conformance"
	"github.com/afar-sh/afar/coordinator/internal/channel/web"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// served is a page over a core of its own, which finds what batches hold, and a browser that
// is signed in.
func served(t testing.TB, batches ...store.Batch) *subject { return newSubject(t).serve(t, batches...) }

func (s *subject) serve(t testing.TB, batches ...store.Batch) *subject {
	t.Helper()
	db, err := store.Open(filepath.Join(s.dir, "afar.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range batches {
		if err := db.Commit(&b); err != nil {
			t.Fatal(err)
		}
	}
	c, err := feature.New(core.Config{
		Store: db, Log: slog.New(slog.DiscardHandler), Now: time.Now,
		Secret:   func() string { return fmt.Sprint(time.Now().UnixNano()) },
		Channels: []string{web.Name}, AnswersFrom: s.answersFrom,
	})
	if err != nil {
		t.Fatal(err)
	}
	ch := s.Open(t, c)
	if s.patience > 0 {
		s.ch.SetLimits(s.patience, s.patience, s.patience)
	}
	ctx, parts := t.Context(), sync.WaitGroup{}
	parts.Go(func() { ch.Run(ctx) })
	t.Cleanup(func() {
		parts.Wait()
		db.Close()
	})
	s.Pair(t)
	return s
}

// asks opens a question about a command in a session.
func (s *subject) asks(t testing.TB, id ask.ID, command string) {
	t.Helper()
	if err := s.core.SetAway("", session.On, 0); err != nil {
		t.Fatal(err)
	}
	in := session.Sighting{ID: "s1", Cwd: "/home/ann/shop", Hooked: true, Attended: true, KnowAtt: true}
	if _, err := s.core.See(in); err != nil {
		t.Fatal(err)
	}
	_, err := s.core.OpenCovered(ask.Ask{
		ID: id, Kind: ask.Permission, Session: "s1", Tool: "Bash", Text: command, Hash: fmt.Sprintf("%x", command),
		Cwd: "/home/ann/shop", Attended: true,
	}, grant.Need{})
	if err != nil {
		t.Fatal(err)
	}
}

// TestTwoBrowsers: of two browsers that answer the same question at once, one wins, and the
// other is told who did.
func TestTwoBrowsers(t *testing.T) {
	one := served(t)
	other := newSubject(t)
	other.core, other.ch = one.core, one.ch
	other.Pair(t)
	for i := range 20 {
		id := ask.ID(fmt.Sprintf("ask_%d", i))
		one.asks(t, id, fmt.Sprintf("make t%d", i))
		card := one.Cards(t, fmt.Sprintf("make t%d", i))[0]
		var taps sync.WaitGroup
		var allowed, denied string
		taps.Go(func() { allowed = one.Tap(t, card, conformance.Allow) })
		taps.Go(func() { denied = other.Tap(t, card, conformance.Deny) })
		taps.Wait()
		lost := strings.Count(allowed+denied, "Too late")
		a, err := one.core.Ask(id)
		if err != nil || lost != 1 || a.Decision.Allow != strings.Contains(allowed, "Allowed") {
			t.Fatalf("told %q and %q: %+v, %v", allowed, denied, a.Decision, err)
		}
	}
}

// TestManySessions: the first page shows some of the sessions, and leads to all others.
func TestManySessions(t *testing.T) {
	const all = 230
	var b store.Batch
	for i := range all {
		store.Sessions.Put(&b, session.Session{
			ID: session.ID(fmt.Sprint("s", i)), Token: fmt.Sprintf("shop-%04x", i), State: session.Idle, Hooked: true,
			Since: time.Now(), SeenAt: time.Now(),
		})
	}
	s := served(t, b)
	now := s.get(t, "/")
	n := len(tokens.FindAllString(now, -1))
	if n != 12 || !strings.Contains(now, `<a href="/sessions?from=12">218 more sessions`) {
		t.Errorf("the first page shows %d sessions", n)
	}
	seen := map[string]bool{}
	for path := "/sessions"; path != ""; {
		list := s.get(t, path)
		for _, token := range tokens.FindAllString(list, -1) {
			if seen[token] {
				t.Errorf("%s is shown twice", token)
			}
			seen[token] = true
		}
		path = ""
		if next := further.FindStringSubmatch(list); next != nil {
			path = next[1]
		}
	}
	if len(seen) != all {
		t.Errorf("the list shows %d sessions, want %d", len(seen), all)
	}
	if s.get(t, "/sessions?from=1000000"); t.Failed() {
		t.Error("the list after its end is no page")
	}
}

var (
	tokens  = regexp.MustCompile(`>shop-[0-9a-f]{4}<`)
	further = regexp.MustCompile(`<a href="(/sessions\?from=\d+)">\d+ more sessions?</a>`)
)

// TestStream: a page that opens its stream gets what it shows, then each change, with the
// journal entry up to which it is true. A page that comes back misses nothing.
func TestStream(t *testing.T) {
	s := served(t)
	events, end := s.stream(t, "")
	awaitEvent(t, events, "Nothing waits for you")
	begin := time.Now()
	s.asks(t, "ask_1", "make one")
	first := awaitEvent(t, events, "make")
	t.Logf("on the page after %v", time.Since(begin))
	end()
	s.asks(t, "ask_2", "make two")
	events, end = s.stream(t, first.id)
	defer end()
	if back := awaitEvent(t, events, "two"); !strings.Contains(plain(back.data), "make one") {
		t.Errorf("after it came back: entry %s, before %s", back.id, first.id)
	}
}

// A sent is one event of a stream.
type sent struct{ id, data string }

// stream opens the stream of the first page.
func (s *subject) stream(t testing.TB, last string) (events <-chan sent, end func()) {
	t.Helper()
	return s.streamOf(t, "/", last)
}

// streamOf opens the stream of a page.
func (s *subject) streamOf(t testing.TB, path, last string) (events <-chan sent, end func()) {
	t.Helper()
	at := s.ch.URL() + "/live?at=" + url.QueryEscape(path)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Last-Event-ID", last)
	resp, err := (&http.Client{Jar: s.browser.Jar}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	out := make(chan sent, 100)
	go func() {
		defer close(out)
		lines, now := bufio.NewScanner(resp.Body), sent{}
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch {
			case name == "id":
				now.id = value
			case name == "data":
				now.data += value + "\n"
			case lines.Text() == "" && now.data != "":
				out <- now
				now = sent{}
			}
		}
	}()
	return out, func() { resp.Body.Close() }
}

func awaitEvent(t testing.TB, events <-chan sent, text string) sent {
	t.Helper()
	for timeout := time.After(time.Minute); ; {
		select {
		case e, ok := <-events:
			if !ok {
				t.Fatalf("the stream ended before %q", text)
			}
			if strings.Contains(plain(e.data), text) {
				return e
			}
		case <-timeout:
			t.Fatalf("no event with %q", text)
		}
	}
}

// TestAnsweredStays: an answered question keeps its place for a minute, with what became of it. Then it is told
// once, among what happened lately.
func TestAnsweredStays(t *testing.T) {
	s := served(t)
	s.asks(t, "ask_1", "make one")
	s.asks(t, "ask_2", "make two")
	if said := s.Tap(t, s.Cards(t, "make one")[0], conformance.Allow); !strings.Contains(said, "Allowed") {
		t.Fatalf("told %q", said)
	}
	parts := func() (inbox, lately string) {
		now := s.get(t, "/")
		inbox, _, _ = strings.Cut(now, `<section id="runs">`)
		_, inbox, _ = strings.Cut(inbox, `<section id="questions">`)
		_, lately, _ = strings.Cut(now, `<section id="news">`)
		return plain(inbox), plain(lately)
	}
	inbox, lately := parts()
	if !strings.Contains(inbox, "Waiting for you 1") || strings.Index(inbox, "make one") > strings.Index(inbox, "make two") ||
		!strings.Contains(inbox, "allowed by ") || strings.Contains(lately, "make one") {
		t.Errorf("at once: %s\nlately: %s", inbox, lately)
	}
	s.ch.SetNow(func() time.Time { return time.Now().Add(2 * time.Minute) })
	if inbox, lately = parts(); strings.Contains(inbox, "make one") || strings.Count(lately, "make one") != 1 {
		t.Errorf("later: %s\nlately: %s", inbox, lately)
	}
}

// TestOtherCall: an answer that was given to another call than the question is about now is refused.
func TestOtherCall(t *testing.T) {
	s := served(t)
	s.asks(t, "ask_1", "make one")
	card := s.Cards(t, "make one")[0]
	shown := card.Key
	card.Key = strings.TrimSuffix(shown, fmt.Sprintf("%x", "make one")) + "beef"
	if said := s.Tap(t, card, conformance.Allow); !strings.Contains(said, "another call") {
		t.Errorf("told %q", said)
	}
	if a, err := s.core.Ask("ask_1"); err != nil || a.State != ask.Open {
		t.Errorf("the question is %s, %v", a.State, err)
	}
	card.Key = shown
	if said := s.Tap(t, card, conformance.Allow); !strings.Contains(said, "Allowed") {
		t.Errorf("told %q", said)
	}
}

// TestSettingsForm: what people change most is written into config.toml, a refusal says what was expected, and a
// field of another name writes nothing.
func TestSettingsForm(t *testing.T) {
	s := served(t)
	for _, c := range []struct {
		form url.Values
		want string
	}{
		{url.Values{"quiet.from": {""}, "runs.day_budget": {""}}, "Nothing was changed."},
		{url.Values{"quiet.from": {"22:00"}, "quiet.to": {" 07:30 "}, "runs.day_budget": {"5"}}, "Saved. It holds from now on."},
		{url.Values{"quiet.from": {""}, "quiet.to": {"07:30"}}, "quiet hours need both quiet.from and quiet.to"},
		{url.Values{"runs.mode": {"auto"}}, "runs.mode cannot be set here"},
	} {
		if got := s.post(t, "/settings", c.form); !strings.Contains(strings.ToLower(got), strings.ToLower(c.want)) {
			t.Errorf("%v: %q, want %q", c.form, got, c.want)
		}
	}
	set, err := config.Load(filepath.Join(s.dir, "config.toml"))
	if err != nil || set.Quiet.To.String() != "07:30" || set.Runs.DayBudget != 5 {
		t.Errorf("the file says %+v, %+v, %v", set.Quiet, set.Runs, err)
	}
}
