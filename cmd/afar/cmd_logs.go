package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/logfile"
	"github.com/afar-sh/afar/coordinator/terminal"
)

func newLogs(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "logs", Short: "Show the daemon's own log", Args: exactly(),
		Example: "afar logs -f",
		Long: "Shows the last lines that the coordinator wrote about itself. What happened to sessions and questions " +
			"is in\n" +
			"the journal: afar log.",
	}
	var l logging
	c.Flags().BoolVarP(&l.follow, "follow", "f", false, "go on with what comes from now on")
	c.Flags().BoolVar(&l.asJSON, "json", false, "print the lines as they are, JSON")
	c.Flags().IntVarP(&l.last, "lines", "n", 50, "the `number` of lines of the past")
	c.RunE = func(c *cobra.Command, _ []string) error {
		err := a.tail(c.Context(), home.Dirs.Log, l, l.orAsIs(terminal.LogLine))
		if errors.Is(err, errNoLines) {
			return errors.New("the coordinator has written nothing yet: afar start")
		}
		return err
	}
	return c
}

// A drawing returns a line of a log as it is printed, "" for one that is left out.
type drawing func(p *terminal.Page, line string) string

// orAsIs returns draw, or with --json what prints each line as it is.
func (l logging) orAsIs(draw drawing) drawing {
	if l.asJSON {
		return func(_ *terminal.Page, line string) string { return terminal.Visible(line) }
	}
	return draw
}

// errNoLines says that a log is empty.
var errNoLines = errors.New("nothing was written yet")

// readAgain is the pause between two looks at a log.
const readAgain = 300 * time.Millisecond

// tail prints the last lines of a log that is a file, and with follow those that come. It starts no coordinator.
func (a *app) tail(ctx context.Context, of func(home.Dirs) string, l logging, draw drawing) error {
	if err := l.check(); err != nil {
		return err
	}
	d, err := a.dirs()
	if err != nil {
		return err
	}
	lines, err := lastLines(of(d))
	if err != nil {
		return err
	}
	past := drawn(a.page(), lines, draw)
	if len(past) == 0 && !l.follow {
		return errNoLines
	}
	a.page().Lines(past[max(0, len(past)-l.last):])
	for l.follow && pause(ctx, readAgain) == nil {
		fresh, err := lastLines(of(d))
		if err != nil {
			return err
		}
		a.page().Lines(drawn(a.page(), behind(lines, fresh), draw))
		lines = fresh
	}
	return nil
}

func drawn(p *terminal.Page, lines []string, draw drawing) (out []string) {
	for _, line := range lines {
		if text := draw(p, line); text != "" {
			out = append(out, text)
		}
	}
	return out
}

// maxLog bounds what is read of one file of a log.
const maxLog = 4 << 20

// lastLines returns the last lines of the log at path, including the one that was put aside last.
func lastLines(path string) (lines []string, err error) {
	for _, path := range []string{path + ".1", path} {
		raw, err := logfile.Tail(path, maxLog)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read log: %w", err)
		}
		for line := range bytes.Lines(raw) {
			if bytes.HasSuffix(line, []byte("\n")) {
				lines = append(lines, strings.TrimSpace(string(line)))
			}
		}
	}
	return lines, nil
}

// behind returns the lines of now that follow the last line of before.
func behind(before, now []string) []string {
	if len(before) == 0 {
		return now
	}
	for i := len(now) - 1; i >= 0; i-- {
		if now[i] == before[len(before)-1] {
			return now[i+1:]
		}
	}
	return now
}
