package telegram

import (
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

func TestRenderDenied(t *testing.T) {
	t.Parallel()
	a := example()
	a.Kind, a.Why = ask.Denied, "[Code from External]"
	a = ask.Park(a, session.On, noon)
	r := render(ask.Card{a}, place{name: "shop", token: "shop-1", project: "/home/ann/shop", machine: "lab", home: "/home/ann"})
	for _, want := range []string{
		"🚫 <b>shop</b>: rm -rf &lt;dir&gt; &amp;&amp; echo \"done\"\n⚠️ auto mode refused it: [Code from External]",
		"⏸ Not run. Retry once tells",
	} {
		if !strings.Contains(r.html, want) {
			t.Errorf("no %q in\n%s", want, r.html)
		}
	}
	if len(r.rows) != 1 || len(r.rows[0]) != 1 || r.rows[0][0].label != "Retry once 🔁" {
		t.Errorf("buttons: %v", r.rows)
	}
	a, err := ask.Answer(a, ask.Decision{Allow: true, By: "Ann", At: noon.Add(time.Minute)})
	if err != nil {
		t.Fatal(err)
	}
	r = render(ask.Card{a}, place{name: "shop", token: "shop-1", project: "/home/ann/shop", machine: "lab", home: "/home/ann"})
	if len(r.rows) != 0 || !strings.Contains(r.html, "for one try until 12:06:00") {
		t.Errorf("have %s %v", r.html, r.rows)
	}
}
