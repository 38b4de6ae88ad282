package page_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
)

var now = time.Date(2026, 11, 23, 14, 5, 9, 0, time.UTC)

// ms is the time d before now, as the wire has it.
func ms(d time.Duration) int64 { return now.Add(-d).UnixMilli() }

// full are views of a busy day.
func full() map[string]page.View {
	views := map[string]page.View{
		"now":         fullNow(),
		"sessions":    fullSessions(),
		"session":     fullSession(),
		"runs":        page.Runs{List: runs(), Home: home, Start: runForm()},
		"inbox":       fullInbox(),
		"inbox-find":  foundInbox(),
		"tasks":       page.Tasks{List: tasks(), Tabs: page.Tabs{Suggestions: 3}, Home: home},
		"suggestions": suggestions(),
		"gaps":        gaps(),
		"triggers":    page.Triggers{List: listOf(view.Triggers, triggers(), view.Trigger), Firings: firings()},
		"trigger":     fullTrigger(),
		"modules":     fullModules(),
		"module":      fullModule(),
		"module-held": heldModule(),
		"module-look": page.ModuleEnable(heldModule()),
		"memory":      fullMemory(),
		"memory-find": page.Memory{Find: "Who decided about the servers?", Found: found(), Home: home},
		"fact":        fullFact(),
		"fact-odd":    oddFact(),
		"fact-edit":   page.FactEdit(fullFact()),
		"journal":     fullJournal(),
		"task":        fullTask(),
		"task-odd":    oddTask(),
		"task-edit":   page.TaskEdit{Task: fullTask().Task, Files: fullTask().Files, Home: home},
		"run":         fullRun(),
		"run-idle":    idleRun(),
		"run-bad":     failedRun(),
		"event":       page.RunEvent{Name: "deps-2b1c", Event: runEvents()[5], Home: home},
		"loops":       fullLoops(),
		"questions":   fullQuestions(),
		"question":    page.Question{Card: cards()[0], Home: home},
		"plan":        page.Question{Card: cards()[4], Home: home},
		"settled":     page.Question{Card: settled(), Home: home},
		"guard":       fullGuard(),
		"report":      fullReport(),
		"settings":    fullSettings(),
		"signin":      page.SignIn{Trouble: "This link was used or has expired; `afar open` makes a new one"},
		"message":     page.Message{Title: "Not found", Text: "There is no session named web-9f00."},
	}
	maps.Copy(views, fleetViews())
	return views
}

// empty are the views of a first day.
func empty() map[string]page.View {
	return map[string]page.View{
		"now":         page.Now{Status: wire.StatusReply{Settings: wire.Settings{Away: "auto"}}},
		"sessions":    page.Sessions{},
		"session":     page.Session{Session: wire.Session{Token: "api-1a2b", State: "idle", Since: ms(time.Minute)}},
		"runs":        page.Runs{Start: runForm(), Home: home},
		"inbox":       page.Inbox{List: page.List{Noun: view.Texts}},
		"inbox-find":  page.Inbox{List: page.List{Noun: view.Texts}, Find: "nothing"},
		"tasks":       page.Tasks{},
		"triggers":    page.Triggers{List: page.List{Noun: view.Triggers}},
		"modules":     page.List{Noun: view.Modules},
		"suggestions": page.List{Noun: view.Suggestions},
		"gaps":        page.List{Noun: view.Gaps},
		"archive":     page.Tasks{Archived: true},
		"memory":      page.Memory{},
		"memory-find": page.Memory{Find: "nothing"},
		"put-away":    page.Memory{Archived: true},
		"journal":     page.Journal{},
		"task": page.Task{Task: wire.Task{ID: "new", Title: "new", Dir: home + "/afar/tasks/new",
			Proposed: true}},
		"run":       page.Run{Run: wire.Run{Name: "shop-1a2b", State: "starting", Since: ms(time.Second), Turns: 0}},
		"loops":     page.Loops{},
		"questions": page.Questions{},
		"question":  page.Question{Card: page.Card{Asks: []wire.Ask{{ID: "a1", Token: "api-1a2b", Tool: "Bash"}}}},
		"guard":     page.Guard{},
		"report": page.Report{
			Since:  "8h",
			Spans:  spans,
			Report: wire.ReportReply{Since: ms(8 * time.Hour), Until: ms(0)},
		},
		"settings": page.Settings{},
		"signin":   page.SignIn{Reload: true},
	}
}

var spans = []string{"8h", "24h", "168h"}

const home = "/home/maria"

func frame() page.Frame {
	return page.Frame{
		Machine: "workstation", Path: "/", Seq: 4711, SignedIn: true, Said: &page.Said{Text: "Allowed."},
		Pulse: page.Pulse{Open: 5, News: []page.News{
			{Key: "ask:7f3a", Title: "shop-1a2b wants to run a command", Text: "rm -rf node_modules", Path: "/question/7f3a"},
		}},
	}
}

func ask(id, kind, token, tool, input string, age time.Duration) wire.Ask {
	request := strings.TrimPrefix(tool+" "+input, "Bash ")
	if kind != "permission" && kind != "guard" {
		request = input
	}
	return wire.Ask{
		ID: id, Short: id[:4], Kind: kind, State: "open", Session: "s-" + token, Token: token,
		Project: home + "/work/" + token[:len(token)-5], Tool: tool, Input: input, Hash: "3f9ab2c4d5e6f708",
		Request: request,
		AskedBy: "the main agent", OpenedAt: ms(age), ExpiresAt: ms(-16 * time.Minute),
	}
}

// planText is a plan as models write them.
const planText = `# Sessions in Redis

Sessions live in memory, so **every restart** signs all users out. Move them to Redis, one step at a time:

1. Move the session store behind an interface, ` + "`session.Store`" + `.
2. Add a Redis implementation.
   - keys expire after 30 days
   - a lost connection is an *error*, not an empty session
3. Switch it on by a flag, off by default.

## Proof

` + "```sh" + `
go test ./session/... -race && ./bench --store=redis
` + "```" + `

| store | p95 | after a restart |
|---|---|---|
| memory | 0.1 ms | signed out |
| Redis | 0.8 ms | signed in |

> Open question: which eviction policy?
See [the notes](https://redis.example/docs/eviction).
`

func cards() []page.Card {
	guarded := ask(
		"7f3ac1d2",
		"guard",
		"shop-1a2b",
		"Bash",
		"cd packages/cart && git stash drop stash@{0} && rm -rf \"$BUILD_DIR\"/cache # stale since Monday",
		2*time.Minute,
	)
	guarded.Asked = "the build is broken on main, fix it"
	guarded.Said = "The cache still holds the old lockfile, so I clear it."
	guarded.Why = "It drops a stash and deletes a tree whose place is not known before it runs."
	guarded.Does, guarded.Says = "delete stash@{0}; delete the tree $BUILD_DIR/cache", "Clear the stale build cache"

	edit := ask(
		"9b21ffa0",
		"permission",
		"docs-77c0",
		"Edit",
		"docs/install.md\n@@ -12,7 +12,8 @@\n Install with one line:\n \n"+
			"-    curl -fsSL https://old.example/install | sh\n"+
			"+    ./install.sh\n+    afar open\n \n Then start `claude` in a project.",
		7*time.Minute,
	)
	edit.Request = "Edit docs/install.md (+2 −1)"
	edit.ForSession, edit.ForAlways = "edits below docs/", "Edit(docs/**)"
	edit.Asked = "bring the install page up to date"

	question := ask("c0ffee12", "question", "infra-4d5e", "AskUserQuestion", "", 21*time.Minute)
	question.Questions = []wire.Question{
		{Text: "Which environment?", Answer: "staging"},
		{Text: "Which database should the new service use?", Options: []wire.Option{
			{Label: "PostgreSQL", Description: "what the other services use"},
			{Label: "SQLite", Description: "one file, no server"}, {Label: "Decide later"},
		}},
		{Text: "Which regions?", Multi: true, Options: []wire.Option{{Label: "eu-central"}, {Label: "us-east"}}},
	}
	question.Current, question.Request = 1, question.Questions[1].Text

	plan := ask("d00dfeed", "plan", "web-9e1f", "ExitPlanMode",
		planText, 34*time.Minute)
	plan.Request = "Plan: Sessions in Redis"

	stopped := ask("e1e2e3e4", "check-in", "api-0b1c", "", "All 214 tests are green and the branch is pushed. "+
		"The migration needs a decision: shall I drop the column `legacy_id` now, or in the next release?",
		52*time.Minute)

	multi := question
	multi.Questions = slices.Clone(question.Questions)
	multi.Questions[1].Answer, multi.Request = "PostgreSQL", multi.Questions[2].Text
	multi.ID, multi.Token, multi.Current, multi.OpenedAt = "facade01", "edge-2f3a", 2, ms(3*time.Minute)

	missed := ask("0dd1e5aa", "missed", "none-0000", "morning",
		"Look at the failed builds of last night and send me what I must know.\n\n"+
			"Say first what is broken on main.", 4*time.Minute)
	missed.Session, missed.Token, missed.Project, missed.AskedBy = "", "", "", ""
	missed.Request = "Trigger morning was due and did not run"
	missed.Does = "start a run with this, as was due on 22 November at 07:00"

	woken := ask("0dd1e5bb", "wake-up", "shop-1a2b", "Bash",
		"gh run view 4711 --json status --jq .status | grep -qx completed", 5*time.Minute)
	woken.Does = "run it every 2m without asking again, until 23 November at 18:00 at the latest"
	woken.Says = "Look at the build of the release branch, and deploy it if it is green."
	woken.Why = "It reaches another machine: api.github.com"

	return []page.Card{
		{Asks: []wire.Ask{guarded}},
		{Asks: []wire.Ask{edit, edit}},
		{Asks: []wire.Ask{question}},
		{Asks: []wire.Ask{multi}},
		{Asks: []wire.Ask{plan}},
		{Asks: []wire.Ask{stopped}},
		{Asks: []wire.Ask{missed}},
		{Asks: []wire.Ask{woken}},
	}
}

func settled() page.Card {
	q := ask("7f3ac1d2", "permission", "shop-1a2b", "Bash", "git reset --hard origin/main", 9*time.Minute)
	q.State, q.Allow, q.By, q.Channel, q.Outcome = "delivered", true, "maria", "web", "ran, ok"
	return page.Card{
		Asks: []wire.Ask{q}, Ended: []string{"Allowed by maria at 14:01 · ran, ok"},
		Undo: &wire.Undo{
			ID: "u1", State: "ready", Token: q.Token, Tool: "Bash", Input: q.Input, Holds: "3 files, 12 kB",
			TakenAt: ms(9 * time.Minute),
			EndsAt:  ms(-23 * time.Hour), RanAt: ms(8 * time.Minute),
		},
	}
}

// sessions are twenty sessions in all their states.
func sessions() (out []wire.Session) {
	names := []string{
		"shop-1a2b", "docs-77c0", "infra-4d5e", "web-9e1f", "api-0b1c", "edge-2f3a", "auth-b7c8", "cart-55aa",
		"mail-10ff", "etl-8d9e", "ios-3c4d", "cli-aa01", "sdk-bb02", "ml-cc03", "ops-dd04", "lab-ee05", "blog-ff06",
		"old-1007", "tmp-2008", "rig-3009",
	}
	states := []string{
		"waiting",
		"waiting",
		"waiting",
		"waiting",
		"idle",
		"working",
		"working",
		"working",
		"working",
		"working",
	}
	about := []string{
		"The build is broken on main, fix it", "Bring the install page up to date", "Set up the new service on staging",
		"Put the session store behind an interface", "Make the test suite green and push",
		"Speed up the image pipeline", "Rotate the signing keys without downtime",
		"Find out why carts of guests are lost",
	}
	doing := []string{
		"Bash go test ./internal/cart/...", "Edit internal/store/session.go", "Grep \"func.*Rotate\"",
		"Bash npm run build", "Read docs/architecture.md",
	}
	for i, name := range names {
		s := wire.Session{
			ID: "s-" + name, Token: name, Project: home + "/work/" + name[:len(name)-5],
			Mode:  []string{"auto", "acceptEdits", "default"}[i%3],
			State: "idle", Since: ms(time.Duration(3+7*i) * time.Minute), Attended: i%4 != 3, Protected: true,
			About: about[i%len(about)], Model: []string{"claude-opus-4-8", "claude-sonnet-5"}[i%2],
			Context: int64(9_300 + 17_911*(i%9)),
		}
		if i < len(states) {
			s.State = states[i]
		}
		if i == 17 {
			s.State = "unprotected"
		}
		if i%3 == 0 {
			s.Todos = &wire.Todos{Done: i % 5, Total: 5}
		}
		s.SpentUSD = 0.31 * float64(i%7)
		if s.State == "working" {
			s.Running, s.RunningSince = doing[i%len(doing)], ms(time.Duration(4+13*i)*time.Second)
		}
		out = append(out, s)
	}
	return out
}

func loops() []wire.Loop {
	return []wire.Loop{
		{
			ID: "edge-2f3a", Session: "s-edge-2f3a", Active: true, UpdatedAt: ms(40 * time.Second),
			Stack: []wire.Frame{{
				ID: "f1", Mode: "check", Goal: "Speed up the image pipeline until the benchmark is below 80 ms",
				N: 4, Max: 10,
				StartedAt: ms(
					71 * time.Minute,
				), Check: "go test -run Bench ./pipeline", Checked: "red: 93 ms, want 80 ms",
				Tokens: 1_284_000, USD: 3.87,
			}},
		},
		{
			ID: "auth-b7c8", Session: "s-auth-b7c8", Active: true, UpdatedAt: ms(3 * time.Minute), Stack: []wire.Frame{
				{
					ID:        "f2",
					Mode:      "issue",
					Goal:      "Work through the issues of auth",
					N:         5,
					StartedAt: ms(5 * time.Hour),
					Issue: &wire.LoopIssue{
						Repo: home + "/work/auth", Phase: "reviewing", ID: "31", Title: "Rotate the signing keys",
						Landed: 3, Left: 1,
						Review: "approved: the old key stays valid until its tokens expire",
					},
					Worktree: home + "/work/.auth-31",
					Branch:   "afar/31",
					Base:     "main",
				},
			},
		},
		{
			ID: "api-0b1c", Session: "s-api-0b1c", Verdict: "done", Proven: true, Evidence: "proven",
			UpdatedAt: ms(52 * time.Minute),
			Stack: []wire.Frame{
				{
					ID:        "f3",
					Mode:      "check",
					Goal:      "Make the test suite green",
					N:         6,
					Max:       10,
					StartedAt: ms(3 * time.Hour),
					Check:     "make test",
					Checked:   "green: 214 tests",
					Tokens:    803_000,
					USD:       2.1,
				},
			},
		},
		{
			ID: "ml-cc03", Session: "s-ml-cc03", Verdict: "stuck", Evidence: "nothing landed",
			UpdatedAt: ms(4 * time.Hour),
			Note:      "three iterations without a change",
			Stack: []wire.Frame{{ID: "f4", Mode: "claim", Goal: "Cut the training time in half",
				N: 5, Max: 5, StartedAt: ms(9 * time.Hour)}},
		},
	}
}

func entry(kind, token, text string, age time.Duration) wire.Entry {
	return wire.Entry{
		Seq:     1,
		At:      ms(age),
		Kind:    kind,
		Session: "s-" + token,
		Token:   token,
		Subject: "7f3ac1d2",
		Text:    text,
	}
}

func news() []wire.Entry {
	return []wire.Entry{
		entry("issue.landed", "auth-b7c8", "auth-b7c8: issue 30 landed on main as 9c1f22e", 11*time.Minute),
		entry(
			"ask.answered",
			"cart-55aa",
			"cart-55aa: Bash npm test (sha256 77aa01bc): allowed by maria on telegram",
			26*time.Minute,
		),
		entry(
			"guard.denied",
			"ops-dd04",
			"guard: deny Bash (force-push): git push --force origin main",
			38*time.Minute,
		),
		entry(
			"loop.ended",
			"api-0b1c",
			"api-0b1c: loop ended: done (proven) after 6 iterations: Make the test suite green",
			52*time.Minute,
		),
		entry("undo.restored", "lab-ee05", "lab-ee05: undone by maria: 3 files are back", 2*time.Hour),
		entry("session.unprotected", "old-1007", "old-1007: no hook of ours ran", 3*time.Hour),
		entry("told", "ml-cc03", "🔁 ml-cc03: loop ended: stuck (nothing landed)", 26*time.Hour),
	}
}

func status() wire.StatusReply {
	return wire.StatusReply{
		Coordinator: wire.Coordinator{PID: 4242, Version: "0.6.0", Since: ms(31 * time.Hour)},
		Guard:       wire.Guard{Grade: "locked"},
		Settings:    wire.Settings{Away: "auto"},
		Channels: []wire.Channel{
			{
				ID:    "telegram",
				State: "ready",
				Note:  "@maria_afar_bot",
			}, {ID: "web", State: "ready", Note: "http://127.0.0.1:7357"},
		},
		Loops: loops(),
	}
}

func fullNow() page.Now {
	some := running()
	some.Part.Sessions = some.Part.Sessions[:12]
	rtl := ask("deed0a11", "permission", "lab-ee05", "Bash", "echo 'שלום עולם' > ./ברכה.txt", time.Minute)
	over := settled()
	over.Asks[0].ID, over.Asks[0].Request = "7f3a0ld0", "git reset --hard origin/main"
	return page.Now{
		Status: status(), Cards: append(cards(), page.Card{Asks: []wire.Ask{rtl}}, over), Runs: runs()[:3],
		Sessions: some, News: news(), Ended: reported()[:3], Home: home,
	}
}

// running are the sessions in the order in which the server lists them.
func running() page.Running {
	all, asks := sessions(), map[string]int{}
	for _, c := range cards() {
		for _, a := range c.Asks {
			asks[a.Session]++
		}
	}
	order := map[string]int{"unprotected": 3, "waiting": 2, "working": 1}
	urgency := func(s wire.Session) int { return max(order[s.State], min(2, 2*asks[s.ID])) }
	slices.SortStableFunc(all, func(a, b wire.Session) int { return urgency(b) - urgency(a) })
	return page.Running{Part: wire.SessionsReply{Sessions: all, All: len(all)}, Most: 60, Asks: asks, Loops: loops()}
}

// fullSessions is the second of three parts.
func fullSessions() page.Sessions {
	part := running()
	part.Part.All, part.From, part.Most = 60, 20, 20
	return page.Sessions{Running: part, Home: home}
}

func fullSession() page.Session {
	s := sessions()[5]
	var steps []wire.Step
	for i := range 12 {
		steps = append(steps, wire.Step{
			At: ms(time.Duration(20+50*i) * time.Second), Tool: []string{"Bash", "Edit", "Read"}[i%3],
			Input:  []string{"go test -bench . ./pipeline", "pipeline/resize.go", "docs/pipeline.md"}[i%3],
			TookMS: []int64{41_300, 18, 4}[i%3], Outcome: []string{"ok", "ok", "failed", "ok"}[i%4],
		})
	}
	steps[0].Outcome, steps[0].TookMS = "", 0
	steps = append(
		steps,
		wire.Step{At: ms(70 * time.Minute), Tool: page.ToolPrompt, Input: "Speed up the image pipeline"},
	)
	return page.Session{
		Session: s, Loop: &loops()[0], Cards: cards()[3:4], Steps: steps, Home: home,
		Entries: []wire.Entry{
			entry("loop.checked", s.Token, s.Token+": red: 93 ms, want 80 ms", 95*time.Second),
			entry("ask.delivered", s.Token, s.Token+": says only what the answer says", 100*time.Second),
			entry(
				"ask.answered",
				s.Token,
				s.Token+": Bash go test -bench . (sha256 77aa01bc): allowed by maria on telegram",
				4*time.Minute,
			),
			entry(
				"guard.denied",
				s.Token,
				"guard: deny Bash (delete-tree): rm -rf / --no-preserve-root",
				9*time.Minute,
			),
			entry("loop.started", s.Token, s.Token+": loop 1/10: Speed up the image pipeline", 70*time.Minute),
			entry("session.started", s.Token, "session "+s.Token+" started", 71*time.Minute),
		},
		Grants: []wire.Grant{
			{
				ID:        "g1",
				Token:     s.Token,
				Permits:   []string{"go test ./...", "go vet ./..."},
				By:        "maria",
				Channel:   "telegram",
				At:        ms(time.Hour),
				ExpiresAt: ms(-7 * time.Hour),
			},
			{
				ID:        "g2",
				Token:     s.Token,
				Permits:   []string{"edits below pipeline/"},
				By:        "maria",
				Channel:   "web",
				At:        ms(3 * time.Hour),
				ExpiresAt: ms(-time.Hour),
				EndedAt:   ms(20 * time.Minute),
				How:       "revoked by maria",
			},
		},
		Undos:   undos()[:1],
		Further: page.Further{Earlier: "/session/" + s.Token + "?before=400"},
	}
}

func fullLoops() page.Loops {
	return page.Loops{
		Loops: loops(), Home: home,
		Issues: []page.IssueList{
			{Issues: wire.Issues{Tracker: "files", Top: home + "/work/auth", Issues: []wire.Issue{
				{ID: "31", Title: "Rotate the signing keys", Status: "in_progress", Priority: 1},
				{ID: "32", Title: "Refuse tokens from the future", Status: "open", Priority: 2, Waits: []string{"31"}},
				{ID: "33", Title: "Log the key id of each refusal", Status: "open", Priority: 3},
				{ID: "28", Title: "Support hardware keys", Status: "paused", Priority: 3},
				{ID: "30", Title: "Tell expired and unknown tokens apart", Status: "closed", Priority: 1},
			}}},
			{
				Issues:  wire.Issues{Tracker: "gh", Top: home + "/work/web"},
				Trouble: "gh: not signed in; type: gh auth login",
			},
		},
		Reviews: []wire.Entry{
			entry("issue.landed", "auth-b7c8", "auth-b7c8: issue 30 landed on main as 9c1f22e", 11*time.Minute),
			entry("review.made", "auth-b7c8", "auth-b7c8: issue 31, commit 4be81aa: approved", 13*time.Minute),
			entry("issue.paused", "auth-b7c8", "auth-b7c8: issue 28 paused: the hardware is not here", 2*time.Hour),
		},
	}
}

func reported() (out []wire.ReportedAsk) {
	for i := range 14 {
		q := ask(
			fmt.Sprintf("%04dbeef", i),
			"permission",
			[]string{"shop-1a2b", "docs-77c0", "infra-4d5e"}[i%3],
			[]string{"Bash", "Edit"}[i%2],
			[]string{"npm publish --dry-run", "src/checkout.ts", "terraform plan -out=plan"}[i%3],
			time.Duration(13+31*i)*time.Minute,
		)
		q.State, q.Allow, q.By, q.Channel = "delivered", i%5 != 2, "maria", []string{"telegram", "web"}[i%2]
		r := wire.ReportedAsk{Ask: q, WaitedMS: int64(20_000 + 97_000*((i*7)%11)), How: "allowed by maria"}
		switch {
		case !q.Allow:
			r.How = "denied by maria: “use the staging account”"
		case i == 6:
			r.By, r.Channel, r.State, r.How = "", "", "withdrawn", "answered at the terminal"
		case i == 0:
			r.By, r.Channel, r.State, r.How = "", "", "open", ""
		default:
			r.Outcome = "ran, ok"
		}
		out = append(out, r)
	}
	return out
}

func fullQuestions() page.Questions {
	return page.Questions{
		Cards: cards()[:2], Past: reported(), Further: page.Further{Earlier: "/questions?before=100"}, Home: home,
	}
}

func undos() []wire.Undo {
	return []wire.Undo{
		{
			ID: "u-7f3a", State: "ready", Token: "edge-2f3a", Project: home + "/work/edge", Tool: "Bash",
			Input: "git clean -fdx",
			Holds: "14 files, 212 kB", Files: 14, TakenAt: ms(12 * time.Minute), RanAt: ms(12 * time.Minute),
			EndsAt: ms(-23 * time.Hour),
		},
		{
			ID: "u-8c10", State: "ready", Token: "shop-1a2b", Project: home + "/work/shop", Tool: "Bash",
			Input: "git reset --hard HEAD~2",
			Holds: "3 files, 12 kB; branch feature/cart", TakenAt: ms(3 * time.Hour), RanAt: ms(3 * time.Hour),
			EndsAt: ms(-21 * time.Hour),
			Newer:  []string{"src/cart.ts", "src/total.ts"},
			Notes:  []string{"not undone: newer work would be overwritten: src/cart.ts, src/total.ts"},
		},
		{
			ID: "u-9d20", State: "restored", Token: "lab-ee05", Project: home + "/work/lab", Tool: "Bash",
			Input: "rm -r notebooks/old",
			Holds: "3 files, 88 kB", TakenAt: ms(5 * time.Hour), RanAt: ms(5 * time.Hour), EndsAt: ms(-19 * time.Hour),
			By:  "maria",
			Did: "3 files are back", UndoneAt: ms(2 * time.Hour), Notes: []string{"undone by maria: 3 files are back"},
		},
	}
}

func fullGuard() page.Guard {
	return page.Guard{
		Guard: wire.Guard{Grade: "locked", Why: "The policy is owned by root, and no session runs as root."},
		Denied: []wire.Entry{
			entry(
				"guard.denied",
				"edge-2f3a",
				"guard: deny Bash (delete-tree): rm -rf / --no-preserve-root",
				9*time.Minute,
			),
			entry("guard.denied", "ops-dd04", "guard: deny Bash (force-push): git push --force origin main · in: "+
				"git fetch && git rebase main && git push --force origin main", 38*time.Minute),
			entry(
				"guard.denied",
				"lab-ee05",
				"guard: deny WebFetch (own-page): http://127.0.0.1:7357/ask/7f3a",
				5*time.Hour,
			),
		},
		Spoke: []wire.Entry{
			entry("guard.spoke", "shop-1a2b", "guard: ask Bash (stash-drop): git stash drop stash@{0}", 2*time.Minute),
		},
		Past: []wire.Entry{
			entry(
				"guard.overridden",
				"old-1007",
				"old-1007: a call that the guard denied ran: Bash git push --force",
				3*time.Hour,
			),
		},
		Undos:   undos(),
		Command: "rm -rf \"$HOME\"/work",
		Explain: "denied: it deletes a tree of your home (delete-home)\n\nrm -rf \"$HOME\"/work\n" +
			"└─ delete tree  /home/maria/work\n",
		Home: home,
	}
}

func fullReport() page.Report {
	var spent []page.Spent
	for i := range 30 {
		spent = append(
			spent,
			page.Spent{At: ms(time.Duration(8*60-16*i) * time.Minute), USD: 0.1 + 0.07*float64((i*5)%9)},
		)
	}
	n := news()
	return page.Report{
		Since: "8h", Spans: spans, Cost: spent, Home: home,
		Report: wire.ReportReply{
			Since: ms(
				8 * time.Hour,
			), Until: ms(0), Asks: reported(),
			Counts: map[string]int{"guard.denied": 3, "session.started": 12, "grant.given": 4},
			Runs: []wire.Run{
				{Name: "night-4033", State: "failed", About: "night: back up the shop", Why: "it fails to start: not signed in"},
				{Name: "deps", State: "idle", About: "bring the dependencies up to date", Result: "zod 3.22 → 3.24, all green."},
			},
			Ended: []wire.Loop{{
				ID: "shop-1a2b", Verdict: "done", Evidence: "proven", Stack: []wire.Frame{{Goal: "make the tests pass"}},
			}},
			Loops: n[3:4], Issues: n[:1], Denied: fullGuard().Denied, Overridden: fullGuard().Past,
			Refused: []wire.Entry{
				entry("refused", "", "afar allow from inside session shop-1a2b was refused", 4*time.Hour),
			},
		},
	}
}

func fullSettings() page.Settings {
	return page.Settings{
		Settings: []page.Setting{
			{"config", home + "/.config/afar/config.toml", "default"}, {"workspace", home + "/afar", "default"},
			{
				"away",
				"auto",
				"config.toml",
			}, {"asks.grace", "20s", "default"}, {"quiet.from", "22:00", "config.toml"}, {"quiet.to", "07:30", "config.toml"},
			{"report.daily", "none", "default"}, {"asks.unattended", "9h", "config.toml"},
			{"escalation.after", "never", "default"}, {"loop.day_budget", "$25.00", "config.toml"},
			{"runs.day_budget", "no limit", "default"}, {"answers_from", "telegram, web", "config.toml"},
			{"web.addr", "127.0.0.1:7357", "default"}, {"web.hosts", "workstation.tail1234.ts.net", "config.toml"},
			{"escalation.command", "notify-send Afar \"$AFAR_TEXT\"", "config.toml"},
		},
		Quick: []page.Field{
			{Key: "quiet.from", Label: "Quiet hours from", Value: "22:00"},
			{Key: "quiet.to", Label: "Quiet hours until", Value: "07:30"},
			{Key: "report.daily", Label: "Morning message at", Usual: "none"},
			{Key: "escalation.after", Label: "Remind me of a question after", Usual: "never"},
			{Key: "asks.grace", Label: "A question goes to the phone after", Usual: "20s"},
			{Key: "asks.unattended", Label: "With nobody at the terminal, a question waits for", Value: "9h"},
			{Key: "loop.day_budget", Label: "Loops may spend a day, in US dollars", Value: "25.00"},
			{Key: "runs.day_budget", Label: "Runs may spend a day, in US dollars", Usual: "no limit"},
		},
		Channels: status().Channels,
		Telegram: wire.TelegramReply{Connected: true, Bot: "maria_afar_bot"},
		Pairing:  &wire.TelegramPairReply{Code: "482913", Bot: "maria_afar_bot", ExpiresAt: ms(-9 * time.Minute)},
		Browsers: []page.Browser{
			{
				ID:      "b1",
				Name:    "Mozilla/5.0 (X11; Linux x86_64; rv:146.0) Gecko/20100101 Firefox/146.0",
				Since:   ms(3 * 24 * time.Hour),
				Seen:    ms(4 * time.Second),
				Expires: ms(-27 * 24 * time.Hour),
				Own:     true,
			},
			{
				ID:      "b2",
				Name:    "Safari 27 on iPhone",
				Since:   ms(26 * time.Hour),
				Seen:    ms(2 * time.Hour),
				Expires: ms(-29 * 24 * time.Hour),
			},
		},
		Checks: []wire.Check{
			{ID: "binaries", State: "ok", Text: "15 programs of version 0.6.0"},
			{ID: "coordinator", State: "ok", Text: "runs since 31h, pid 4242"},
			{ID: "guard", State: "ok", Text: "locked"},
			{ID: "login", State: "off", Text: "not started at login", Fix: "afar service install"},
			{ID: "claude", State: "bad", Text: "claude 2.1.196 is older than 2.1.197", Fix: "claude update"},
		},
		Home: home,
	}
}
