package terminal

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// Entries shows entries of the journal, one in a line. Without all, a question has one line, its last.
func Entries(p *Page, in wire.LogReply, all bool) {
	if !all {
		in.Entries = wording.Newest(in.Entries)
	}
	for _, e := range in.Entries {
		p.Line("%-12s  %s  %s", p.Clock(e.At), p.Paint(Dim, fmt.Sprintf("%-20s", OneLine(e.Kind, 40))),
			OneLine(e.Text, 300))
	}
}

// HookLine returns a line about what a hook did.
func HookLine(p *Page, v wire.HookLine) string {
	text := strings.TrimSpace(OneLine(cmp.Or(v.Token, v.Session), 14) + "  " + OneLine(v.Error, 200))
	return fmt.Sprintf("%-12s  %-19s  %-12s  %s  %8s  %s", p.Clock(v.At), OneLine(v.Event, 19), OneLine(v.Tool, 12),
		p.Paint(hookInks[v.Decision], fmt.Sprintf("%-7s", OneLine(v.Decision, 20))), took(v.TookUS), text)
}

// hookInks are the colours of what hooks decide.
var hookInks = map[string]Ink{
	"ask": Yellow, "block": Red, "closed": Red, "deny": Red, "none": Dim, "open": Red,
}

// took writes a length of time in microseconds, short.
func took(us int64) string {
	switch {
	case us < 1e6:
		return fmt.Sprintf("%.1f ms", float64(us)/1e3)
	case us < 60e6:
		return fmt.Sprintf("%.1f s", float64(us)/1e6)
	}
	return wording.Span(time.Duration(us) * time.Microsecond)
}

// LogLine returns a line of the coordinator's log for people: time, level, message and attributes. It
// returns a line of another form unchanged.
func LogLine(p *Page, line string) string {
	var of map[string]any
	if json.Unmarshal([]byte(line), &of) != nil {
		return OneLine(line, 1000)
	}
	word := func(key string) string { s, _ := of[key].(string); return OneLine(s, 500) }
	at, _ := time.Parse(time.RFC3339Nano, word("time"))
	text := fmt.Sprintf("%-12s  %s  %s", p.Clock(at.UnixMilli()),
		p.Paint(cmp.Or(logInks[word("level")], Dim), fmt.Sprintf("%-5s", word("level"))), word("msg"))
	for _, key := range slices.Sorted(maps.Keys(of)) {
		if key != "time" && key != "level" && key != "msg" {
			text += p.Paint(Dim, " "+OneLine(key, 40)+"=") + OneLine(fmt.Sprint(of[key]), 500)
		}
	}
	return text
}

// logInks are the colours of levels that a person should notice.
var logInks = map[string]Ink{"ERROR": Red, "WARN": Yellow}

// Act returns a line of the log of outward acts for people: time, decision, outcome, who and what. It
// returns a line of another form unchanged.
func Act(p *Page, line string) string {
	var act wire.OutwardAct
	if json.Unmarshal([]byte(line), &act) != nil {
		return OneLine(line, 1000)
	}
	at, _ := time.Parse(time.RFC3339, act.Time)
	said := act.Decision
	if act.By != "" {
		said += " by " + act.By
	}
	return fmt.Sprintf("%-12s  %s  %s  %s", p.Clock(at.UnixMilli()),
		p.Paint(actionInk(act), fmt.Sprintf("%-24s", OneLine(said+", "+act.Outcome, 60))),
		p.Paint(Dim, fmt.Sprintf("%-16s", OneLine(actor(act), 40))),
		OneLine(act.Command, 500))
}

// actor names the task, the run or the session of an act.
func actor(act wire.OutwardAct) string {
	switch {
	case act.Task != "":
		return "task:" + act.Task
	case act.Run != "":
		return "run:" + act.Run
	case act.Token != "":
		return act.Token
	}
	return strings.TrimSpace(act.Session)
}

func actionInk(act wire.OutwardAct) Ink {
	switch {
	case act.Decision == "denied" && act.Outcome != "not run":
		return Red
	case act.Decision == "denied", act.Outcome == "failed":
		return Yellow
	}
	return ""
}
