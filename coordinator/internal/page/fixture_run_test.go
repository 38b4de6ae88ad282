package page_test

import (
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
)

// aRun returns a run that has worked for a while.
func aRun(name, state string, since time.Duration) wire.Run {
	return wire.Run{
		ID: "run_" + name, Name: name, Agent: "claude", State: state, Since: ms(since), Dir: home + "/work/shop",
		Mode:         "auto",
		Conversation: "s-" + name, Turns: 2, StartedAt: ms(since + time.Hour), CostUSD: 1.28, Tokens: 214_000,
		By: "maria at the terminal", Events: 40,
	}
}

// runs are runs in all states, in the order of the server.
func runs() []page.RunRow {
	waiting, failed := aRun("deps-2b1c", "waiting", 4*time.Minute), aRun("nightly", "failed", 6*time.Hour)
	waiting.Ask, waiting.LastText = "7f3ac1d2", "Two packages have a new major version. I try them one at a time."
	failed.Why = "it fails to start: no key for you; run `claude login` in a terminal"
	failed.Turns, failed.CostUSD, failed.Tokens = 0, 0, 0
	working, starting := aRun("fix-flaky-tests", "working", 90*time.Second), aRun("docs", "starting", 2*time.Second)
	working.Doing, working.DoingSince = "Bash go test -count=20 ./internal/cart/...", ms(41*time.Second)
	working.LastText = "The test fails when two carts share a clock. I run it twenty times."
	working.Model = "claude-sonnet-5"
	queued, taken := aRun("screens", "queued", time.Minute), aRun("refactor-9a00", "taken", 12*time.Minute)
	queued.Waiting, taken.HeldBy = 1, "maria"
	idle := aRun("release-notes", "idle", 2*time.Hour)
	idle.About = "Write the release notes of 2.0"
	done := aRun("count", "done", 26*time.Hour)
	stopped := aRun("big", "stopped", 30*time.Hour)
	idle.Result, done.Result = "The notes are in CHANGELOG.md. 14 entries, two of them breaking.", "412 files"
	stopped.Why = "stopped by maria"
	var rows []page.RunRow
	for _, r := range []wire.Run{waiting, failed, working, starting, queued, taken, idle, done, stopped} {
		rows = append(rows, page.RunRow{Run: r})
	}
	q := ask("7f3ac1d2", "permission", "deps-2b1c", "Bash", "npm install --save-exact vite@8.0.1", 4*time.Minute)
	q.Run, q.Session = "deps-2b1c", "s-deps-2b1c"
	rows[0].Asks = []wire.Ask{q}
	return rows
}

func runForm() page.RunForm {
	return page.RunForm{
		Key: "K3Y", Agent: "claude", Agents: []string{"claude", "codex", "gemini"}, Mode: "auto",
		Modes: []string{"auto", "acceptEdits", "manual", "plan"}, Dirs: []string{home + "/work/shop", "/srv/edge"},
	}
}

// runEvents are what an agent did in two turns, oldest first.
func runEvents() (out []wire.RunEvent) {
	at := 31 * time.Minute
	add := func(turn int64, e wire.RunEvent) {
		at -= 37 * time.Second
		e.N, e.Turn, e.At = int64(len(out)+1), turn, ms(at)
		out = append(out, e)
	}
	call := func(turn int64, id, tool, said, output string, failed bool) {
		add(turn, wire.RunEvent{Kind: "tool_start", Tool: tool, Call: id, Text: `{"x":1}`, Said: said})
		add(turn, wire.RunEvent{Kind: "tool_result", Call: id, Text: output, Failed: failed})
	}
	add(1, wire.RunEvent{Kind: "init", Text: "claude-sonnet-5, mode auto, Claude Code 2.1.330"})
	add(1, wire.RunEvent{Kind: "thinking", Text: "The lockfile is from March. First look at what is outdated."})
	call(1, "t1", "Bash", "npm outdated", "Package  Current  Wanted  Latest\nvite     7.1.0    7.1.4   8.0.1\n"+
		"react    19.1.0   19.1.1  19.2.0", false)
	add(1, wire.RunEvent{
		Kind: "text",
		Text: "Two packages have a new **major** version:\n\n- `vite` 7 → 8\n- `react` 19.1 → 19.2\n\n" +
			"I try them one at a time.",
	})
	call(1, "t2", "Bash", "npm test", "FAIL  src/cart.test.ts\n"+
		strings.Repeat("  expected 3 items, received 2\n", 120), true)
	call(1, "t3", "Task", "find who uses the old config format",
		"Three files: vite.config.ts, vitest.config.ts, scripts/build.ts", false)
	add(1, wire.RunEvent{Kind: "tool_start", Tool: "Read", Call: "t4", Text: `{}`, Said: "vite.config.ts", Of: "t3"})
	add(1, wire.RunEvent{Kind: "usage"})
	add(1, wire.RunEvent{Kind: "raw", Text: `{"type":"hologram","x":1}`})
	add(1, wire.RunEvent{Kind: "error", Text: "the provider refused and is asked again: overloaded"})
	add(1, wire.RunEvent{Kind: "text", Text: "The tests fail with vite 8. Shall I stay on 7?"})
	add(1, wire.RunEvent{Kind: "result", Text: "The tests fail with vite 8. Shall I stay on 7?"})
	add(2, wire.RunEvent{Kind: "init", Text: "claude-sonnet-5, mode auto, Claude Code 2.1.330"})
	add(2, wire.RunEvent{Kind: "compacting", Text: "the conversation was shortened"})
	call(2, "t5", "Edit", "vite.config.ts\n-  test: {}\n+  test: { environment: 'jsdom' }", "", false)
	add(2, wire.RunEvent{
		Kind: "tool_start", Tool: "Bash", Call: "t6", Text: `{}`, Said: "npm install --save-exact vite@8.0.1",
	})
	return out
}

func fullRun() page.Run {
	row := runs()[0]
	return page.Run{
		Run: row.Run, Cards: []page.Card{{Asks: row.Asks}}, Events: runEvents(), Home: home,
		Texts: []wire.Message{
			{ID: "m1", To: "run:deps-2b1c", State: "done", By: "maria", Words: true, At: ms(32 * time.Minute),
				Text: "Bring the dependencies up to date, and say what breaks."},
			{ID: "m2", To: "run:deps-2b1c", State: "pending", By: "maria", Words: true, At: ms(time.Minute),
				Text: "Leave react alone."},
			{ID: "m3", To: "run:deps-2b1c", State: "done", By: "the program cron", At: ms(11 * time.Minute),
				Text: "no, go on with 8"},
		},
		Further: page.Further{Earlier: "/run/deps-2b1c?before=1"},
	}
}

func failedRun() page.Run {
	return page.Run{Run: runs()[1].Run, Home: home, Closed: "answers count from telegram alone"}
}

func idleRun() page.Run {
	r := page.Run{Run: runs()[6].Run, Home: home, Events: runEvents()[:2]}
	r.Events = append(r.Events, wire.RunEvent{
		N: 3, Turn: 1, Kind: "result", At: ms(20 * time.Minute),
		Text: r.Run.Result + strings.Repeat("\n\nAnother paragraph of it.", 40),
	})
	return r
}

func fullInbox() page.Inbox {
	texts := fullRun().Texts
	texts[2].Channel = "terminal"
	texts = append(texts,
		wire.Message{
			ID:      "m4",
			State:   "unrouted",
			By:      "maria",
			Channel: "telegram",
			Words:   true,
			At:      ms(2 * time.Hour),
			Text:    "go on",
		},
		wire.Message{ID: "m5", To: "session:edge-2f3a", State: "delivered", By: "maria", Channel: "web", Words: true,
			At: ms(3 * time.Hour), Text: "The benchmark must run on the small machine too.\nUse `make bench-small`."},
		wire.Message{
			ID:    "m6",
			To:    "person",
			State: "done",
			By:    "session shop-1a2b",
			At:    ms(5 * time.Hour),
			Text:  "The build is green.",
		})
	for i, outcome := range []string{"was read in turn 2 of run deps-2b1c",
		"comes after the answer to its open question", "was read in turn 1 of run deps-2b1c",
		"waits until you say to whom", "was handed over, and is not confirmed yet",
		"you were shown it"} {
		texts[i].Outcome = outcome
	}
	return page.Inbox{List: listOf(view.Texts, texts, view.Message), Further: page.Further{Earlier: "/inbox?before=m6"}, To: []page.Place{
		{Address: "run:deps-2b1c", About: "waiting"}, {Address: "edge-2f3a", About: "Speed up the image pipeline"},
		{Address: "api-0b1c"},
	}}
}

// foundInbox is what a search for a word finds.
func foundInbox() page.Inbox {
	all := fullInbox()
	all.Find, all.Things, all.Further = "green", all.Things[5:], page.Further{}
	return all
}
