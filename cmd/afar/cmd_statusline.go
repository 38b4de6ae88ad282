package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/client"
	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/hostfile"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

const (
	// statusLine is the key of Claude Code's settings with the command that prints its status line.
	statusLine = "statusLine"
	// segmentFor bounds how long Afar's part of the line may take.
	segmentFor = 40 * time.Millisecond
	// maxStatusInput bounds what the host gives the command.
	maxStatusInput = 1 << 20
)

func newStatusline(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "statusline", Short: "Print Afar's part of Claude Code's status line",
		Long: "Prints in one short part whether questions leave the terminal, how many wait, and how far the session's\n" +
			"loop is. Claude Code calls it and gives it the session on stdin. It starts no coordinator, takes 50 ms at\n" +
			"most, and prints nothing when it cannot know. `afar statusline on` puts it into your settings of Claude\n" +
			"Code. A status line that is there already is run as before, and Afar's part follows it; `off` takes\n" +
			"Afar's part away again.",
	}
	c.AddCommand(
		&cobra.Command{Use: "on", Short: "Put it into Claude Code's settings", Args: exactly(),
			RunE: func(*cobra.Command, []string) error { return a.setStatusline(withStatus) }},
		&cobra.Command{Use: "off", Short: "Take it away again", Args: exactly(),
			RunE: func(*cobra.Command, []string) error { return a.setStatusline(withoutStatus) }},
	)
	before := c.Flags().String("before", "", "a `command` whose line comes first, as it was in the settings")
	c.RunE = withoutSubcommand(c, func(c *cobra.Command) error { return a.statusline(c.Context(), *before) })
	return c
}

// statusline prints the line of the command before, as it is, and then Afar's part.
func (a *app) statusline(ctx context.Context, before string) error {
	in, err := io.ReadAll(io.LimitReader(a.stdin, maxStatusInput))
	if err != nil {
		return err
	}
	ours := make(chan string, 1)
	go func() { ours <- a.segment(ctx, in) }()
	line := a.lineBefore(ctx, before, in)
	if part := <-ours; part != "" {
		line = strings.TrimSpace(line + "  " + part)
	}
	if line != "" {
		fmt.Fprintln(a.stdout, line)
	}
	return nil
}

// lineBefore returns what the person's own status line prints, without its last line break. If it fails,
// its words are on stderr as they would be without Afar.
func (a *app) lineBefore(ctx context.Context, command string, in []byte) string {
	if command == "" {
		return ""
	}
	c := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	c.Stdin, c.Stderr = bytes.NewReader(in), a.stderr
	out, _ := c.Output() // its failure is its own
	return strings.TrimRight(string(out), "\r\n")
}

// segment returns Afar's part of the line for the session on stdin, "" if nobody answers.
func (a *app) segment(ctx context.Context, in []byte) string {
	ctx, cancel := context.WithTimeout(ctx, segmentFor)
	defer cancel()
	quick := func(c *client.Client, r wire.Request) ([]byte, error) { return c.Call(r, time.Now().Add(segmentFor)) }
	host, err := hostjson.Parse(string(in), hostjson.MaxDepth)
	now, failed := call(ctx, a, wire.OpStatus, wire.StatusRequest{}, quick)
	if err != nil || failed != nil {
		return ""
	}
	return segmentOf(now, host.Get(claude.FieldSession).Str())
}

// segmentOf words the state for one session.
func segmentOf(now wire.StatusReply, session string) string {
	parts := []string{"afar"}
	switch {
	case now.Settings.Paused:
		parts = append(parts, "paused")
	case now.Settings.Away == "on":
		parts = append(parts, "away")
	}
	if n := len(now.Asks); n > 0 {
		parts = append(parts, text.Count(n, "question"))
	}
	for _, l := range now.Loops {
		if l.Session == session && l.Active && len(l.Stack) > 0 {
			f := l.Stack[len(l.Stack)-1]
			parts = append(parts, fmt.Sprintf("loop %d/%d", f.N, f.Max))
		}
	}
	return strings.Join(parts, " · ")
}

// setStatusline edits the status line in the person's settings of Claude Code.
func (a *app) setStatusline(edit func(f hostfile.File, command string) ([]byte, error)) error {
	if err := a.personOnly("statusline"); err != nil {
		return err
	}
	d, err := a.dirs()
	if err != nil {
		return err
	}
	command := text.ShellQuote(filepath.Join(a.bin, "afar")) + " statusline"
	return a.editSettings(d, "Changed the status line", edit, command)
}

// statusIn returns the value of the status line in the settings, and its command. The value is nil if there
// is none.
func statusIn(f hostfile.File) (value map[string]any, command string, err error) {
	raw, err := f.Value(statusLine)
	if err != nil || raw == nil {
		return nil, "", err
	}
	if json.Unmarshal(raw, &value) != nil {
		return nil, "", fmt.Errorf("%q is not an object", statusLine)
	}
	command, _ = value["command"].(string)
	return value, command, nil
}

// withStatus returns the file's text with ours as the command of the status line. A command that is there
// is kept: ours runs it.
func withStatus(f hostfile.File, ours string) ([]byte, error) {
	value, command, err := statusIn(f)
	switch {
	case err != nil:
		return nil, err
	case strings.HasPrefix(command, ours):
		return f.Text, nil
	case value == nil:
		value = map[string]any{"type": "command"}
	case command == "":
		return nil, fmt.Errorf("%q has no command", statusLine)
	default:
		ours += " --before " + text.ShellQuote(command)
	}
	value["command"] = ours
	return withValue(f, value)
}

// withoutStatus returns the file's text with the status line as it was before withStatus.
func withoutStatus(f hostfile.File, ours string) ([]byte, error) {
	value, command, err := statusIn(f)
	rest, isOurs := strings.CutPrefix(command, ours)
	if err != nil || !isOurs {
		return f.Text, err
	}
	before, ok := strings.CutPrefix(rest, " --before ")
	if !ok {
		return f.Without(statusLine)
	}
	value["command"] = plainWord(before)
	return withValue(f, value)
}

func withValue(f hostfile.File, value map[string]any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return nil, err
	}
	return f.With(statusLine, strings.TrimSpace(out.String()))
}

// plainWord returns the text of a word that text.ShellQuote made.
func plainWord(s string) string {
	return strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(s, "'"), "'"), `'\''`, "'")
}
