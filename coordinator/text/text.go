// Package text holds small helpers for texts that people read. It is pure.
package text

import (
	"fmt"
	"strings"
)

// Count returns a number with its noun in the plural that fits: "1 file",
// "2 files", "3 stashes", "4 entries".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	last := noun[max(0, strings.LastIndexByte(noun, ' ')+1):]
	switch {
	case strings.HasSuffix(last, "sh"), strings.HasSuffix(last, "ss"):
		noun += "es"
	case strings.HasSuffix(last, "ry"):
		noun = strings.TrimSuffix(noun, "y") + "ies"
	default:
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
