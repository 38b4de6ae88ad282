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
	// toolTime bounds one run of a tool; gh asks a server.
	toolTime = 30 * time.Second
	// toolGrace is how long a tool may go on after it was told to end.
	toolGrace = time.Second
	// mostOutput bounds what a tool may print.
	mostOutput = 32 << 20
	// mostBody bounds a draft's body: a tool gets it as one argument.
	mostBody = 60 << 10
	// mostSaid bounds what is passed on of a tool's own words.
	mostSaid = 4 << 10
)

// A tool is a program that keeps issues. It runs at the repository's top, with
// the environment of this process and nothing to ask a person.
type tool struct {
	program string
	top     string
	env     []string
	get     string // what to do where the program is missing
	timeout time.Duration
}

// A toolError is a run that failed, with the tool's own words.
type toolError struct{ did, said string }

func (e toolError) Error() string { return fmt.Sprintf("%v: %s: %s", ErrTool, e.did, e.said) }
func (e toolError) Unwrap() error { return ErrTool }

// run runs the program with a text on its stdin and returns what it printed.
func (t tool) run(ctx context.Context, in string, args ...string) (string, error) {
	did := t.program + " " + args[0]
	path, err := child.Find(t.program, os.Getenv("PATH"), t.top)
	if err != nil {
		return "", toolError{did, fmt.Sprintf("%s is not to be found in PATH; %s", t.program, t.get)}
	}
	p := child.Program{
		Path: path, Args: args, Dir: t.top, In: in, Limit: t.timeout, Grace: toolGrace, Most: mostOutput,
		Env: append(slices.DeleteFunc(os.Environ(), ours), t.env...),
	}
	out, err := p.Run(ctx)
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil && err != nil:
		return "", fmt.Errorf("%s: %w", did, err)
	case out.Cut:
		return "", toolError{did, fmt.Sprintf("it printed more than %d MiB", mostOutput>>20)}
	case errors.As(err, &exit):
		return "", toolError{did, words(out.Said+"\n"+inJSON(out.Text), err)}
	case err != nil:
		return "", toolError{did, err.Error()}
	}
	return string(out.Text), nil
}

// ours is a variable that a tool has no business to know.
func ours(variable string) bool { return strings.HasPrefix(variable, "AFAR_TELEGRAM_") }

// inJSON is the reason that a tool asked for JSON printed as such.
func inJSON(out []byte) string {
	var printed struct {
		Error string `json:"error"`
	}
	_ = json.Unmarshal(out, &printed)
	return printed.Error
}

// words are the lines that a failed tool left, without the usage that some
// print after the reason.
func words(said string, err error) string {
	said, _, _ = strings.Cut(asText(said), "\nUsage:")
	if said = text.Fold(said); said != "" {
		return strings.ToValidUTF8(said[:min(len(said), mostSaid)], "")
	}
	return err.Error()
}

// said reports whether a tool failed with one of these words.
func said(err error, any ...string) bool {
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

// ask runs the program and reads its JSON into out.
func (t tool) ask(ctx context.Context, out any, args ...string) error {
	text, err := t.run(ctx, "", args...)
	if err != nil {
		return err
	}
	return t.read(text, out, args...)
}

func (t tool) read(text string, out any, args ...string) error {
	if err := json.Unmarshal([]byte(text), out); err != nil {
		return toolError{
			t.program + " " + args[0],
			fmt.Sprintf("it printed other JSON than its contract has (%v): %q", err, markdown.Shorten(text)),
		}
	}
	return nil
}

// A comment of a tool's issue.
type comment struct {
	at   time.Time
	text string
}

// read together, as in an issue's file: the description, then the comments.
func together(body string, comments []comment) string {
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

// noted reports whether the last comment is this note.
func noted(comments []comment, note string) bool {
	return note != "" && len(comments) > 0 && strings.TrimSpace(asLines(comments[len(comments)-1].text)) == note
}

// checked refuses what a tool cannot have meant: ids name directories and
// branches.
func (t tool) checked(i Issue) (Issue, error) {
	if err := checkID(i.ID); err != nil {
		return i, toolError{t.program, err.Error()}
	}
	i.Title = text.Fold(asText(i.Title))
	i.Priority = min(max(i.Priority, FirstPriority), LastPriority)
	return i, nil
}

// asked refuses what is no id before a tool sees it, so that none is taken for a
// flag.
func asked(id string) error {
	if checkID(id) != nil {
		return fmt.Errorf("%w: %q", ErrNotFound, markdown.Shorten(id))
	}
	return nil
}
