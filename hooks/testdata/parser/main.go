// Command parser reads a script from standard input with the parser of the guard, and ends. It is the
// least that a program has to do that reads a script.
package main

import (
	"fmt"
	"os"

	"mvdan.cc/sh/v3/syntax"
)

func main() {
	if _, err := syntax.NewParser().Parse(os.Stdin, ""); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
