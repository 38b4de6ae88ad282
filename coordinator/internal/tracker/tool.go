package tracker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/child"
	"github.com/afar-sh/afar/coordinator/internal/markdown"
	"github.com/afar-sh/afar/coordinator/text"
)

const (
	// toolTime bounds one run of a tool. Programs that ask a server get more.
	toolTime = 30 * time.Second
	// toolGrace is how long a tool may run after it was told to end.
	toolGrace = time.Second
	// maxOutput bounds what a tool may print.
	maxOutput = 32 << 20
	// maxBody bounds a draft's body, because tissue gets it as one argument.
	maxBody = 60 << 10
	// maxMessage bounds how much of a tool's error message is passed on, in bytes.
	maxMessage = 4 << 10
)

// A tool is a program that keeps issues. It runs at the repository's top, with
// the environment of this process, and cannot ask a person anything.
type tool struct {
	program string
	top     string
	env     []string
	install string // what the person can do if the program is missing
	timeout time.Duration
}

// at returns the tool for the repository at top.
func (t tool) at(top string) tool {
	t.top = top
	return t
}

// A toolError describes a run that failed, with the tool's own message.
type toolError struct{ did, said string }

func (e toolError) Error() string { return fmt.Sprintf("%v: %s: %s", errTool, e.did, e.said) }
func (e toolError) Unwrap() error { return errTool }

// run runs the program with in on its stdin and returns its stdout.
func (t tool) run(ctx context.Context, in string, args ...string) (string, error) {
	did := strings.Join(append([]string{t.program}, args[:min(1, len(args))]...), " ")
	path, err := child.Find(t.program, os.Getenv("PATH"), t.top)
	if err != nil {
		return "", toolError{did, fmt.Sprintf("%s is not in PATH; %s", t.program, t.install)}
	}
	p := child.Program{
		Path:  path,
		Args:  args,
		Dir:   t.top,
		In:    in,
		Limit: t.timeout,
		Grace: toolGrace,
		Most:  maxOutput,
		Env:   append(slices.DeleteFunc(os.Environ(), isPrivate), t.env...),
	}
	out, err := p.Run(ctx)
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil && err != nil:
		return "", fmt.Errorf("%s: %w", did, err)
	case out.Cut:
		return "", toolError{did, fmt.Sprintf("it printed more than %d MiB", maxOutput>>20)}
	case errors.As(err, &exit):
		return "", toolError{did, failureText(out.Said+"\n"+errorInJSON(out.Text), err)}
	case err != nil:
		return "", toolError{did, err.Error()}
	}
	return string(out.Text), nil
}

// isPrivate reports whether an environment variable must not reach a tool.
func isPrivate(variable string) bool { return strings.HasPrefix(variable, "AFAR_TELEGRAM_") }

// errorInJSON returns the error message in a tool's JSON output, "" if there is
// none.
func errorInJSON(out []byte) string {
	var printed struct {
		Error string `json:"error"`
	}
	_ = json.Unmarshal(out, &printed)
	return printed.Error
}

// failureText returns what a failed tool said, without the usage text that some
// tools print after the reason. If it said nothing, the text of err is returned.
func failureText(said string, err error) string {
	said, _, _ = strings.Cut(asText(said), "\nUsage:")
	if said = text.Fold(said); said != "" {
		return strings.ToValidUTF8(said[:min(len(said), maxMessage)], "")
	}
	return err.Error()
}

// failedWith reports whether a tool failed with a message that contains one of
// the texts. Upper and lower case are the same.
func failedWith(err error, any ...string) bool {
	var failed toolError
	if !errors.As(err, &failed) {
		return false
	}
	for _, text := range any {
		if strings.Contains(strings.ToLower(failed.said), strings.ToLower(text)) {
			return true
		}
	}
	return false
}

// ask runs the program and decodes its JSON output into out.
func (t tool) ask(ctx context.Context, out any, args ...string) error {
	text, err := t.run(ctx, "", args...)
	if err != nil {
		return err
	}
	return t.read(text, out, args...)
}

// read decodes the JSON that a command with the given arguments printed.
func (t tool) read(text string, out any, args ...string) error {
	if err := json.Unmarshal([]byte(text), out); err != nil {
		return otherJSON(t.program+" "+args[0], err, text)
	}
	return nil
}

// otherJSON is the error of a program whose output is not what its contract says.
func otherJSON(did string, why error, printed string) error {
	return toolError{
		did,
		fmt.Sprintf("it printed other JSON than its contract has (%v): %q", why, markdown.Shorten(printed)),
	}
}

// joinComments returns the description with the comments below it, in the form of
// an issue's file.
func joinComments(body string, comments []Comment) string {
	parts := []string{strings.TrimSpace(asLines(body))}
	for _, c := range comments {
		head := "## Comment"
		if !c.At.IsZero() {
			head = "## " + c.At.UTC().Format("2006-01-02 15:04 MST")
		}
		parts = append(parts, head+"\n\n"+strings.TrimSpace(asLines(c.Text)))
	}
	return strings.TrimSpace(strings.Join(parts, "\n\n"))
}

func asLines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// endsWithNote reports whether the last comment is this note, or the note is empty.
func endsWithNote(comments []Comment, note string) bool {
	last := ""
	if len(comments) > 0 {
		last = strings.TrimSpace(asLines(comments[len(comments)-1].Text))
	}
	return note == "" || note == last
}
