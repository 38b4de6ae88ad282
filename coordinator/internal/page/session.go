package page

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// A moment is one line of a timeline: an entry of the journal, or a tool.
type moment struct {
	At   int64
	Icon string
	Mood string // ok, bad, ask or ""
	What string // in a few words
	Text string
	Step *wire.Step // of a tool
	Path string
}

// Moments returns the timeline of a session, newest first.
func (s Session) Moments() []moment {
	var out []moment
	for i, step := range s.Steps {
		out = append(out, momentOfStep(step, &s.Steps[i]))
	}
	for _, e := range wording.Newest(s.Entries) {
		out = append(out, momentOf(e, s.Session.Token))
	}
	slices.SortStableFunc(out, func(a, b moment) int { return cmp.Compare(b.At, a.At) })
	return out
}

func momentOfStep(step wire.Step, at *wire.Step) moment {
	m := moment{At: step.At, Icon: "tool", What: step.Tool, Text: step.Input, Step: at}
	switch {
	case step.Tool == ToolPrompt:
		m.Icon, m.Step = "chat", nil
	case step.Outcome == "failed", step.Outcome == "refused":
		m.Mood = "bad"
	}
	return m
}

// ToolPrompt is the Tool of a step that is no tool, but what a person typed.
const ToolPrompt = "Prompt"

// momentOf shows an entry of the journal. Most begin with the session's token, which the
// page of the session need not repeat.
func momentOf(e wire.Entry, token string) moment {
	m := moment{At: e.At, Icon: iconOf(e.Kind), Mood: moods[e.Kind], What: kindInWords(e.Kind), Text: e.Text}
	if token != "" {
		m.Text = strings.TrimPrefix(m.Text, token+": ")
		m.Text = verdictHead.ReplaceAllString(m.Text, "")
	}
	if strings.HasPrefix(e.Kind, "ask.") && e.Subject != "" {
		m.Path = "/question/" + url(e.Subject)
	}
	return m
}

// verdictHead is how an entry about the guard begins, which its kind says too.
var verdictHead = regexp.MustCompile(`^guard: (deny|ask) `)

// kindInWords says a kind of the journal in words: "loop ended".
func kindInWords(kind string) string { return strings.NewReplacer(".", " ", "-", " ").Replace(kind) }

// entryIcons are the pictures of the kinds of entries, by the noun that they begin with.
var entryIcons = map[string]string{
	"ask": "ask", "grant": "ask", "guard": "shield", "policy": "shield", "refused": "shield", "redirected": "shield",
	"settings": "shield", "undo": "undo", "loop": "loop", "issue": "loop", "review": "check", "gate": "check",
	"consult": "check", "run": "run", "message": "chat", "topic": "chat", "told": "chat", "turn": "stop",
	"telegram": "plug",
}

func iconOf(kind string) string {
	noun, _, _ := strings.Cut(kind, ".")
	return cmp.Or(entryIcons[noun], "dot")
}

// moods colour the kinds that a person looks for.
var moods = map[string]string{
	"guard.denied": "bad", "guard.loop": "bad", "guard.overridden": "bad", "session.unprotected": "bad",
	"policy.broken": "bad", "settings.refused": "bad", "refused": "bad", "redirected": "bad", "gate.given-up": "bad",
	"review.missing": "bad", "undo.refused": "bad", "telegram.failing": "bad", "store.damaged": "bad",
	"ask.opened": "ask", "guard.spoke": "ask", "issue.landed": "ok", "undo.restored": "ok",
	"gate.opened": "ok",
}
