package page_test

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/standin/browser"
	"github.com/afar-sh/afar/coordinator/standin/long"
)

// policy is what the server of the page sends; see package web.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// A site serves views as they are.
type site struct {
	views map[string]page.View
	live  http.HandlerFunc
	post  http.HandlerFunc
}

func (s site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Security-Policy", policy)
	name := strings.TrimPrefix(r.URL.Path, "/view/")
	v := s.views[name]
	switch {
	case strings.HasPrefix(r.URL.Path, "/static/"):
		http.StripPrefix("/static/", http.FileServerFS(page.Static)).ServeHTTP(w, r)
	case r.URL.Path == "/live" && s.live != nil:
		s.live(w, r)
	case r.URL.Path == "/live":
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, ": nothing\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	case r.Method == http.MethodPost && s.post != nil:
		s.post(w, r)
	case v == nil:
		http.NotFound(w, r)
	default:
		f := frameOf(name)
		f.Path, f.SignedIn = r.URL.Path, name != "signin"
		var b bytes.Buffer
		if err := pages.Render(&b, v, f, now); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(b.Bytes())
	}
}

func serve(t *testing.T, s site) string { return serveFunc(t, s.ServeHTTP) }

func serveFunc(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

// A sight is a window in which each page is looked at.
type sight struct {
	name          string
	width, height int64
	dark          bool
	axe           bool // axe-core looks too: at each width and in each colour scheme, one of the two at each page
}

var sights = []sight{
	{name: "390-light", width: 390, height: 844, axe: true},
	{name: "390-dark", width: 390, height: 844, dark: true},
	{name: "1280-light", width: 1280, height: 900},
	{name: "1280-dark", width: 1280, height: 900, dark: true, axe: true},
	{name: "zoomed", width: 640, height: 450}, // 1280 × 900 at 200 %
}

// TestLooks opens each page in a real browser at two widths, light and dark: nothing is wider
// than the window, the console is empty, and axe-core finds nothing serious. The pictures go
// to the folder that AFAR_SHOTS names.
func TestLooks(t *testing.T) {
	b := browser.Start(t)
	axe := browser.NeedAxe(t)
	for _, fixture := range []struct {
		name  string
		views map[string]page.View
	}{{"full", full()}, {"empty", empty()}} {
		url := serve(t, site{views: fixture.views})
		for i, name := range slices.Sorted(maps.Keys(fixture.views)) {
			t.Run(fixture.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				tab := b.Tab(t)
				tab.Open(url + "/view/" + name)
				for j, at := range sights {
					if !at.axe && !long.Runs() {
						continue // the others have the same widths and the same colours
					}
					at.axe = at.axe && (long.Runs() || j%2 == i%2)
					if fixture.name == "empty" && !at.axe && !long.Runs() {
						continue // a page without rows is wide nowhere
					}
					look(t, tab, at, axe)
					tab.Shoot(fixture.name + "-" + name + "-" + at.name)
				}
				for _, m := range tab.Console() {
					t.Error(m)
				}
			})
		}
	}
}

// look looks at the page of a tab in one window.
func look(t *testing.T, tab *browser.Tab, at sight, axe string) {
	t.Helper()
	tab.View(at.width, at.height, at.dark)
	if wide := browser.Eval[float64](tab, "document.documentElement.scrollWidth"); int64(wide) > at.width {
		t.Errorf("%s: the page is %v wide", at.name, wide)
	}
	if !at.axe {
		return
	}
	for _, f := range tab.Axe(axe) {
		if f.Impact == "serious" || f.Impact == "critical" {
			t.Errorf("%s: %v", at.name, f)
		}
	}
}
