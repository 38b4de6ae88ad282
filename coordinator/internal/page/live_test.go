package page_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/standin/browser"
)

// event writes one message of the stream.
func event(w http.ResponseWriter, id int, html string) {
	fmt.Fprintf(w, "id: %d\n", id)
	for _, l := range strings.Split(strings.TrimRight(html, "\n"), "\n") {
		fmt.Fprintf(w, "data: %s\n", l)
	}
	fmt.Fprint(w, "\n")
	_ = http.NewResponseController(w).Flush()
}

// partial is what the stream sends for one section of a view.
func partial(t *testing.T, v page.View, id string) string {
	t.Helper()
	sections, err := pages.Sections(v, now, "")
	if err != nil {
		t.Error(err)
	}
	var b bytes.Buffer
	for _, s := range sections {
		if s.ID == id {
			_ = page.Partial(&b, s)
		}
	}
	return b.String()
}

// TestInBrowser uses the pages in a real browser. Its start takes as long as most of the tests.
func TestInBrowser(t *testing.T) {
	b := browser.Start(t)
	for name, test := range map[string]func(*testing.T, *browser.Browser){
		"live": seeLive, "keys": seeKeys, "form": seeForm, "without scripts": seeWithoutScripts,
		"reload once": seeReloadOnce,
		"menu":        seeMenu,
		"inbox":       seeInbox, "inbox on a phone": seeInboxOnAPhone, "inbox fits": seeInboxFits,
	} {
		t.Run(name, func(t *testing.T) { test(t, b) })
	}
}

// seeLive: a change arrives in the open page. What the person typed, opened and marked stays,
// the title counts, and a stream that ended is taken up again after the last message.
func seeLive(t *testing.T, b *browser.Browser) {
	changes, ids := make(chan string), make(chan string, 10)
	fewer := fullNow()
	fewer.Cards = fewer.Cards[1:]
	stopped := slices.IndexFunc(fewer.Cards, func(c page.Card) bool { return c.Asks[0].ID == "e1e2e3e4" })
	fewer.Cards[stopped].Asks[0].Says = "changed"
	url := serve(t, site{views: full(), live: func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept") == "" || !strings.HasPrefix(r.FormValue("at"), "/view/") {
			t.Errorf("the stream was asked for at %q", r.FormValue("at"))
		}
		ids <- r.Header.Get("Last-Event-ID")
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
		select {
		case html := <-changes:
			event(w, 4712, html)
		case <-r.Context().Done():
		}
	}})
	tab := b.Tab(t)
	tab.View(1280, 900, false)
	tab.Open(url + "/view/now#ask-e1e2e3e4")
	if id := <-ids; id != "4711" {
		t.Errorf("the first stream begins after %q, want the entry that the page shows", id)
	}
	tab.Wait(`document.title === "(5) Afar"`)
	cards := browser.Eval[int](tab, `document.querySelectorAll(".card").length`)
	browser.Eval[bool](
		tab,
		`(() => { const c = document.querySelector("#ask-e1e2e3e4 textarea"); c.value = "drop it"; c.focus();
		document.querySelector("#ask-9b21ffa0 details").open = true; window.kept = c; return true })()`,
	)
	beat, err := pages.Beat(page.Pulse{Open: 4}, now)
	if err != nil {
		t.Fatal(err)
	}
	var pulse bytes.Buffer
	if err := page.Partial(&pulse, beat); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	changes <- partial(t, fewer, "questions") + pulse.String()
	tab.Wait(fmt.Sprintf(`document.querySelectorAll(".card").length === %d`, cards-1))
	t.Logf("on the page after %v", time.Since(begin))
	tab.Wait(`document.title === "(4) Afar"`)
	for what, expression := range map[string]string{
		"what was typed":          `window.kept.value === "drop it" && window.kept.isConnected`,
		"the focus":               `document.activeElement === window.kept`,
		"what was opened":         `document.querySelector("#ask-9b21ffa0 details").open`,
		"the change":              `document.querySelector("#ask-e1e2e3e4 .facts").textContent.includes("changed")`,
		"the one that is settled": `!document.querySelector("#ask-7f3ac1d2")`,
	} {
		if !browser.Eval[bool](tab, expression) {
			t.Errorf("lost: %s", what)
		}
	}
	if id := <-ids; id != "4712" { // the stream ended after one message
		t.Errorf("the second stream begins after %q, want the last message", id)
	}
	tab.Wait(`document.querySelector("#link").innerText === "live"`)
	for _, m := range tab.Console() {
		t.Error(m)
	}
}

// answers serves views and notes what forms send.
func answers(t *testing.T) (url string, sent chan string) {
	t.Helper()
	sent = make(chan string, 10)
	return serve(t, site{views: full(), post: func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		r.PostForm.Del("back")
		sent <- r.URL.Path + " " + r.PostForm.Encode()
		http.Redirect(w, r, "/view/now", http.StatusSeeOther)
	}}), sent
}

// shows goes on a condition: the card of a question is the only one that is shown.
func shows(id string) string {
	return ` && [...document.querySelectorAll(".card")].filter((c) => c.offsetParent).map((c) => c.id).join() === "ask-` + id + `"`
}

// seeKeys: a person answers with the keyboard alone.
func seeKeys(t *testing.T, b *browser.Browser) {
	url, sent := answers(t)
	tab := b.Tab(t)
	tab.View(1280, 900, false)
	tab.Open(url + "/view/now")
	tab.Wait(`document.querySelector("#link").innerText === "live"`)
	tab.Keys("a") // nothing is marked: nothing is answered
	tab.Keys("j")
	tab.Wait(`document.activeElement.id === "line-7f3ac1d2"` + shows("7f3ac1d2"))
	tab.Keys("j")
	tab.Wait(`document.activeElement.id === "line-9b21ffa0"` + shows("9b21ffa0"))
	tab.Keys("k")
	tab.Wait(`document.activeElement.id === "line-7f3ac1d2"` + shows("7f3ac1d2"))
	tab.Keys("a")
	if got := <-sent; got != "/ask/7f3ac1d2 do=allow&nonce=7f3ac1d2.0.3f9ab2c4d5e6f708" {
		t.Errorf("a sent %q", got)
	}
	tab.Wait(`location.pathname === "/view/now"`)
	tab.Keys("jd")
	if got := <-sent; !strings.Contains(got, " do=deny&nonce=") {
		t.Errorf("d sent %q", got)
	}
	tab.Keys("?")
	tab.Wait(`document.querySelector("#keys").open`)
	tab.Keys("\x1b")
	tab.Wait(`!document.querySelector("#keys").open`)
	tab.Open(url + "/view/guard")
	tab.Keys("/")
	tab.Wait(`document.activeElement.id === "explain-text"`)
	tab.Keys("jad")
	tab.Wait(`document.activeElement.value.endsWith("jad")`) // keys are text where one types
	if len(sent) > 0 {
		t.Errorf("sent besides: %s", <-sent)
	}
	for _, m := range tab.Console() {
		t.Error(m)
	}
}

// seeForm: a form that htmx sends puts the answer in the place of the page, without a new
// document and without a jump.
func seeForm(t *testing.T, b *browser.Browser) {
	url, sent := answers(t)
	tab := b.Tab(t)
	tab.View(1280, 900, false)
	tab.Open(url + "/view/now")
	tab.Wait(`document.querySelector("#link").innerText === "live"`)
	tab.Click(`#line-9b21ffa0 a`)
	browser.Eval[bool](tab, `window.same = true; window.scrollTo(0, 300); true`)
	tab.Click("#ask-9b21ffa0 button[value=session]")
	if got := <-sent; got != "/ask/9b21ffa0 do=session&nonce=9b21ffa0.0.3f9ab2c4d5e6f708" {
		t.Errorf("sent %q", got)
	}
	tab.Wait(`!document.querySelector(".htmx-request")`)
	if !browser.Eval[bool](tab, `window.same === true && window.scrollY > 200`) {
		t.Error("the document was loaded anew, or jumped")
	}
	for _, m := range tab.Console() {
		t.Error(m)
	}
}

// seeWithoutScripts: reading and answering work without JavaScript.
func seeWithoutScripts(t *testing.T, b *browser.Browser) {
	url, sent := answers(t)
	tab := b.Tab(t)
	tab.View(390, 844, false)
	tab.Scripts(false)
	tab.Open(url + "/view/now")
	tab.Click("#line-c0ffee12 a")
	tab.Click("#ask-c0ffee12 button[value='2']")
	if got := <-sent; got != "/ask/c0ffee12 do=submit&nonce=c0ffee12.1.3f9ab2c4d5e6f708&option=2" {
		t.Errorf("sent %q", got)
	}
	tab = b.Tab(t)
	tab.Scripts(false)
	tab.Open(url + "/view/now#ask-facade01")
	tab.Click("#ask-facade01 input[value='1']")
	tab.Click("#ask-facade01 input[value='2']")
	tab.Click("#ask-facade01 button[value=submit]")
	if got := <-sent; got != "/ask/facade01 do=submit&nonce=facade01.2.3f9ab2c4d5e6f708&option=1&option=2" {
		t.Errorf("sent %q", got)
	}
}

// seeReloadOnce: a page that was opened without the cookie loads itself again, once.
func seeReloadOnce(t *testing.T, b *browser.Browser) {
	loads := make(chan struct{}, 10)
	in := site{views: map[string]page.View{"signin": page.SignIn{Reload: true}}}
	url := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/view/signin" {
			loads <- struct{}{}
		}
		in.ServeHTTP(w, r)
	})
	tab := b.Tab(t)
	tab.Open(url + "/view/signin")
	<-loads
	<-loads
	tab.Wait(`performance.getEntriesByType("navigation").length === 1 && document.readyState === "complete"`)
	time.Sleep(200 * time.Millisecond) // a third load would come at once
	if len(loads) > 0 {
		t.Error("the page loads itself for ever")
	}
}

// TestBackToMachine: the forms of a page that shows the things of one machine come back to that page.
func TestBackToMachine(t *testing.T) {
	for chosen, want := range map[string]string{
		"": `value="/runs"`, "build": `value="/runs?machine=build"`, `"><b>`: `value="/runs?machine=%22%3E%3Cb%3E"`,
	} {
		sections, err := pages.Sections(page.Runs{Start: runForm()}, now, chosen)
		if err != nil {
			t.Fatal(err)
		}
		var all string
		for _, s := range sections {
			all += string(s.HTML)
		}
		if !strings.Contains(all, `name="back" `+want) {
			t.Errorf("for %q want %s in\n%s", chosen, want, all)
		}
	}
}
