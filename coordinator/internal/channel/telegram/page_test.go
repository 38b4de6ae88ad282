package telegram

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	texts "github.com/afar-sh/afar/coordinator/internal/message"
)

// TestLinkToThePage: a card leads to its question and a notice to its session on the local
// page, and both say where the link works. Without a page there is no link.
func TestLinkToThePage(t *testing.T) {
	t.Parallel()
	r := newStillRig(t)
	var address atomic.Value
	address.Store("")
	r.ch.cfg.Link = func(path string) (string, string) {
		if address.Load() == "" {
			return "", ""
		}
		return address.Load().(string) + path, "through your own proxy"
	}
	if _, err := r.ch.Connect(r.ctx, r.api.Token(), r.api.URL()); err != nil {
		t.Fatal(err)
	}
	r.run()
	r.pair()
	if _, m := r.card("a1", "git push"); strings.Contains(m.Text, "on the page") {
		t.Errorf("a link to nowhere: %s", m.Text)
	}
	address.Store("http://127.0.0.1:7357")
	if _, m := r.card("a3", "make here"); strings.Contains(m.Text, "on the page") {
		t.Errorf("a link that a phone cannot open: %s", m.Text)
	}
	address.Store("https://afar.example")
	_, m := r.card("a2", "make clean")
	if !strings.Contains(m.Text, "🔗 on the page, through your own proxy") {
		t.Errorf("the card has no link: %s", m.Text)
	}
	if _, err := r.core.Answer("a2", ask.Decision{Allow: true, By: "Ann", Channel: "terminal"}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.core.Tell("s1", texts.Message{Key: "k", By: "shop", Text: "the build is green"}); err != nil {
		t.Fatal(err)
	}
	if n := r.await("the build is green"); !strings.Contains(n.Text, "🔗 on the page, through your own proxy") {
		t.Errorf("the notice has no link: %s", n.Text)
	}
}
