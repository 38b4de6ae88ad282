package e2e

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/botapi"
	"github.com/afar-sh/afar/coordinator/standin/browser"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/netproxy"
)

// newPagedPhone returns a coordinator with Ann's phone and with the page.
func newPagedPhone(t *testing.T) *phone {
	t.Helper()
	t.Parallel()
	return newPhoneOn(t, pagedNest(t))
}

// pagedNest returns a nest whose coordinator has a page.
func pagedNest(t testing.TB) *nest {
	t.Helper()
	n := newNestWith(t, os.Getenv("PATH"))
	n.env = slices.DeleteFunc(n.env, func(v string) bool { return strings.HasPrefix(v, "AFAR_WEB_ADDR=") })
	n.env = append(n.env, "AFAR_WEB_ADDR="+netproxy.FreeAddr(t)) // it stays when the coordinator starts again
	return n
}

// asks starts the hook of a call that needs permission.
func (p *phone) asks(mark string, client int) *hookRun {
	in := p.session("s", mark).with(payload{"tool_name": "Bash", "tool_input": payload{"command": "make " + mark}})
	return p.start("PermissionRequest", in, "CLAUDE_CODE_SESSION_ATTENDED=1", "CLAUDE_PID="+strconv.Itoa(client))
}

// browser signs a browser in to the page.
func (p *phone) browser() *site {
	s := &site{nest: p.nest}
	s.signIn()
	return s
}

// A contest is one question that several people answer.
type contest struct {
	p    *phone
	mark string

	mu   sync.Mutex
	said []string // to each of them
}

func (c *contest) says(who, what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.said = append(c.said, who+": "+what)
}

// tap answers on the phone.
func (c *contest) tap(button string) {
	card := c.p.showing(c.mark)[0]
	query, err := c.p.ann.TapLate(card.ID, button)
	if err != nil {
		c.p.t.Error(err)
		return
	}
	ctx, cancel := context.WithTimeout(c.p.t.Context(), patience)
	defer cancel()
	answer, err := c.p.bot.AwaitAnswer(ctx, func(a botapi.CallbackAnswer) bool { return a.QueryID == query })
	if err != nil {
		c.p.t.Error(err)
	}
	c.says("phone", answer.Text)
}

var pageCard = regexp.MustCompile(`(?s)action="(/ask/[^"]+)".*?name="nonce" value="([^"]+)"`)

// send sends the form of a card, and reads what the page says then.
func (c *contest) send(s *site, card []string, do string) {
	s.send(request{path: card[1], form: url.Values{"do": {do}, "nonce": {card[2]}, "back": {"/"}}})
	_, said, _ := strings.Cut(bodyOf(s.send(request{path: "/"})), `id="said"`)
	said, _, _ = strings.Cut(said, "</div>")
	c.says("browser", said)
}

// TestPagePeople: two browsers and the phone answer the same question of a hook that waits.
// One of them wins, the hook prints that answer, and the others are told that they are late.
func TestPagePeople(t *testing.T) {
	long.InCI(t)
	p := newPagedPhone(t)
	client, one, two := bystander(t), p.browser(), p.browser()
	for i := range 5 {
		c := &contest{p: p, mark: fmt.Sprint("target-", i)}
		hook := p.asks(c.mark, client)
		p.current(c.mark)
		card := pageCard.FindStringSubmatch(bodyOf(one.send(request{path: "/"})))
		if card == nil {
			t.Fatal("the page does not show the question")
		}
		people := []func(){
			func() { c.tap("Allow") },
			func() { c.send(one, card, "deny") },
			func() { c.send(two, card, "allow") },
		}
		if i < len(people) { // each wins once; then they race
			people[i]()
			people = slices.Delete(people, i, i+1)
		}
		var all sync.WaitGroup
		for _, answer := range people {
			all.Go(answer)
		}
		out, err := hook.wait()
		all.Wait()
		if err != nil {
			t.Fatal(err)
		}
		late := slices.DeleteFunc(slices.Clone(c.said), func(said string) bool {
			return !strings.Contains(said, "Too late")
		})
		won := slices.DeleteFunc(slices.Clone(c.said), func(said string) bool {
			return strings.Contains(said, "Too late")
		})
		if len(won) != 1 || len(late) != 2 || strings.Contains(won[0], "Allowed") != strings.Contains(out, `"allow"`) {
			t.Errorf("question %d: the hook prints %q, and they are told %q", i, out, c.said)
		}
	}
	if n := count(p.journal(), "ask.answered"); n != 5 {
		t.Errorf("the journal has %d answers to 5 questions", n)
	}
}

// TestPageOpenWhenKilled: the coordinator is killed while a real browser shows the page. The
// page comes back by itself, without a new document, and has each question and each notice
// once: those from before, and those that came meanwhile.
func TestPageOpenWhenKilled(t *testing.T) {
	long.InCI(t)
	p := newPagedPhone(t)
	b := browser.Start(t)
	client := bystander(t)
	tab := b.Tab(t)
	tab.Notices()
	tab.View(1280, 900, false)
	tab.Open(strings.TrimSpace(p.afar("open", "--print")))
	tab.Wait(isLive)
	browser.Eval[bool](tab, `window.same = true`)
	first := p.asks("one", client)
	tab.Wait(cards("make one", 1))
	p.fire(p.aim())
	second := p.asks("two", client) // it starts another coordinator
	tab.Wait(cards("make two", 1))
	tab.Wait(isLive)
	tab.Wait(cards("make one", 1))
	decide(tab, "make one", "allow")
	if out, err := first.wait(); err != nil || !strings.Contains(out, `"allow"`) {
		t.Errorf("the first hook prints %q, %v", out, err)
	}
	tab.Wait(cards("make one", 0))
	browser.Eval[bool](tab, watchLink)
	p.fire(p.aim())
	p.afar("status")
	tab.Wait(`window.lost > 0`)
	tab.Wait(isLive)
	tab.Wait(cards("make one", 0) + " && " + cards("make two", 1))
	if !browser.Eval[bool](tab, `window.same === true`) {
		t.Error("the document was loaded anew")
	}
	noticed := tab.Noticed()
	for _, mark := range []string{"make one", "make two"} {
		n := len(slices.DeleteFunc(slices.Clone(noticed), func(n string) bool { return !strings.HasSuffix(n, mark) }))
		if n != 1 {
			t.Errorf("the browser notifies of %q %d times: %q", mark, n, noticed)
		}
	}
	decide(tab, "make two", "deny")
	if out, err := second.wait(); err != nil || !strings.Contains(out, `"deny"`) {
		t.Errorf("the second hook prints %q, %v", out, err)
	}
}

const isLive = `document.querySelector("#link").innerText === "live"`

// watchLink counts in window.lost how often the page says that it is not live: the page may be
// live again before the test looks.
const watchLink = `window.lost = 0, new MutationObserver(() => {
	if (document.querySelector("#link").innerText !== "live") window.lost++;
}).observe(document.querySelector("#link"), {childList: true, characterData: true, subtree: true}), true`

// cards returns the expression for a page that has n cards with a text which wait for an answer.
func cards(text string, n int) string {
	return fmt.Sprintf(`[...document.querySelectorAll("article.card:has(button[value=allow])")].`+
		`filter((c) => c.textContent.includes(%q)).length === %d`, text, n)
}

// decide chooses the question with a text, and presses a button of its card.
func decide(tab *browser.Tab, text, do string) {
	tab.Wait(browser.TakesPresses)
	browser.Eval[bool](tab, fmt.Sprintf(
		`[...document.querySelectorAll(".lines a")].find((a) => a.innerText.includes(%q)).click(), true`, text))
	tab.Click(`.card:target button[value=` + do + `]`)
}
