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
		f := frame()
		f.Path, f.SignedIn = r.URL.Path, name != "signin"
		var b bytes.Buffer
		if err := page.Render(&b, v, f, now); err != nil {
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

// sights are the windows in which each page is looked at.
var sights = []struct {
	name          string
	width, height int64
	dark          bool
}{
	{
		"390-light",
		390,
		844,
		false,
	}, {"390-dark", 390, 844, true}, {"1280-light", 1280, 900, false}, {"1280-dark", 1280, 900, true},
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
		for _, name := range slices.Sorted(maps.Keys(fixture.views)) {
			t.Run(fixture.name+"/"+name, func(t *testing.T) {
				tab := b.Tab(t)
				for _, sight := range sights {
					tab.View(sight.width, sight.height, sight.dark)
					tab.Open(url + "/view/" + name)
					if wide := browser.Eval[float64](tab, "document.documentElement.scrollWidth"); int64(
						wide,
					) > sight.width {
						t.Errorf("%s: the page is %v wide", sight.name, wide)
					}
					for _, f := range tab.Axe(axe) {
						if f.Impact == "serious" || f.Impact == "critical" {
							t.Errorf("%s: %v", sight.name, f)
						}
					}
					tab.Shoot(fixture.name + "-" + name + "-" + sight.name)
				}
				for _, m := range tab.Console() {
					t.Error(m)
				}
			})
		}
	}
}
