package script

import (
	"slices"

	"github.com/afar-sh/afar/coordinator/guard/lex"
)

// waitCalls are the calls with which an endless loop waits for the processes that it starts.
const waitCalls = "sleep usleep wait waitpid wait3 communicate break accept poll join input readline recv get"

// forksForever reports whether a program starts processes in an endless loop and waits for none.
func forksForever(toks []Token) bool {
	endless := false
	for i := range toks {
		endless = endless || loopsForever(toks[i:])
	}
	if !endless {
		return false
	}
	has := func(calls string) bool {
		return slices.ContainsFunc(toks, func(t Token) bool { return t.calls(calls) })
	}
	switch {
	case has("fork"):
		return true
	case has(waitCalls):
		return false
	}
	return has("Popen spawn posix_spawn")
}

// loopsForever reports whether toks begin with a loop that does not end: loop { …, while True, fork while 1, for (;;).
func loopsForever(toks []Token) bool {
	if toks[0].Kind != 'n' {
		return false
	}
	switch toks[0].Text {
	case "loop":
		return true
	case "for":
		return Shaped(toks, 1, "(;;)")
	case "while":
		return lex.OneOf(textAt(given(toks[1:]), 0), "1 True true fork")
	}
	return false
}
