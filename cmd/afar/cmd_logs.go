package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

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
		if l.last < 0 || l.last > mostEntries {
			return usageError{fmt.Errorf("-n takes 0 to %d", mostEntries)}
		}
		return a.logs(c.Context(), l)
	}
	return c
}

// logs prints the end of the coordinator's log, and then new lines. It does not start a
// coordinator.
func (a *app) logs(ctx context.Context, l logging) error {
	d, err := a.dirs()
	if err != nil {
		return err
	}
	lines, err := lastLines(d.Log())
	if err != nil {
		return err
	}
	if len(lines) == 0 && !l.follow {
		return errors.New("the coordinator has written nothing yet: afar start")
	}
	a.logged(lines[max(0, len(lines)-l.last):], l.asJSON)
	for l.follow && pause(ctx, readAgain) == nil {
		fresh, err := lastLines(d.Log())
		if err != nil {
			return err
		}
		a.logged(behind(lines, fresh), l.asJSON)
		lines = fresh
	}
	return nil
}

// lastLines returns the last lines of the log at path, including the one that was put aside last.
func lastLines(path string) (lines []string, err error) {
	for _, path := range []string{path + ".1", path} {
		raw, err := logfile.Tail(path, maxHookLog)
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

func (a *app) logged(lines []string, asJSON bool) {
	p := a.page()
	for _, line := range lines {
		if asJSON {
			p.Line("%s", terminal.Visible(line))
			continue
		}
		p.Line("%s", terminal.LogLine(p, line))
	}
}
