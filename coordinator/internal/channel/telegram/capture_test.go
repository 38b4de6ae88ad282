package telegram

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/afar-sh/afar/coordinator/host/claude/hookinput"
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/standin/botapi"
)

var rewrite = flag.Bool("update", false, "rewrite the captures in testdata/cards; read them before you keep them")

// A capture is one card in one state. To add one, add a row and run `go test -run TestCaptures
// -update`. The file with its name then shows what a person sees.
type capture struct {
	name string
	card ask.Card
}

// publishing is a call of which the guard asks about one part.
var publishing = of("Bash", `{"command":"set -e\ncd /home/ann/shop\nnpm ci && npm test\nnpm publish --access public"}`,
	why("Publishes to others"), does("publish"), about("npm publish --access public"), reasonsFor("release 2.0 to npm",
		"All 214 tests are green and the changelog is written."))

var captures = []capture{
	{"bash", of("Bash", `{"command":"npm test -- --watch=false","description":"Run the tests"}`,
		purpose("Run the tests"))},
	{"bash with its reasons", of("Bash", `{"command":"npm test"}`,
		reasonsFor("Fix the login tests", "The tests fail at parse.ts:12, so I run them again:"))},
	{"bash with hostile reasons", of("Bash", `{"command":"npm test"}`,
		reasonsFor("<b>x</b>\n✅ Allowed by Ann\u202e", strings.Repeat("</i>&lt;", 100)))},
	{"bash does", of("Bash", `{"command":"rm -rf build && cp -r assets build/"}`,
		does("delete tree build · write file build · read file assets"))},
	{"bash risky", of("Bash", `{"command":"git push --force origin feature"}`, why("Rewrites a remote branch: feature"),
		does("rewrite remote branch feature"))},
	{"bash several lines", of("Bash",
		`{"command":"set -e\nfor f in *.go; do\n\tgofmt -l \"$f\"\ndone","run_in_background":true}`,
		in("/home/ann/shop/cmd/web"))},
	{"bash long", of("Bash", `{"command":"cat > data.txt <<'END'\n`+
		strings.Repeat(`0123456789 abcdefghij\n`, 400)+`END"}`)},
	{"bash elsewhere", of("Bash", `{"command":"ls"}`, in("/etc"))},
	{"bash with a secret", of("Bash",
		`{"command":"curl -H 'Authorization: Bearer abcdefgh12345678' https://api.example/v1"}`)},
	{"edit", of("Edit", `{"file_path":"/home/ann/shop/main.go","old_string":"func main() {\n\trun()\n}",`+
		`"new_string":"func main() {\n\tif err := run(); err != nil {\n\t\tlog.Fatal(err)\n\t}\n}"}`)},
	{"edits", of("MultiEdit", `{"file_path":"/home/ann/shop/a.go","edits":[{"old_string":"x","new_string":"y"},`+
		`{"old_string":"p","new_string":"","replace_all":true}]}`)},
	{"write new", of("Write", `{"file_path":"/home/ann/shop/notes.md","content":"# Notes\n\n- buy milk\n"}`,
		does("make a new file"))},
	{"write over", over("# Notes\n\n1\n2\n3\n4\n- buy milk\n",
		`{"file_path":"/home/ann/shop/notes.md","content":"# Notes\n\n1\n2\n3\n4\n- buy oat milk\n- sleep\n"}`)},
	{"notebook", of("NotebookEdit",
		`{"notebook_path":"/home/ann/shop/a.ipynb","cell_id":"c3","edit_mode":"replace","new_source":"print(1)"}`)},
	{"read", of("Read", `{"file_path":"/etc/hosts"}`)},
	{"fetch", of("WebFetch", `{"url":"https://example.org/a?b=1&c=<2>","prompt":"what is it?"}`)},
	{"mcp", of("mcp__github__create_issue", `{"repo":"shop","title":"Fix it","labels":["bug"]}`)},
	{"guard", of("Bash", `{"command":"bash -c \"$(cat recipe.txt)\""}`, kind(ask.Guard), alone,
		why("Runs code that cannot be seen"), does("run unknown code"))},
	{"guard deep", publishing},
	{"guard deep ran", each(publishing, yes(ask.Once), take, ran(true, 810))}, // also in the picture of the README
	{"terminal", alike(ask.NewTerminal("a", session.Session{ID: "s", Cwd: "/home/ann/shop", Attended: true}, "Bash",
		"python3 -c 'print(6*7)'"))},
	{"proposal", alike(ask.NewProposal("a", "s", ask.Proposed{Prompt: "bring the dependencies up to date"},
		"start claude in ~/shop"))},
	{"wake-up", alike(ask.NewWakeUp("s", ask.About{Trigger: "ci"}, "gh run view --exit-status", "CI is over",
		"/home/ann/shop"))},
	{"missed", alike(ask.NewMissed(ask.About{Trigger: "night"}, "tidy the notes", "start a run"))},
	{"suggestion", alike(ask.NewSuggestion(ask.Suggested{Name: "keys", Source: "mail from Bob", Urgency: "urgent"},
		"Rotate the API keys", "2026-03-04", "They are a year old."))},
	{"suggestion dismissed", each(alike(ask.NewSuggestion(ask.Suggested{Name: "keys"}, "Rotate the API keys", "2026-03-04",
		"")), no(""))},
	{"checkpoint", alike(must(ask.NewCheckpoint("send-the-invoices", "s", "/home/ann/tasks/send-the-invoices", "file",
		"I made 2 invoices.", ask.Question{Text: "May I mail them to the customers?",
			Options: []ask.Option{{Label: "Yes"}, {Label: "No"}}})))},
	{"subagent", of("Bash", `{"command":"make"}`, agent("Explore"))},
	{"subagent unattended", of("Bash", `{"command":"make"}`, agent(""), alone)},
	{"grants offered", of("Bash", `{"command":"git commit -m 'parse faster' && make check"}`,
		offers("stop asking for `git commit …` in this project", "git commit …", "exactly make check"))},

	{"mode offered", of("Edit", `{"file_path":"/home/ann/shop/a.go","old_string":"x","new_string":"y"}`,
		beyond("stop asking for edits in this session"))},
	{"mode allowed", each(of("Write", `{"file_path":"/home/ann/shop/a.go","content":"x"}`,
		beyond("stop asking for edits and let it use ~/other in this session")), yes(ask.Always), take)},

	{"twins", twins(of("Bash", `{"command":"go test ./..."}`), "Explore", "Explore", "Plan")},
	{"twins of the main agent", twins(of("Bash", `{"command":"cat /etc/hosts"}`), "", "")},
	{"twins, one gone", part(twins(of("Bash", `{"command":"go test ./..."}`), "Explore", "Explore", "Plan"), 1,
		cancel("ended at the terminal"))},
	{"twins ran", every(twins(of("Bash", `{"command":"go test ./..."}`), "Explore", "Explore", "Plan"), yes(ask.Once),
		take, ran(true, 1200))},
	{"twins, one failed", part(every(twins(of("Bash", `{"command":"go test ./..."}`), "Explore", "Explore", "Plan"),
		yes(ask.Once), take), 2, ran(false, 300))},
	{"twins denied, one late", every(part(twins(of("Bash", `{"command":"go test ./..."}`), "Explore", "Explore",
		"Plan"), 0, expire), no(""), take)},

	{"question", question(`{"questions":[{"header":"Store","question":"Which store?","options":[{"label":"SQLite",` +
		`"description":"one file, no server"},{"label":"Postgres"}]}]}`)},
	{"question of several", question(`{"questions":[{"question":"Which checks?","multiSelect":true,`+
		`"options":[{"label":"lint"},{"label":"fuzz"},{"label":"bench"}]}]}`, step(ask.Pick(0, 1)))},
	{"question free", question(`{"questions":[{"question":"What is the project's name?","options":[]}]}`)},
	{"questions", question(`{"questions":[{"question":"Which store?","options":[{"label":"SQLite"},`+
		`{"label":"Postgres"}]},{"question":"Which port?","options":[{"label":"8080"},{"label":"9090"}]}]}`,
		step(ask.Pick(0, 0)))},
	{"questions answered", question(`{"questions":[{"question":"Which store?","options":[{"label":"SQLite"},`+
		`{"label":"Postgres"}]},{"question":"Which port?","options":[{"label":"8080"},{"label":"9090"}]}]}`,
		step(ask.Pick(0, 0)), step(ask.Say("7070, please")), take, ran(true, 10))},

	{"elicitation", elicited(`"name":{"type":"string","description":"who deploys","minLength":2},`+
		`"dry":{"type":"boolean"}`, `"name"`)},
	{"elicitation choice", elicited(`"env":{"type":"string","title":"Where to?","enum":["staging","live"],`+
		`"enumNames":["The stage","Live!"],"default":"staging"}`, ``)},
	{"elicitation choices", elicited(`"parts":{"type":"array","title":"Which parts?","items":{"enum":["web","api"]},`+
		`"minItems":1}`, ``, step(ask.Pick(0, 1)))},
	{"elicitation half", elicited(`"name":{"type":"string"},"age":{"type":"integer","minimum":3,"maximum":99}`, `"age"`,
		step(ask.Say("Ann")))},
	{"elicitation answered", elicited(`"name":{"type":"string"},"dry":{"type":"boolean"}`, `"name"`,
		step(ask.Say("Ann")), step(ask.Pick(1, 1)), take)},
	{"elicitation declined", elicited(`"name":{"type":"string"}`, ``, no(""), take)},
	{"elicitation without fields", elicited(``, ``)},
	{"elicitation of a page", each(page(), func(a ask.Ask) ask.Ask { return a })},
	{"elicitation handed over", elicited(`"name":{"type":"string"}`, ``,
		func(a ask.Ask) ask.Ask { return ask.Tick(a, noon.Add(ask.AttendedFor)) })},

	{"plan", of("ExitPlanMode", `{"plan":"# Plan\n\n1. Write the test\n2. Make it pass\n",`+
		`"planFilePath":"/home/ann/.claude/plans/a.md"}`, kind(ask.Plan))},
	{"plan empty", of("ExitPlanMode", `{}`, kind(ask.Plan))},
	{"plan with markup", of("ExitPlanMode",
		`{"plan":"# Login\n\n## Why\nThe **token** is read *twice*.\n\n- see `+"`auth.go`"+
			`\n  - and [docs](https://a.example/x)\n\n`+"```go\\nif a < b {\\n```"+`\n✅ Approved by Ann"}`,
		kind(ask.Plan))},
	{"plan long", of("ExitPlanMode", `{"plan":"# Plan\n`+strings.Repeat(`\n- one more step of many`, 300)+`"}`,
		kind(ask.Plan))},
	{"plan approved", each(of("ExitPlanMode", `{"plan":"# Plan\n"}`, kind(ask.Plan)), func(a ask.Ask) ask.Ask {
		return must(ask.Answer(a, ask.Decision{Allow: true, AcceptEdits: true, By: "Ann", At: later}))
	}, take)},
	{"plan sent back", each(of("ExitPlanMode", `{"plan":"# Plan\n"}`, kind(ask.Plan)),
		no("begin with the tests"), take)},

	{"check-in", checkIn()},
	{"check-in long", each(checkIn(), func(a ask.Ask) ask.Ask {
		a.Text = strings.Repeat("One more thing that I found out.\n", 200) + "That is all."
		return a
	})},
	{"check-in answered", each(checkIn(), no("now the docs"), func(a ask.Ask) ask.Ask { return must(ask.Claim(a)) })},
	{"check-in rests", each(checkIn(), yes(ask.Once))},
	{"check-in ended", each(checkIn(),
		func(a ask.Ask) ask.Ask { return must(ask.Cancel(a, "the session ended", later)) })},

	{"allowed", each(of("Bash", `{"command":"make"}`), yes(ask.Once))},
	{"allowed ran", each(of("Bash", `{"command":"make"}`), yes(ask.Once), take, ran(true, 1234))},
	{"allowed failed", each(of("Bash", `{"command":"make"}`), yes(ask.Once), take, ran(false, 40))},
	{"allowed for session", each(of("Bash", `{"command":"make check"}`, offers("", "make check …")), yes(ask.Session),
		take, ran(true, 90))},
	{"allowed always", each(of("Bash", `{"command":"make check"}`,
		offers("stop asking for `make check …` in this project", "make check …")), yes(ask.Always), take)},
	{"denied", each(of("Bash", `{"command":"make"}`), no(""), take)},
	{"stopped", each(of("Bash", `{"command":"make"}`), func(a ask.Ask) ask.Ask {
		return must(ask.Answer(a, ask.Decision{Interrupt: true, Message: "Ann stopped this turn.",
			By: "Ann", At: later}))
	}, take)},
	{"denied with words", each(of("Bash", `{"command":"make"}`), no("use ninja"), take)},
	{"settled at the terminal", each(of("Bash", `{"command":"make"}`),
		func(a ask.Ask) ask.Ask { return must(ask.Local(a, atTerminal, later)) })},
	{"settled at the terminal, ran", each(of("Bash", `{"command":"make"}`), ran(true, 300))},
	{"perhaps settled", each(of("Bash", `{"command":"sleep 60; cat /etc/hosts"}`),
		func(a ask.Ask) ask.Ask { return must(ask.Doubt(a, true)) })},
	{"answered too late for the dialog", each(of("Bash", `{"command":"sleep 60"}`), no(""), take, ran(true, 150_000))},
	{"expired attended", each(of("Bash", `{"command":"make"}`), expire)},
	{"parked", each(of("Bash", `{"command":"make"}`, alone), expire)},
	{"parked at once", each(of("Bash", `{"command":"git push -f origin x"}`, alone, kind(ask.Guard),
		why("Rewrites a remote branch: x")), func(a ask.Ask) ask.Ask { return ask.Park(a, session.On, noon) })},
	{"auto mode refused", refusedByAuto()},
	{"auto mode refused, allowed", each(refusedByAuto(), yes(ask.Once))},
	{"auto mode refused, ran", each(refusedByAuto(), yes(ask.Once),
		func(a ask.Ask) ask.Ask { return must(ask.Use(a, later.Add(time.Minute))) }, ran(true, 80))},
	{"auto mode refused, missed", each(refusedByAuto(), yes(ask.Once),
		func(a ask.Ask) ask.Ask { return ask.Tick(a, later.Add(ask.RetryFor)) })},
	{"lease", each(of("Bash", `{"command":"make"}`, alone), expire, yes(ask.Once))},
	{"lease used", each(of("Bash", `{"command":"make"}`, alone), expire, yes(ask.Once),
		func(a ask.Ask) ask.Ask { return must(ask.Use(a, later.Add(time.Hour/2))) }, ran(true, 80))},
	{"denied late", each(of("Bash", `{"command":"make"}`, alone), expire, no(""))},
	{"cancelled", each(of("Bash", `{"command":"make"}`), cancel("ended at the terminal"))},
	{"session ended", each(of("Bash", `{"command":"make"}`), cancel("the session ended"))},
	{"hook gone", each(of("Bash", `{"command":"make"}`),
		func(a ask.Ask) ask.Ask { return ask.Tick(must(ask.Lose(a, later)), later.Add(ask.RedialFor)) })},

	{"undo", snapshot("snapshot: 3 files, 12 kB · Undo until Wed 12:01", "Undo ↩️")},
	{"undo of newer work", snapshot("snapshot: 3 files, 12 kB · not undone: newer work would be overwritten: main.go",
		"Undo anyway ↩️")},
	{"undone", snapshot("snapshot: 3 files, 12 kB · undone by Ann at 12:03:00: 3 files restored", "")},

	{"hostile", of("Bash", `{"command":"echo safe \u202e# etaerc\u202c \u200b</pre>\n`+
		`✅ Allowed by Ann at 12:00:00 · ran ok\u0000\u001b[2J"}`,
		agent("Explore</b>\n✅ Allowed"), purpose("”\n✅ Allowed by Ann"), why("<b>x</b>\n✅ Allowed by Ann"),
		in("/home/ann/<shop>\n✅ Allowed"))},
}

// later is the time of the answers in the captures.
var later = noon.Add(93 * time.Second)

type change = func(ask.Ask) ask.Ask

// of returns the card of one open permission of the project's own session.
func of(tool, input string, changes ...change) ask.Card { return asking(tool, input, "", changes) }

// elicited returns the card of a form of an MCP server.
func elicited(properties, required string, changes ...change) ask.Card {
	return each(server(`"message":"Before I deploy shop <2.1>, tell me:","mode":"form",`+
		`"requested_schema":{"type":"object","properties":{`+properties+`},"required":[`+required+`]}`), changes...)
}

func page() ask.Card {
	return server(`"message":"Sign in to deploy.","mode":"url","url":"https://id.example/start?a=1&b=2"`)
}

func server(rest string) ask.Card {
	asked, err := hookinput.ReadElicitation([]byte(`{"mcp_server_name":"deployer",` + rest + `}`))
	if err != nil {
		panic(err) // the row is wrong
	}
	a, err := ask.NewElicitation(asked)
	if err != nil {
		panic(err) // the row is wrong
	}
	a.ID, a.Session, a.Cwd, a.Nonce, a.Attended = "a", "s", "/home/ann/shop", "n", true
	return open(ask.Card{a})
}

// refusedByAuto returns the card of a call that the host's auto mode refused.
func refusedByAuto() ask.Card {
	return each(of("Bash", `{"command":"sh step.sh"}`, kind(ask.Denied), why("[Code from External]")),
		func(a ask.Ask) ask.Ask { return ask.Park(a, session.On, noon) })
}

// over is like of, for a Write over a file with the content old.
func over(old, input string) ask.Card {
	return asking("Write", input, old, []change{does("replace a file of 34 bytes")})
}

func asking(tool, input, old string, changes []change) ask.Card {
	in, err := hookinput.ReadTool(tool, []byte(input))
	if err != nil {
		panic(err) // the row is wrong
	}
	a := ask.Ask{
		ID:       "a",
		Kind:     ask.Permission,
		Session:  "s",
		Tool:     tool,
		Text:     in.Text(old),
		Hash:     in.Hash(),
		Cwd:      "/home/ann/shop",
		Nonce:    "n",
		Attended: true,
	}
	return open(each(ask.Card{a}, changes...))
}

// open starts what has not been started.
func open(card ask.Card) ask.Card {
	return each(card, func(a ask.Ask) ask.Ask { return ask.Start(a, session.On, noon) })
}

func question(input string, changes ...change) ask.Card {
	card := of("AskUserQuestion", input, kind(ask.Questions), func(a ask.Ask) ask.Ask {
		asked := must(hookinput.Questions([]byte(input)))
		a.Form = must(ask.NewForm(asked))
		return a
	})
	return each(card, changes...)
}

func checkIn() ask.Card {
	a := ask.NewCheckIn("a", "s", "The tests pass. I changed `main.go` & <two> other files.\n\nShall I write the "+
		"docs now?", "/home/ann/shop")
	a.Nonce = "n"
	return open(ask.Card{a})
}

// alike returns the card of an ask that is not about a call.
func alike(a ask.Ask) ask.Card {
	a.Nonce = "n"
	return open(ask.Card{a})
}

// twins returns the card with an ask of each of these subagents.
func twins(one ask.Card, types ...string) (card ask.Card) {
	for i, kind := range types {
		a := one[0]
		if kind != "" {
			a = agent(kind)(a)
		}
		if i > 0 {
			a.ID = ask.ID(rune('a' + i))
			a.On = one[0].CardID()
		}
		card = append(card, a)
	}
	return open(card)
}

// each applies changes to every ask of a card, one after the other.
func each(card ask.Card, changes ...change) (out ask.Card) {
	for _, a := range card {
		for _, c := range changes {
			a = c(a)
		}
		out = append(out, a)
	}
	return out
}

// every is like each, for the asks that still wait.
func every(card ask.Card, changes ...change) (out ask.Card) {
	for _, a := range card {
		if len(ask.Card{a}.Waiting()) > 0 {
			a = each(ask.Card{a}, changes...)[0]
		}
		out = append(out, a)
	}
	return out
}

// part applies a change to one ask of a card.
func part(card ask.Card, i int, c change) ask.Card {
	card[i] = c(card[i])
	return card
}

func kind(k ask.Kind) change   { return func(a ask.Ask) ask.Ask { a.Kind = k; return a } }
func why(text string) change   { return func(a ask.Ask) ask.Ask { a.Why = text; return a } }
func about(text string) change { return func(a ask.Ask) ask.Ask { a.Part = text; return a } }
func does(text string) change {
	return func(a ask.Ask) ask.Ask { a.Does = text; return a }
}
func purpose(text string) change {
	return func(a ask.Ask) ask.Ask { a.Says = text; return a }
}
func in(dir string) change { return func(a ask.Ask) ask.Ask { a.Cwd = dir; return a } }
func agent(kind string) change {
	return func(a ask.Ask) ask.Ask { a.Agent, a.AgentType = "1", kind; return a }
}
func step(s ask.Step) change {
	return func(a ask.Ask) ask.Ask {
		return must(s(a, ask.Decision{By: "Ann", Channel: "telegram", At: later}))
	}
}

// reasonsFor adds the person's prompt and the model's last line to a card.
func reasonsFor(asked, said string) change {
	return func(a ask.Ask) ask.Ask {
		a.Asked, a.Said = asked, said
		return a
	}
}

// beyond offers a mode or a directory as *Always*.
func beyond(words string) change {
	return func(a ask.Ask) ask.Ask {
		a.Offer = &ask.Offer{Always: words, Echo: []int{0}, Beyond: true}
		return a
	}
}

func offers(always string, rules ...string) change {
	return func(a ask.Ask) ask.Ask {
		a.Offer = &ask.Offer{Always: always}
		for _, text := range rules {
			a.Offer.Rules = append(a.Offer.Rules, grant.Rule{Tool: "Bash", Text: text})
		}
		return a
	}
}

func yes(scope ask.Scope) change {
	return func(a ask.Ask) ask.Ask {
		d := ask.Decision{Allow: true, By: "Ann", Channel: "telegram", Scope: scope, At: later}
		if a.Kind == ask.CheckIn {
			d = d.ForCheckIn("")
		}
		return must(ask.Answer(a, d))
	}
}

func no(words string) change {
	return func(a ask.Ask) ask.Ask {
		return must(ask.Answer(a, ask.Decision{By: "Ann", Channel: "telegram", Message: words, At: later}))
	}
}

func ran(ok bool, ms int) change {
	return func(a ask.Ask) ask.Ask {
		at := later.Add(time.Second)
		return must(ask.Ran(a, ask.Run{OK: ok, Took: time.Duration(ms) * time.Millisecond, At: at}, at))
	}
}

// snapshot returns the card of a step before which a snapshot was taken.
func snapshot(line, button string) ask.Card {
	return each(of("Bash", `{"command":"git checkout -- ."}`, why("Throws uncommitted changes of files away")),
		yes(ask.Once), take, ran(true, 30),
		func(a ask.Ask) ask.Ask { a.Undo = &ask.Undo{ID: "u", Line: line, Button: button}; return a })
}

func cancel(note string) change {
	return func(a ask.Ask) ask.Ask { return must(ask.Cancel(a, note, later)) }
}

// alone makes the session unattended.
func alone(a ask.Ask) ask.Ask { a.Attended = false; return a }

func take(a ask.Ask) ask.Ask   { return must(ask.Claim(a)) }
func expire(a ask.Ask) ask.Ask { return ask.Tick(a, a.ExpiresAt) }

func must[T any](a T, err error) T {
	if err != nil {
		panic(err) // the row is wrong
	}
	return a
}

// TestCaptures checks what a person sees of each kind of card in each state, as Telegram shows
// it, with its buttons.
func TestCaptures(t *testing.T) {
	t.Parallel()
	r := newStillRig(t)
	l, err := r.ch.newLink(r.api.Token(), r.api.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	r.ann.Say(r.ann.ID, "/start")
	for _, c := range captures {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			card := render(c.card, place{
				name: "shop", token: "shop-a3f8", project: "/home/ann/shop", machine: "laptop", home: "/home/ann",
			})
			sent, err := l.send(t.Context(), room{chat: r.ann.ID}, card)
			if err != nil {
				t.Fatalf("Telegram refuses it: %v\n%s", err, card.html)
			}
			m, _ := r.api.Message(sent.ID)
			if m.Mode != "HTML" {
				t.Errorf("it was sent again without markup: %s", card.html)
			}
			compare(t, c.name, shown(m, card, c.card))
		})
	}
}

// shown returns a message as text: its buttons in brackets, and the file that was sent with
// it.
func shown(m botapi.Message, r rendered, card ask.Card) string {
	var b strings.Builder
	b.WriteString(m.Text + "\n")
	for _, row := range m.Keyboard {
		for i, button := range row {
			if i > 0 {
				b.WriteString(" ")
			}
			b.WriteString("[ " + button.Label + " ]")
		}
		b.WriteString("\n")
	}
	if r.cut {
		name, caption := whole(card.Face())
		b.WriteString("\n📎 " + name + "\n" + caption + "\n")
	}
	return b.String()
}

// lockScreen is how much of a message a phone shows while it is locked, in characters.
const lockScreen = 110

// TestLockScreen: a locked phone shows who wants what, of each kind of card in each state. The wanted texts are what
// each begins with.
func TestLockScreen(t *testing.T) {
	wanted := map[string]string{
		"bash": "❓ shop: npm test -- --watch=false\n", "guard deep": "❓ shop: npm publish --access public\n⚠️ Publishes to others\n",
		"bash several lines": "❓ shop: set -e for f in *.go; do", "edit": "❓ shop: Edit main.go (+3 −1)\n",
		"write new": "❓ shop: Write notes.md (+3)\n", "read": "❓ shop: Read /etc/hosts\n",
		"question": "💬 shop: Which store?\n", "questions": "💬 shop: 2/2 Which port?\n",
		"plan": "📋 shop: Plan: 1. Write the test\n", "elicitation": "🔌 shop: MCP server deployer asks: Before I deploy",
		"check-in": "💬 shop: The tests pass. I changed main.go", "terminal": "⌨️ shop: python3 -c 'print(6*7)'\n",
		"proposal": "🏃 shop: Start a run: bring the dependencies up to date\n", "missed": "⏰ shop: was due when nothing ran\n",
		"wake-up":    "⏰ shop: Wake me when this succeeds: gh run view --exit-status\n",
		"suggestion": "❗️ 💡 shop: Rotate the API keys\n", "checkpoint": "🚩 shop: May I mail them to the customers?\n",
		"auto mode refused": "🚫 shop: sh step.sh\n⚠️ auto mode refused it: ", "allowed ran": "✅ shop: make\n✅ Allowed by Ann",
		"allowed failed": "⚠️ shop: make\n", "denied": "⛔ shop: make\n", "stopped": "⏹ shop: make\n",
		"expired attended": "⌛ shop: make\n", "settled at the terminal": "🖥 shop: make\n", "cancelled": "✖️ shop: make\n",
		"suggestion dismissed": "✖️ shop: Rotate the API keys\n", "parked": "❓ shop: make\n",
		"hostile": "❓ shop: echo safe ⟨U+202E⟩#",
	}
	at := place{name: "shop", token: "shop-a3f8", project: "/home/ann/shop", machine: "laptop", home: "/home/ann"}
	for _, c := range captures {
		seen := []rune(plain(render(c.card, at).html))
		screen := string(seen[:min(len(seen), lockScreen)])
		if want := wanted[c.name]; !strings.HasPrefix(screen, want) {
			t.Errorf("%s: a locked phone shows\n%s\nwant %q first", c.name, screen, want)
		}
		delete(wanted, c.name)
		request := strings.TrimRight(beginning(oneLine(c.card.Face().Request(at.near))), " ")
		if !strings.Contains(screen, "shop: "+request) {
			t.Errorf("%s: a locked phone does not show %q:\n%s", c.name, request, screen)
		}
	}
	for name := range wanted {
		t.Errorf("there is no capture %q", name)
	}
}

func compare(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "cards", strings.NewReplacer(", ", "-", " ", "-", "'", "").Replace(name)+".txt")
	if *rewrite {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

// TestEveryCaptureIsShown checks that no file is left from a row that was deleted.
func TestEveryCaptureIsShown(t *testing.T) {
	t.Parallel()
	files, err := os.ReadDir(filepath.Join("testdata", "cards"))
	if err != nil || len(files) != len(captures)+len(fleetFrom()) {
		t.Errorf("%d files for %d captures, %v", len(files), len(captures), err)
	}
}
