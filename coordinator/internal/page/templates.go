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
	"money":  func(usd float64) string { return fmt.Sprintf("$%.2f", usd) },
	"tokens": tokens,
	"url":    url,
	"add":    func(a, b int) int { return a + b },
	"code":   code,
	"wants":  wants,
	"short":  func(hash string) string { return hash[:min(8, len(hash))] },
	"first":  first,
	"frame":  innermost,
	"loops":  frameCount,
	"state":  loopState,
}).ParseFS(files, "templates/*.html"))

// tokens is a number of tokens in three digits or less.
func tokens(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d tokens", n)
	case n < 999_500:
		return fmt.Sprintf("%dk tokens", (n+500)/1000)
	}
	return fmt.Sprintf("%.1fM tokens", float64(n)/1e6)
}

// wants returns what a session wants, in words.
func wants(q wire.Ask) string {
	switch q.Kind {
	case "question":
		return "asks you"
	case "plan":
		return "has a plan"
	case "elicitation":
		return line(60, q.Tool) + " asks you"
	case "denied":
		return "was refused by auto mode: " + line(60, q.Tool)
	case "check-in":
		return "stopped and says"
	}
	return "wants " + line(60, q.Tool)
}

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

// frameCount is how far a frame is: iterations, or issues.
func frameCount(f wire.Frame) string {
	if f.Issue == nil {
		return fmt.Sprintf("%d/%d", f.N, f.Max)
	}
	s := fmt.Sprintf("%d taken, %d landed", f.N, f.Issue.Landed)
	if f.Issue.Left > 0 {
		s += fmt.Sprintf(", %d paused", f.Issue.Left)
	}
	return s
}

// loopState is the verdict with its evidence, or that there is none yet.
func loopState(l wire.Loop) string {
	switch {
	case l.Active:
		return "active"
	case l.Verdict == "":
		return "ended"
	case l.Evidence != "":
		return l.Verdict + " (" + l.Evidence + ")"
	}
	return l.Verdict
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
