//go:build unix

package main

import (
	"fmt"
	"os"
	"syscall"
)

// becomeRelay makes this process the relay of an agent's tools. The program for that is small:
// there may be one for each agent.
func becomeRelay(program string) error {
	err := syscall.Exec(program, []string{program, "mcp"}, os.Environ())
	return fmt.Errorf("run %s: %w", program, err)
}
