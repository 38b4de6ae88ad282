package page_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/wire"
)

func TestRenderEveryPage(t *testing.T) {
	for _, v := range []page.View{
		page.SignIn{}, page.Message{Title: "Not found"}, page.Now{}, page.Session{Session: wire.Session{Token: "api-1a2b"}},
		page.Loops{}, page.Questions{}, page.Question{Card: page.Card{Asks: []wire.Ask{{ID: "a1"}}}}, page.Guard{},
		page.Report{}, page.Settings{},
	} {
		var b bytes.Buffer
		if err := page.Render(&b, v, page.Frame{Path: "/", SignedIn: true}, now); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "</html>") {
			t.Errorf("%T is cut short:\n%s", v, b.String())
		}
	}
}
