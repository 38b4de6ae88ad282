// Command afar is the person's side of Afar: it shows what the sessions do,
// answers their questions, and runs the coordinator (`afar serve`).
//
// Exit codes: 0 done, 1 failed (the reason is on stderr), 2 wrong usage,
// 3 coordinator not reachable, 4 not found or already settled. An interrupted
// command ends with 130.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
)

// The linker sets these (-X main.version=… -X main.commit=…); see stamped.
var version, commit string

func main() {
	bin, err := home.Bin()
	if err != nil {
		fmt.Fprintf(os.Stderr, "afar: %v\n", err)
		os.Exit(exitFailed)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], &app{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		getenv: os.Getenv, bin: bin, now: time.Now, alone: true,
	}))
}

// run executes one command line and returns its exit code.
func run(ctx context.Context, args []string, a *app) int {
	root := newRoot(a)
	root.SetArgs(append([]string{}, args...)) // nil would mean os.Args
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitDone
	}
	code := exitCode(err)
	if code != exitInterrupted {
		fmt.Fprintf(a.stderr, "afar: %v\n", err)
	}
	if code == exitUsage {
		fmt.Fprintf(a.stderr, "Run '%s --help' for usage.\n", cmd.CommandPath())
	}
	return code
}
