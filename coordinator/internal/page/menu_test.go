package page_test

import (
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/standin/browser"
)

// shownEntries returns the names of the menu's entries that can be seen inside the window.
const shownEntries = shown + "('.top nav a')"

// shown counts the links of a kind that can be seen inside the window.
const shown = `((links) => [...document.querySelectorAll(links)].filter((a) => {
	const r = a.getBoundingClientRect();
	return a.checkVisibility() && r.width > 0 && r.left >= 0 && r.right <= innerWidth && r.bottom <= innerHeight;
}).length)`

// seeMenu: on a phone five groups fit beside each other, and a button shows the pages of its group without a script.
// On a wide screen all are there at once.
func seeMenu(t *testing.T, b *browser.Browser) {
	url := serve(t, site{views: map[string]page.View{"now": fullNow(), "memory": fullMemory()}})
	tab := b.Tab(t)
	tab.Open(url + "/view/now")
	see := func(where string, want int) {
		t.Helper()
		if have := browser.Eval[int](tab, shownEntries); have != want {
			t.Errorf("%s: %d entries can be seen, want %d", where, have, want)
		}
	}
	tab.View(390, 844, false)
	see("a phone", 2)
	tab.Click("button[popovertarget=menu-Work]")
	see("the open group", 6)
	tab.Shoot("menu-390-light")
	tab.Open(url + "/view/now")
	tab.View(1280, 900, false)
	see("a wide screen", 11)
	tab.Click("button[popovertarget=menu-new]")
	if have := browser.Eval[int](tab, shown+"('#menu-new a')"); have != 3 {
		t.Errorf("on a wide screen %d things can be made new, want 3", have)
	}
	tab.View(390, 844, true)
	if have := browser.Eval[int](tab, shown+"('#menu-new a')"); have != 3 {
		t.Errorf("on a phone %d things can be made new, want 3", have)
	}
	tab.Open(url + "/view/memory")
	if have := browser.Eval[string](tab, "document.querySelector('button.group.on').innerText.trim()"); have != "Knowledge" {
		t.Errorf("the group of the page Memory is %q", have)
	}
	if wide := browser.Eval[float64](tab, "document.querySelector('.top nav').scrollWidth"); wide > 390 {
		t.Errorf("the menu is %v wide", wide)
	}
}
