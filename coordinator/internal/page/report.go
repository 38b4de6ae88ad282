package page

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// Choices returns the times that can be chosen, the shortest first.
func (r Report) Choices() []string {
	length := func(span string) time.Duration {
		d, _ := time.ParseDuration(span) // one that cannot be read comes first
		return d
	}
	out := slices.Clone(r.Spans)
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(length(a), length(b)) })
	return out
}

// bins is how many bars a plot has.
const bins = 48

// A plot is one row of bars over the time of a report.
type plot struct {
	Name  string
	Sum   string // in words
	class string
	value [bins]float64
	over  [bins]float64 // the part of value that is drawn in another colour
}

// Plots returns the plots of the day: questions, waiting time, and cost where it is known.
func (r Report) Plots() []plot {
	asked, waited := plot{Name: "Questions", class: "asked"}, plot{Name: "Waiting time", class: "waited"}
	var longest time.Duration
	for _, q := range r.Report.Asks {
		i := r.bin(q.OpenedAt)
		asked.value[i]++
		if wording.Sort(q) == wording.Waiting {
			asked.over[i]++
		}
		waited.value[i] = max(waited.value[i], float64(q.WaitedMS))
		longest = max(longest, time.Duration(q.WaitedMS)*time.Millisecond)
	}
	asked.Sum = text.Count(len(r.Report.Asks), "question")
	waited.Sum = "longest " + wording.Span(longest)
	out := []plot{asked, waited}
	if len(r.Cost) > 0 {
		out = append(out, r.cost())
	}
	return out
}

func (r Report) cost() plot {
	p, sum := plot{Name: "Cost", class: "cost"}, 0.0
	for _, c := range r.Cost {
		p.value[r.bin(c.At)] += c.USD
		sum += c.USD
	}
	p.Sum = wording.USD(sum) + " at list prices"
	return p
}

// bin returns the bar of a time.
func (r Report) bin(at int64) int {
	whole := max(1, r.Report.Until-r.Report.Since)
	return min(bins-1, max(0, int((at-r.Report.Since)*bins/whole)))
}

// The size of a plot in its own units. It is stretched to its place.
const (
	plotHeight = 40
	barWidth   = 10
)

// SVG draws the bars.
func (p plot) SVG() template.HTML {
	most := 0.0
	for _, v := range p.value {
		most = max(most, v)
	}
	var b strings.Builder
	fmt.Fprintf(&b,
		`<svg class="plot %s" viewBox="0 0 %d %d" preserveAspectRatio="none" role="img" aria-label="%s: %s">`,
		p.class, bins*barWidth, plotHeight, p.Name, template.HTMLEscapeString(p.Sum))
	for i, v := range p.value {
		bar(&b, i, v, most, "")
		bar(&b, i, p.over[i], most, ` class="over"`)
	}
	fmt.Fprintf(&b, `<path d="M0 %d.5H%d"/></svg>`, plotHeight-1, bins*barWidth)
	return template.HTML(b.String())
}

// bar draws one bar; a small value is still visible.
func bar(b *strings.Builder, i int, v, most float64, class string) {
	if v <= 0 {
		return
	}
	height := max(2, v/most*(plotHeight-2))
	fmt.Fprintf(b, `<rect%s x="%d" y="%.1f" width="%d" height="%.1f" rx="1"/>`,
		class, i*barWidth+1, plotHeight-1-height, barWidth-2, height)
}

// Ticks returns the times under the plots.
func (r Report) Ticks() (out []int64) {
	for i := range int64(5) {
		out = append(out, r.Report.Since+(r.Report.Until-r.Report.Since)*i/4)
	}
	return out
}

// Head sums the questions up.
func (r Report) Head() string {
	return text.Capital(wording.ReportHead(r.Report.Asks))
}

// Waiting returns the questions that wait, and Settled the others; Failed is what failed, and Done what was done.
func (r Report) Waiting() []wire.ReportedAsk {
	waiting, _ := wording.Parts(r.Report.Asks)
	return waiting
}

// Settled is said with Waiting.
func (r Report) Settled() []wire.ReportedAsk {
	_, settled := wording.Parts(r.Report.Asks)
	return settled
}

// Past returns the calls that got past the guard.
func (r Report) Past() []moment {
	past, _, _ := view.Ended(r.Report)
	return r.ended(past, "shield", "bad")
}

// Failed is said with Waiting.
func (r Report) Failed() []moment {
	_, failed, _ := view.Ended(r.Report)
	return r.ended(failed, "warn", "bad")
}

// Done is said with Waiting.
func (r Report) Done() []moment {
	_, _, done := view.Ended(r.Report)
	return r.ended(done, "check", "ok")
}

func (r Report) ended(things []view.Thing, icon, mood string) (out []moment) {
	for _, t := range things {
		m := moment{Icon: icon, Mood: mood, What: t.ID, Text: t.Said()}
		if slices.ContainsFunc(r.Report.Runs, func(v wire.Run) bool { return v.Name == t.ID }) {
			m.Path = "/run/" + url(t.ID)
		}
		out = append(out, m)
	}
	return out
}

// Also says what else happened.
func (r Report) Also() string { return wording.ReportCounts(r.Report.Counts) }

// Denials returns how many calls the guard denied.
func (r Report) Denials() int { return max(r.Report.Counts["guard.denied"], len(r.Report.Denied)) }

// fates are the classes of what became of a question.
var fates = map[string]string{
	wording.Allowed: "ok", wording.Denied: "bad", wording.Elsewhere: "muted", wording.Waiting: "ask",
}

// Fate is what became of a question, and its class.
type Fate struct{ Text, Class string }

// fateOf returns what became of a question.
func fateOf(q wire.ReportedAsk) Fate {
	sort := wording.Sort(q)
	if sort == wording.Waiting {
		return Fate{"still waiting", fates[sort]}
	}
	how := cmp.Or(q.How, wording.Decided(q.Ask))
	if q.Outcome != "" {
		how += " · " + q.Outcome
	}
	return Fate{how, fates[sort]}
}
