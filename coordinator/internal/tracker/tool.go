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

// A toolError describes a run that failed, with the tool's own message.
type toolError struct{ did, said string }

func (e toolError) Error() string { return fmt.Sprintf("%v: %s: %s", ErrTool, e.did, e.said) }
func (e toolError) Unwrap() error { return ErrTool }

// run runs the program with in on its stdin and returns its stdout.
func (t tool) run(ctx context.Context, in string, args ...string) (string, error) {
	did := t.program + " " + args[0]
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
		return toolError{
			t.program + " " + args[0],
			fmt.Sprintf("it printed other JSON than its contract has (%v): %q", err, markdown.Shorten(text)),
		}
	}
	return nil
}

// A comment is one comment of an issue in a tool.
type comment struct {
	at   time.Time
	text string
}

// joinComments returns the description with the comments below it, in the form of
// an issue's file.
func joinComments(body string, comments []comment) string {
	parts := []string{strings.TrimSpace(asLines(body))}
	for _, c := range comments {
		head := "## Comment"
		if !c.at.IsZero() {
			head = "## " + c.at.UTC().Format("2006-01-02 15:04 MST")
		}
		parts = append(parts, head+"\n\n"+strings.TrimSpace(asLines(c.text)))
	}
	return strings.TrimSpace(strings.Join(parts, "\n\n"))
}

func asLines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// endsWithNote reports whether the last comment is this note, or the note is empty.
func endsWithNote(comments []comment, note string) bool {
	last := ""
	if len(comments) > 0 {
		last = strings.TrimSpace(asLines(comments[len(comments)-1].text))
	}
	return note == "" || note == last
}

// checked returns the issue with its title and priority made valid. It returns an
// error for an invalid id, because ids name directories and branches.
func (t tool) checked(i Issue) (Issue, error) {
	if err := checkID(i.ID); err != nil {
		return i, toolError{t.program, err.Error()}
	}
	i.Title = text.Fold(asText(i.Title))
	i.Priority = clampPriority(i.Priority)
	return i, nil
}

// checkGivenID returns ErrNotFound for an invalid id. It runs before a tool sees
// the id, so that no tool takes it for a flag.
func checkGivenID(id string) error {
	if checkID(id) != nil {
		return fmt.Errorf("%w: %q", ErrNotFound, markdown.Shorten(id))
	}
	return nil
}
