package page_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/standin/browser"
)

// An inbox is the first page in a browser, with what it sends.
type inbox struct {
	*browser.Tab
	t       *testing.T
	changes chan string
	sent    chan string
	shows   page.Now
}

func openInbox(t *testing.T, b *browser.Browser, width int64) *inbox {
	in := &inbox{Tab: b.Tab(t), t: t, changes: make(chan string), sent: make(chan string, 10), shows: fullNow()}
	in.shows.Cards = slices.DeleteFunc(in.shows.Cards, func(c page.Card) bool { return len(c.Ended) > 0 })
	url := serve(t, site{views: map[string]page.View{"now": in.shows}, live: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
		for {
			select {
			case html := <-in.changes:
				event(w, 4712, html)
			case <-r.Context().Done():
				return
			}
		}
	}, post: func(w http.ResponseWriter, r *http.Request) {
		in.sent <- r.URL.Path + " " + r.FormValue("nonce")
		http.Redirect(w, r, "/view/now", http.StatusSeeOther)
	}})
	in.View(width, 800, false)
	in.Open(url + "/view/now")
	in.Wait(`document.querySelector("#link").innerText === "live"`)
	return in
}

// change brings other questions into the open page. As soon as the page says that nothing can be pressed, the test
// presses Allow and the key for it. rests tells whether the page has to say so.
func (in *inbox) change(what string, rests bool, change func([]page.Card) []page.Card) {
	in.t.Helper()
	browser.Eval[bool](in.Tab, `(() => {
		window.rested = false;
		new MutationObserver((_, o) => {
			if (!document.documentElement.classList.contains("resting")) return;
			o.disconnect();
			document.querySelector(".chosen > .card:target button[value=allow]")?.click();
			document.querySelector("[aria-current]")?.focus();
			document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "a", bubbles: true}));
			window.rested = true;
		}).observe(document.documentElement, {attributes: true});
		return true })()`)
	in.shows.Cards = change(in.shows.Cards)
	mark := fmt.Sprintf("%d in all", len(in.shows.Cards))
	last := &in.shows.Cards[len(in.shows.Cards)-1]
	last.Asks = slices.Clone(last.Asks)
	last.Asks[0].Says = mark
	in.changes <- partial(in.t, in.shows, "questions")
	in.Wait(`document.querySelector(".chosen").textContent.includes("` + mark + `")`)
	browser.Eval[bool](in.Tab, `window.over = false; setTimeout(() => { window.over = true }, 350); true`) // see settle
	in.Wait("window.over && " + browser.TakesPresses)
	if rested := browser.Eval[bool](in.Tab, "window.rested"); rested != rests {
		in.t.Errorf("%s: it rested: %v, want %v", what, rested, rests)
	}
	if len(in.sent) > 0 {
		in.t.Errorf("%s: sent %s", what, <-in.sent)
	}
}

// allows presses Allow and returns what was sent.
func (in *inbox) allows() string {
	in.t.Helper()
	in.Click(".chosen > .card:target button[value=allow]")
	select {
	case sent := <-in.sent:
		return sent
	case <-time.After(browser.Patience):
		return "nothing"
	}
}

// seeInbox: the chosen question stays chosen whatever arrives or goes. After something has moved under the finger, or
// another question or another call is shown, no press counts for a while.
func seeInbox(t *testing.T, b *browser.Browser) {
	in := openInbox(t, b, 1280)
	in.Wait(`location.hash === "#ask-7f3ac1d2"` + shows("7f3ac1d2"))
	in.Click("#line-9b21ffa0 a")
	in.Wait(`location.hash === "#ask-9b21ffa0"` + shows("9b21ffa0"))
	in.change("one more at the end", false, func(all []page.Card) []page.Card {
		return append(slices.Clone(all), settled())
	})
	in.change("one before it goes", true, func(all []page.Card) []page.Card { return all[1:] })
	in.Wait(`location.hash === "#ask-9b21ffa0"` + shows("9b21ffa0"))
	if got := in.allows(); got != "/ask/9b21ffa0 "+in.shows.Cards[0].Shown().Seen {
		t.Errorf("Allow sent %s", got)
	}
	in = openInbox(t, b, 1280)
	in.change("it shows another call", true, func(all []page.Card) []page.Card {
		all = slices.Clone(all)
		all[0].Asks = slices.Clone(all[0].Asks)
		all[0].Asks[0].Hash = "another"
		return all
	})
	if got := in.allows(); got != "/ask/7f3ac1d2 7f3ac1d2.0.another" {
		t.Errorf("Allow sent %s", got)
	}
	in = openInbox(t, b, 1280)
	in.change("the chosen one goes", true, func(all []page.Card) []page.Card { return all[1:] })
	in.Wait(`location.hash === "#ask-9b21ffa0"` + shows("9b21ffa0"))
	for _, m := range in.Console() {
		t.Error(m)
	}
}

// seeInboxOnAPhone: the list opens a question and comes back, and a question that goes leads back to the list.
func seeInboxOnAPhone(t *testing.T, b *browser.Browser) {
	in := openInbox(t, b, 390)
	const list = `document.querySelector(".waiting").offsetParent !== null && !document.querySelector(".card:target")`
	in.Wait(list)
	in.Click("#line-9b21ffa0 a")
	in.Wait(`document.querySelector(".waiting").offsetParent === null` + shows("9b21ffa0"))
	in.Click(".back a")
	in.Wait(list)
	in.Click("#line-7f3ac1d2 a")
	in.Wait(`document.querySelector(".waiting").offsetParent === null` + shows("7f3ac1d2"))
	in.change("the open one goes", true, func(all []page.Card) []page.Card { return all[1:] })
	in.Wait(list)
}

// seeInboxFits: with ten questions, the first runs and sessions are seen at 1280 × 800 without scrolling, and the
// lines can be hit with a finger on a phone.
func seeInboxFits(t *testing.T, b *browser.Browser) {
	in := openInbox(t, b, 1280)
	in.change("the tenth", false, func(all []page.Card) []page.Card { return append(slices.Clone(all), settled()) })
	for _, part := range []string{"#runs .lines > li", "#sessions .lines > li", "#sessions .lines > li:nth-child(2)"} {
		if low := browser.Eval[float64](in.Tab, `document.querySelector("`+part+`").getBoundingClientRect().bottom`); low > 800 {
			t.Errorf("%s ends at %v", part, low)
		}
	}
	in = openInbox(t, b, 390)
	if high := browser.Eval[float64](in.Tab, `document.querySelector(".lines a").getBoundingClientRect().height`); high < 44 {
		t.Errorf("a line is %v high", high)
	}
}
