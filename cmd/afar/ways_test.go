//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/afar-sh/afar/coordinator/wire"
)

// cmdWays tries each line of a file as a way to change what only a person may change, and
// fails if it is let through or if the person's tasks are different afterwards. Empty lines and
// those that begin with # are left out. HOW says what a line is:
//
//	phone   what somebody says to the bot who is not paired, or "tap" and a button of the person's card
//	shell   a command in a shell of the session: it fails
//	cut     the same from a process that has cut all ties to the session
//	guard   a tool and its input: the hook denies it or asks
//	mcp     a tool of Afar and its arguments: whatever it answers
//	page    a method, a path and a form: the page refuses a browser that is not signed in
//	file    a command that gets past the guard: only the tasks are compared
func cmdWays(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 2, "ways HOW FILE")
	try := map[string]func(*testscript.TestScript, string) string{
		"phone": onPhone, "shell": inShell, "cut": cutOff, "guard": guarded, "mcp": overMCP, "page": onPage,
		"file": written,
	}[args[0]]
	before, tried := personsTasks(ts), 0
	for line := range strings.Lines(ts.ReadFile(args[1])) {
		line = strings.TrimSpace(os.Expand(line, ts.Getenv))
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		tried++
		if fault := try(ts, line); fault != "" {
			ts.Logf("LET THROUGH: %s\n\t%s", line, fault)
			defer ts.Fatalf("a way was let through")
		}
	}
	if after := personsTasks(ts); after != before || tried == 0 {
		ts.Fatalf("%d ways of %s: the tasks were\n%s\nand are\n%s", tried, args[1], before, after)
	}
}

// personsTasks returns what a person decides about tasks, suggestions and gaps, and which runs
// there are. A folder that only an agent has made does not count.
func personsTasks(ts *testscript.TestScript) string {
	var b strings.Builder
	for _, t := range listed(ts, wire.OpTasks, wire.None{}).Tasks {
		if !t.Proposed {
			fmt.Fprintf(&b, "task %s %s stopped=%t run=%s %s\n", t.ID, t.Status, t.Stopped, t.Run, t.RunState)
		}
	}
	for _, r := range listed(ts, wire.OpRuns, wire.RunsRequest{}).Runs {
		fmt.Fprintf(&b, "run %s, %d turns\n", r.Name, r.Turns)
	}
	all := wire.SuggestionsRequest{All: true}
	for _, s := range listed(ts, wire.OpSuggestions, all).Suggestions {
		if s.Status != "open" {
			fmt.Fprintf(&b, "suggestion %s %s\n", s.ID, s.Status)
		}
	}
	for _, g := range listed(ts, wire.OpGaps, wire.None{}).Gaps {
		if g.Status != "open" {
			fmt.Fprintf(&b, "gap %s %s\n", g.Title, g.Status)
		}
	}
	return b.String()
}

// listed asks the coordinator for a list. Unlike a command, this takes no time to start.
func listed[Request, Reply any](
	ts *testscript.TestScript, op wire.Op[Request, Reply], in Request,
) Reply {
	a := &app{getenv: ts.Getenv, bin: ts.Getenv("BIN")}
	list, err := call(context.Background(), a, op, in, running)
	ts.Check(err)
	return list
}

// notForYou is all that the bot says to somebody who is not paired.
var notForYou = regexp.MustCompile(`^(This bot belongs to somebody|Not paired yet)`)

// onPhone has Eve, who is not paired, write to the bot or press a button of the person's card.
func onPhone(ts *testscript.TestScript, line string) string {
	p := sceneOf(ts).phone
	eve := p.person("Eve")
	if button, isTap := strings.CutPrefix(line, "tap "); isTap {
		ts.Check(p.press(eve.TapLate, button))
	} else {
		eve.Say(eve.ID, line)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	ts.Check(p.server.AwaitConfirmed(ctx))
	for _, m := range p.server.Messages(eve.ID) {
		if !notForYou.MatchString(m.Text) {
			return m.Text
		}
	}
	return ""
}

// refusedBy is what a session is told that may not decide.
var refusedBy = regexp.MustCompile(
	`may not decide|decision of the person|only from a terminal|is not what a session may`)

func inShell(ts *testscript.TestScript, line string) string {
	return mustRefuse(ts, "bash", "-c", line)
}

// cutOff runs a command in a process that no environment, terminal or ancestor ties to the
// session. Only its birthmark does, which the session's shell has set.
func cutOff(ts *testscript.TestScript, line string) string {
	return mustRefuse(ts, "bash", "cut.sh", line)
}

func mustRefuse(ts *testscript.TestScript, args ...string) string {
	code, out := asSession(ts, "", ".", args...)
	if code != 0 && refusedBy.MatchString(out) {
		return ""
	}
	return fmt.Sprintf("exit %d: %s", code, out)
}

// asSession has the script's client run a program, and returns what it printed.
func asSession(ts *testscript.TestScript, stdin, dir string, args ...string) (code int, out string) {
	in, err := os.CreateTemp(ts.Getenv("WORK"), "in")
	ts.Check(err)
	defer in.Close()
	printed, err := os.CreateTemp(ts.Getenv("WORK"), "out")
	ts.Check(err)
	defer printed.Close()
	_, err = in.WriteString(stdin)
	ts.Check(err)
	_, err = in.Seek(0, io.SeekStart)
	ts.Check(err)
	body := hostedRun{Args: args, Env: command(ts, []string{"sh"}).Env, Dir: ts.MkAbs(dir)}
	code, err = askClient(ts.Getenv(asClient), body, in, printed, printed)
	ts.Check(err)
	return code, ts.ReadFile(printed.Name())
}

func guarded(ts *testscript.TestScript, line string) string {
	tool, input, _ := strings.Cut(line, " ")
	dir := ts.Getenv("WORK") + "/project"
	call := fmt.Sprintf(`{"hook_event_name":"PreToolUse","session_id":"s-1","cwd":%q,"permission_mode":"default",`+
		`"tool_name":%q,"tool_use_id":"toolu_g","tool_input":%s}`, dir, tool, input)
	_, out := asSession(ts, call, dir, "hook-pre-tool-use")
	if regexp.MustCompile(`"permissionDecision":"(deny|ask)"`).MatchString(out) {
		return ""
	}
	return fmt.Sprintf("the hook says %q", out)
}

// overMCP calls a tool. Whatever it answers, it must change nothing of the person's.
func overMCP(ts *testscript.TestScript, line string) string {
	tool, input, _ := strings.Cut(line, " ")
	asSession(ts, "", ".", "@"+mcpName, tool, "toolu_1", input)
	return ""
}

func onPage(ts *testscript.TestScript, line string) string {
	words := strings.Fields(line)
	form := ""
	if len(words) > 2 {
		form = words[2]
	}
	page, err := url.Parse(ts.Getenv("URL"))
	ts.Check(err)
	r, err := http.NewRequest(words[0], "http://"+page.Host+words[1], strings.NewReader(form))
	ts.Check(err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", "http://"+page.Host)
	answer, err := http.DefaultTransport.RoundTrip(r)
	ts.Check(err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	ts.Check(err)
	if answer.StatusCode >= 400 && answer.StatusCode < 500 {
		return ""
	}
	return fmt.Sprintf("%s: %.300s", answer.Status, body)
}

func written(ts *testscript.TestScript, line string) string {
	if out, err := command(ts, []string{"bash", "-c", line}).CombinedOutput(); err != nil {
		return fmt.Sprintf("%v: %s", err, out)
	}
	return ""
}
