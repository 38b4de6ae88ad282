package loop

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/afar-sh/afar/coordinator/internal/usage"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata; read the diff before you keep it")

// A scenario is the story of one session: commands, each with its "> " lines of input, and "|
// " lines with all results. The state is stored as JSON between two commands.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, string(text))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(strings.Split(string(text), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("output differs (-want +got):\n%s", diff)
			}
		})
	}
}

func play(t *testing.T, text string) string {
	p := &player{t: t, now: epoch}
	var out strings.Builder
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		if strings.HasPrefix(l, "|") {
			continue
		}
		out.WriteString(l)
		if i < len(lines)-1 {
			out.WriteByte('\n')
		}
		if l == "" || strings.HasPrefix(l, "#") {
			continue
		}
		var message []string
		for i+1 < len(lines) && strings.HasPrefix(lines[i+1], ">") {
			i++
			out.WriteString(lines[i] + "\n")
			message = append(message, strings.TrimPrefix(strings.TrimPrefix(lines[i], ">"), " "))
		}
		for _, shown := range p.run(l, strings.Join(message, "\n")) {
			out.WriteString(strings.TrimRight("| "+shown, " ") + "\n")
		}
	}
	return out.String()
}

var epoch = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

type player struct {
	t     *testing.T
	now   time.Time
	stack Stack
}

func (p *player) run(command, message string) []string {
	verb, rest, _ := strings.Cut(command, " ")
	switch verb {
	case "after":
		d, err := time.ParseDuration(rest)
		if err != nil {
			p.t.Fatalf("%s: %v", command, err)
		}
		p.now = p.now.Add(d)
		return nil
	case "start":
		return p.start(rest)
	case "issues":
		return p.issues(rest)
	case "result":
		return p.result(rest, message)
	case "introduce":
		var text string
		p.stack, text = Introduce(p.stack)
		return append(strings.Split(text, "\n"), p.outcome(Outcome{Stack: p.stack})...)
	case "current":
		text, _ := json.Marshal(Current(p.stack))
		return []string{string(text)}
	case "stop":
		return p.took(Stop(p.stack, p.stopping(rest, message), p.now))
	case "cancel":
		return p.took(Cancel(p.stack, rest, p.now))
	case "fail":
		return p.took(Fail(p.stack, rest, p.now))
	case "limit":
		d, _ := time.ParseDuration(rest)
		until := time.Time{}
		if d > 0 {
			until = p.now.Add(d)
		}
		return p.took(Limit(p.stack, message, until, p.now))
	case "refused": // as the coordinator has it tried again
		return p.took(Limit(p.stack, message, Retry(p.stack, 5*time.Minute, p.now), p.now))
	case "rest":
		s, rests := Rest(p.stack, p.now.Add(2*time.Minute), p.now)
		return append([]string{fmt.Sprintf("rests: %t", rests)}, p.outcome(Outcome{Stack: s})...)
	case "expire":
		return p.outcome(Expire(p.stack, p.now))
	case "agents":
		n, _ := strconv.ParseInt(rest, 10, 64)
		s, err := Spend(p.stack, usage.Sum{Tokens: n}, AgentRead{})
		return p.took(Outcome{Stack: s}, err)
	case "interrupt":
		s, err := Interrupt(p.stack, p.now)
		return p.took(Outcome{Stack: s}, err)
	case "touch":
		return p.outcome(Outcome{Stack: Touch(p.stack, p.now)})
	case "next":
		return []string{dueAt(p.stack)}
	case "intro":
		return strings.Split(Intro(p.stack), "\n")
	case "render":
		return strings.Split(Render(p.stack), "\n")
	case "anchor":
		var f AnchorFacts
		if err := json.Unmarshal([]byte(message), &f); err != nil {
			p.t.Fatalf("%s: %v", command, err)
		}
		return strings.Split(Anchor(p.stack, f, p.now), "\n")
	}
	p.t.Fatalf("unknown command %q", command)
	return nil
}

// took prints the outcome of a step, or why it was refused.
func (p *player) took(o Outcome, err error) []string {
	if err != nil {
		return []string{"error: " + err.Error()}
	}
	return p.outcome(o)
}

func dueAt(s Stack) string {
	if s.Next().IsZero() {
		return "never"
	}
	return stamp(s.Next())
}

func (p *player) start(rest string) []string {
	id, args, _ := strings.Cut(rest, " ")
	o, err := Parse(args)
	if err != nil {
		return []string{"error: " + err.Error()}
	}
	out, err := Start(p.stack, "ses1", id, o, p.now)
	if err != nil {
		return []string{"error: " + err.Error()}
	}
	return p.outcome(out)
}

// issues starts an issue loop.
func (p *player) issues(rest string) []string {
	id, args, _ := strings.Cut(rest, " ")
	o, err := Parse(args)
	if !errors.Is(err, ErrNoTask) {
		p.t.Fatalf("issues %s: %v", rest, err)
	}
	o.Repo = "/repo"
	out, err := Start(p.stack, "ses1", id, o, p.now)
	if err != nil {
		return []string{"error: " + err.Error()}
	}
	return p.outcome(out)
}

// result applies a result to the running errand of the innermost issue frame.
func (p *player) result(rest, message string) []string {
	frame, step, r := "", 0, Result{}
	for _, f := range p.stack.Frames {
		if f.Issue != nil {
			frame, step = f.ID, f.Issue.Step
		}
	}
	for _, word := range strings.Fields(rest) {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "ready":
			for _, id := range strings.Split(value, ",") {
				r.Ready = append(r.Ready, Found{ID: id, Title: "Mend the " + id, Body: message})
			}
		case "none", "ok":
		case "held":
			r.Held = strings.Split(value, ",")
		case "place", "tree":
			r.Place = Place{
				Path:       "/repo/.worktrees/afar/" + value,
				Branch:     "afar/issue/" + value,
				Base:       "main",
				BaseCommit: "0000",
				InTree:     key == "tree",
			}
		case "commit":
			r.Commit = strings.Repeat(value, 40)[:40]
		case "loose":
			r.Loose = strings.Split(value, ",")
		case "empty":
			r.Empty = true
		case "approved":
			r.Approved, r.By, r.Digest = true, value, "d1e2"
		case "rejected":
			r.By, r.Findings = value, message
		case "nobody":
			r.Nobody, r.Broken = true, message
		case "broken":
			r.Broken = message
		case "refused":
			r.Refused, r.Why = Refusal(value), message
		case "step":
			step, _ = strconv.Atoi(value)
		default:
			p.t.Fatalf("unknown word %q", word)
		}
	}
	o, err := Advance(p.stack, frame, step, r, p.now)
	if err != nil {
		return []string{"error: " + err.Error()}
	}
	return p.outcome(o)
}

func (p *player) stopping(rest, message string) Stopping {
	in := Stopping{Message: message}
	for _, word := range strings.Fields(rest) {
		key, value, _ := strings.Cut(word, "=")
		n, _ := strconv.Atoi(value)
		switch key {
		case "tools":
			in.Tools = n
		case "tree":
			in.Tree = value
		case "spent":
			in.Spent.USD, _ = strconv.ParseFloat(value, 64)
		case "tokens":
			in.Spent.Tokens = int64(n)
		case "day":
			in.DayOver = value
		case "background":
			in.Background = strings.Split(value, ",")
		case "exit":
			in.Check = &CheckResult{Frame: p.stack.top().ID, ExitCode: n, Tail: message, Took: 1200 * time.Millisecond}
			in.Message = ""
		case "late":
			in.Check.TimedOut = true
		case "of":
			in.Check.Frame = value
		case "broken":
			in.Check.Broken = value
		case "id":
			in.ID = value
		default:
			p.t.Fatalf("unknown word %q", word)
		}
	}
	return in
}

func (p *player) outcome(o Outcome) []string {
	p.stack = roundTrip(p.t, o.Stack)
	var lines []string
	add := func(name, text string) {
		if text != "" {
			lines = append(lines, strings.Split(name+": "+text, "\n")...)
		}
	}
	if o.Check != nil {
		add("check", fmt.Sprintf("%s (%s)", o.Check.Command, o.Check.Timeout))
	}
	add("checked", o.Checked)
	for _, e := range o.Errands {
		text := fmt.Sprintf("%s, step %d", e.Phase, e.Step)
		for _, more := range []string{e.Issue.ID, e.Note, e.Findings} {
			if more != "" {
				text += ", " + more
			}
		}
		add("errand", text)
	}
	for _, said := range o.IssueLines {
		add("said", fmt.Sprintf("issue:%s [loop] %s: %s", said.Issue, said.Action, said.Text))
	}
	add("wait", o.Wait)
	add("block", o.Block)
	add("wake", o.Stack.Waking())
	add("notify", o.Notify)
	add("verdict", string(o.Verdict))
	add("stack", brief(p.stack))
	return lines
}

// roundTrip returns the stack after it was stored as JSON, which must not change it.
func roundTrip(t interface{ Fatalf(string, ...any) }, s Stack) Stack {
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatalf("marshal: %v", err)
	}
	var back Stack
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatalf("unmarshal: %v", err)
	}
	if diff := cmp.Diff(s, back); diff != "" {
		t.Fatalf("the stack changes in the store:\n%s", diff)
	}
	return back
}

func brief(s Stack) string {
	var parts []string
	for _, f := range s.Frames {
		part := fmt.Sprintf("%s %d/%d", f.ID, f.N, f.Max)
		if f.Issue != nil {
			part = fmt.Sprintf("%s %s(%s)", f.ID, f.Issue.Phase, f.Issue.ID)
		}
		if f.Tell != "" {
			part += " !"
		}
		parts = append(parts, part)
	}
	text := strings.Join(parts, " > ")
	switch {
	case s.Ended != nil:
		text += " (ended: " + string(s.Ended.Verdict) + ")"
	case s.Paused != nil:
		text += " (paused)"
	case len(s.Frames) == 0:
		text = "none"
	}
	return text
}
