package page

import (
	"fmt"
	"html/template"
	"reflect"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// Templates render pages. They are safe for concurrent use.
type Templates struct{ all *template.Template }

// Parse returns the templates. That takes milliseconds, so only a program that serves pages does it.
func Parse() Templates {
	addresses := versions() // of the files in Static, by name
	asset := template.FuncMap{"asset": func(name string) string { return addresses[name] }}
	return Templates{
		template.Must(template.New("page").Funcs(functions).Funcs(asset).ParseFS(files, "templates/*.html")),
	}
}

// functions are what the templates call, without those that need the files in Static.
var functions = template.FuncMap{
	"boost":       func() template.HTMLAttr { return boost },
	"browser":     browserName,
	"clip":        text.ClipBytes,
	"code":        code,
	"count":       text.Count,
	"deedClass":   deedClass,
	"entries":     entriesOf,
	"fate":        fateOf,
	"firing":      view.Firing,
	"first":       first,
	"frame":       innermost,
	"grade":       wording.Grade,
	"icon":        icon,
	"isKept":      isKept,
	"loop":        view.Loop,
	"taskFile":    taskFile,
	"join":        strings.Join,
	"line":        line,
	"mark":        markOf,
	"money":       wording.USD,
	"memoryTabs":  memoryTabs,
	"moduleFile":  moduleFile,
	"mode":        wording.Mode,
	"mood":        moodOf,
	"more":        func(n, most int) int { return max(0, n-most) },
	"moment":      momentOf,
	"days":        days,
	"newest":      newest,
	"noun":        noun,
	"on":          wording.On,
	"option":      func(i int) int { return i + 1 },
	"percent":     percent,
	"prose":       prose,
	"plain":       func(s string) string { return strings.ReplaceAll(line(20, s), "_", " ") },
	"runState":    wording.RunState,
	"runTone":     func(state string) string { return tone(view.RunMark(state).Tone) },
	"sessionTone": func(state string) string { return tone(view.SessionMark(state).Tone) },
	"short":       func(hash string) string { return hash[:min(8, len(hash))] },
	"size":        size,
	"spoken":      Spoken,
	"steps":       wording.FrameCount,
	"ticks":       ticks,
	"tone":        tone,
	"times":       wording.Times,
	"todos":       func(t *wire.Todos) string { return wording.Todos(*t) },
	"tokens":      wording.Tokens,
	"asked":       wording.Asked,
	"span":        span,
	"url":         url,
	"waiting":     Waiting,
	"whole":       whole,
	"wholeFile":   wholeFile,
	"wholeProse":  wholeProse,
}

// boost has htmx send a form and put the answer in the place of the page's content, without
// a new document. Without scripts the browser sends the form itself.
const boost template.HTMLAttr = `hx-boost='{"target":"main","select":"main","swap":"outerMorph show:none"}' ` +
	`hx-push-url="false" hx-sync="this:drop"`

// icon draws one of the pictures that the layout holds.
func icon(name string) template.HTML {
	return template.HTML(`<svg class="i" aria-hidden="true"><use href="#i-` + template.HTMLEscapeString(name) +
		`"/></svg>`)
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
func innermost(l wire.Loop) *wire.Frame {
	if len(l.Stack) == 0 {
		return nil
	}
	return &l.Stack[len(l.Stack)-1]
}

// percent is how far a frame is, from 0 to 100.
func percent(f wire.Frame) int {
	if f.Max <= 0 {
		return 0
	}
	return min(100, max(0, 100*f.N/f.Max))
}

// noun returns a noun in the form that a number needs.
func noun(n int, of string) string {
	_, word, _ := strings.Cut(text.Count(n, of), " ")
	return word
}

// days says a time of whole days in days: 168h is 7 days.
func days(span string) string {
	d, err := time.ParseDuration(span)
	if err != nil || d <= 24*time.Hour || d%(24*time.Hour) != 0 {
		return span
	}
	return text.Count(int(d/(24*time.Hour)), "day")
}
