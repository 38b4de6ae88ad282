//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/afar-sh/afar/coordinator/wire"
)

// callName stands for a client that makes calls on the socket itself.
const callName = "call"

// callAll makes the calls of a file, each an operation and a body on a line, and prints what came of
// each.
func callAll(getenv func(string) string, in io.Reader, out io.Writer) int {
	a := &app{getenv: getenv, bin: getenv("BIN")}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		op, body, _ := strings.Cut(lines.Text(), " ")
		var reply json.RawMessage
		err := a.exchange(context.Background(), op, json.RawMessage(body), &reply, running)
		if _, err := fmt.Fprintf(out, "%s %s: %v\n", op, body, err); err != nil {
			return complain("say what came of a call", err)
		}
	}
	return 0
}

// cmdOthers has the script's session ask for every operation of the socket, once for each ID, with
// that ID wherever a request names something. It fails if anything of the session TOKEN is
// different afterwards, or what stands for all sessions.
func cmdOthers(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 2, "others TOKEN ID…")
	before := thingsOf(ts, args[0])
	var calls strings.Builder
	operations := wireOperations(ts)
	for _, op := range operations {
		for _, id := range args[1:] {
			body, err := json.Marshal(map[string]any{
				"id": id, "ask": id, "session": args[0], "to": "session:" + args[0], "for": "session:" + args[0],
				"key": "k" + id, "name": "x", "title": "x", "text": "x", "topic": "x", "args": "x", "prompt": "x",
				"allow": true, "on": true, "mode": "off", "path": "/x", "re": id, "delivery": "x",
			})
			ts.Check(err)
			fmt.Fprintf(&calls, "%s %s\n", op, body)
		}
	}
	code, out := asSession(ts, calls.String(), ".", "@"+callName)
	if refusals := strings.Count(out, "may not decide for its person"); code != 0 || refusals < len(operations)/4 {
		ts.Fatalf("exit %d, %d of the operations were refused: %s", code, refusals, out)
	}
	if after := thingsOf(ts, args[0]); after != before {
		ts.Fatalf("of another session there was\n%s\nand there is\n%s\nafter\n%s", before, after, out)
	}
}

// thingsOf returns what there is of a session, and what stands for all sessions.
func thingsOf(ts *testscript.TestScript, token string) string {
	var b bytes.Buffer
	asks := listed(ts, wire.OpAsks, wire.None{}).Asks
	asks = slices.DeleteFunc(asks, func(a wire.Ask) bool { return a.Token != token })
	fmt.Fprintf(&b, "asks %+v\n", asks)
	fmt.Fprintf(&b, "session %+v\n", listed(ts, wire.OpSession, wire.Named{ID: token}))
	all := wire.None{}
	fmt.Fprintf(&b, "loops %+v\ngrants %+v\n", listed(ts, wire.OpLoops, all), listed(ts, wire.OpGrants, all))
	fmt.Fprintf(&b, "undos %+v\nruns %+v\n", listed(ts, wire.OpUndos, all), listed(ts, wire.OpRuns, wire.RunsRequest{}))
	to := wire.InboxRequest{For: "session:" + token}
	fmt.Fprintf(&b, "inbox %+v\n", listed(ts, wire.OpInbox, to))
	set := listed(ts, wire.OpStatus, wire.StatusRequest{}).Settings
	fmt.Fprintf(&b, "settings %+v\n", set)
	return b.String()
}

// wireOperations returns the names of the operations of package wire.
func wireOperations(ts *testscript.TestScript) (names []string) {
	files, err := filepath.Glob("../../coordinator/wire/*.go")
	ts.Check(err)
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		ts.Check(err)
		ast.Inspect(f, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if !ok || !strings.HasPrefix(v.Names[0].Name, "Op") {
				return true
			}
			text, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			ts.Check(err)
			names = append(names, text)
			return true
		})
	}
	if len(names) < 60 {
		ts.Fatalf("package wire has only %d operations", len(names))
	}
	return names
}
