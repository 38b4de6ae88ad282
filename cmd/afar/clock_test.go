//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// clockName is the program of a script that runs a command of afar with another clock:
//
//	clock 19:59:59 serve   it shows that time of today, and goes on from there
//	clock +61s serve       it is ahead
//	clock -61s serve       it is behind
const clockName = "clock"

// clockMain runs this binary as that program.
func clockMain() {
	if filepath.Base(os.Args[0]) != clockName {
		return
	}
	ahead, err := aheadOf(time.Now(), os.Args[1])
	if err != nil {
		os.Exit(complain("set the clock", err))
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[2:], &app{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, bin: os.Getenv("BIN"),
		now: func() time.Time { return time.Now().Add(ahead) }, alone: true,
	}))
}

// aheadOf returns how far a clock is ahead of now.
func aheadOf(now time.Time, text string) (time.Duration, error) {
	if strings.HasPrefix(text, "+") || strings.HasPrefix(text, "-") {
		return time.ParseDuration(text)
	}
	at, err := time.Parse(time.TimeOnly, text)
	today := time.Date(now.Year(), now.Month(), now.Day(), at.Hour(), at.Minute(), at.Second(), 0, now.Location())
	return today.Sub(now), err
}

// cmdZone sets TZ to a zone in which it is a certain hour, so that a script has the same times of
// the day whenever it runs: zone HOUR.
func cmdZone(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 1, "zone HOUR")
	east := number(ts, args[0]) - time.Now().UTC().Hour()
	if east < -12 {
		east += 24
	}
	ts.Setenv("TZ", fmt.Sprintf("Etc/GMT%+d", -east)) // the names of these zones count to the west
}
