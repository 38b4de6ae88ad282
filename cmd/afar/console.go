package main

import (
	"bufio"
	"fmt"
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
