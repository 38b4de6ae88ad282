//go:build unix

package main

import (
	"fmt"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/afar-sh/afar/coordinator/standin/consultant"
)

// cmdConsultant puts a stand-in for a consulted program into PATH, which answers with the
// text of a file, or prints what the stand-in was given:
//
//	consultant says NAME FILE
//	consultant calls NAME
func cmdConsultant(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 2, "consultant says NAME FILE | calls NAME")
	tools := filepath.Join(ts.Getenv("WORK"), "tools")
	switch args[0] {
	case "says":
		ts.Check(consultant.Install(tools, args[1], ts.ReadFile(args[2])))
	case "calls":
		for _, call := range consultant.Calls(tools, args[1]) {
			fmt.Fprintln(ts.Stdout(), call)
		}
	default:
		ts.Fatalf("consultant %s?", args[0])
	}
}
