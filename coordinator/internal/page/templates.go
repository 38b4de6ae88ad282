package page

import (
	"cmp"
	"fmt"
	"html/template"
	"reflect"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// addresses are those of the files in Static, by name.
var addresses = versions()

// templates are all templates. They are parsed when the program starts: a broken one is
// found by every test.
var templates = template.Must(template.New("page").Funcs(template.FuncMap{
	"asset":  func(name string) string { return addresses[name] },
	"count":  text.Count,
	"join":   strings.Join,
	"line":   line,
	"money":  wording.USD,
	"tokens": wording.Tokens,
	"url":    url,
	"add":    func(a, b int) int { return a + b },
	"code":   code,
	"wants":  wording.Wants,
	"short":  func(hash string) string { return hash[:min(8, len(hash))] },
	"first":  first,
	"frame":  innermost,
	"loops":  wording.FrameCount,
	"state":  wording.LoopState,
}).ParseFS(files, "templates/*.html"))

// code shows the input of a tool.
func code(tool, input string) template.HTML {
	return template.HTML("<pre><code>" + template.HTMLEscapeString(input) + "</code></pre>")
}

// first returns the first values of a list, at most most.
func first(most int, list any) (any, error) {
	v := reflect.ValueOf(list)
	if v.Kind() != reflect.Slice {
		return nil, fmt.Errorf("first: want a slice, have %T", list)
	}
	return v.Slice(0, min(most, v.Len())).Interface(), nil
}

// innermost returns the frame that a loop works on, nil without one.
func innermost(l *wire.Loop) *wire.Frame {
	if l == nil || len(l.Stack) == 0 {
		return nil
	}
	return &l.Stack[len(l.Stack)-1]
}

// A row is a session as the list of sessions shows it.
type row struct {
	wire.Session
	Detail
	Loop *wire.Loop
	Asks int // its open questions
}

// maxRows bounds the sessions on the first page.
const maxRows = 60

// Rows returns the sessions: those that wait for the person first, then those at work, then
// the others; the newest first among equals.
func (n Now) Rows() []row {
	asks := map[string]int{}
	for _, c := range n.Cards {
		for _, a := range c.Asks {
			asks[a.Session]++
		}
	}
	loops := map[string]*wire.Loop{}
	for i, l := range n.Status.Loops {
		if l.Active {
			loops[l.Session] = &n.Status.Loops[i]
		}
	}
	var out []row
	for _, s := range n.Status.Sessions {
		out = append(out, row{Session: s, Detail: n.More[s.ID], Loop: loops[s.ID], Asks: asks[s.ID]})
	}
	slices.SortStableFunc(out, func(a, b row) int {
		if by := a.rank() - b.rank(); by != 0 {
			return by
		}
		return cmp.Compare(b.Session.Since, a.Session.Since)
	})
	return out
}

// rank orders sessions by how much they need a person.
func (r row) rank() int {
	switch {
	case r.State == "unprotected":
		return 0
	case r.Asks > 0 || r.State == "waiting":
		return 1
	case r.State == "working":
		return 2
	case r.State == "ended":
		return 4
	}
	return 3
}

// Sessions returns the rows that are shown.
func (n Now) Sessions() []row {
	rows := n.Rows()
	return rows[:min(maxRows, len(rows))]
}

// Others returns how many sessions are not shown.
func (n Now) Others() int { return max(0, len(n.Status.Sessions)-maxRows) }
