package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/afar-sh/afar/coordinator/terminal"
)

func (a *app) page() *terminal.Page {
	inColour := isTerminal(a.stdout) && a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb"
	return &terminal.Page{W: a.stdout, Now: a.now(), Home: a.getenv("HOME"), Colour: inColour}
}

// agrees asks a question on the terminal and reports whether the answer is yes. An empty line is the usual
// answer. Any other is no, but where yes is usual it is asked again. The end of the input is no.
func (a *app) agrees(question string, usual bool) bool {
	choice := " [y/N] "
	if usual {
		choice = " [Y/n] "
	}
	lines := bufio.NewScanner(a.stdin)
	for range 3 {
		fmt.Fprint(a.stdout, question+choice)
		if !lines.Scan() {
			a.say("")
			return false
		}
		switch answer := strings.ToLower(strings.TrimSpace(lines.Text())); {
		case answer == "":
			return usual
		case answer == "y", answer == "yes":
			return true
		case answer == "n", answer == "no", !usual:
			return false
		}
	}
	return false
}

// isTerminal reports whether a stream of this process is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// say writes a sentence to stdout. tell writes one to stderr, because it is not a part of the answer. Each text in the
// sentence becomes one visible line.
func (a *app) say(format string, args ...any)  { a.page().Say(format, args...) }
func (a *app) tell(format string, args ...any) { (&terminal.Page{W: a.stderr}).Say(format, args...) }

// printJSON prints v, indented, on stdout.
func (a *app) printJSON(v any) error { return a.print(jsonText(v, "  ")) }

// printLine prints v in one line of JSON on stdout.
func (a *app) printLine(v any) error { return a.print(jsonText(v, "")) }

func (a *app) print(text string, err error) error {
	if err == nil {
		_, err = fmt.Fprintln(a.stdout, text)
	}
	if err != nil {
		return fmt.Errorf("print answer: %w", err)
	}
	return nil
}

func jsonText(v any, indent string) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	err := enc.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// mostRead bounds a text on stdin. It is more than any text may have, so that a longer one is refused and never cut.
const mostRead = 2 << 20

// words returns the text on the command line, or on stdin if there is none or it is "-".
func (a *app) words(args []string) (string, error) {
	if len(args) > 0 && (len(args) > 1 || args[0] != "-") {
		return strings.Join(args, " "), nil
	}
	raw, err := io.ReadAll(io.LimitReader(a.stdin, mostRead))
	if err != nil {
		return "", fmt.Errorf("read the text: %w", err)
	}
	return string(raw), nil
}
