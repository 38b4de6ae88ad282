// Package claude says which versions of Claude Code Afar supports and what each
// of them does, and asks a client for its version.
package claude

import (
	"context"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The supported versions. The tests run on both ends.
const (
	Oldest = "2.1.197"
	Newest = "2.1.332"
)

// The versions from which on a client has a feature.
const (
	// FailClosed is the first client that obeys "onFailure": "block": a guard
	// that is missing, crashes or is overdue then stops the call.
	FailClosed = "2.1.295"
	// PutsSkills is the first client that puts the commands in the text of skills and
	// commands to a hook, PreSkillShellCommand.
	PutsSkills = "2.1.332"
	// AsksInPrint is the oldest client that was seen to put its own questions in
	// `claude -p` to PermissionRequest hooks.
	AsksInPrint = "2.1.329"
)

// NoClassifier is the reason of a refusal in auto mode where the mode's check does not run.
const NoClassifier = "Classifier unavailable"

// Before reports whether version a comes before b. It returns false if either text is
// not a version.
func Before(a, b string) bool {
	x, y := numbers(a), numbers(b)
	return x != nil && slices.Compare(x, y) < 0 // nothing is before a nil y
}

// Stops reports whether a client of this version stops a call whose guard
// failed. It returns false for a text that is not a version.
func Stops(version string) bool { return AtLeast(version, FailClosed) }

// AtLeast reports whether a version is first or a later one. It returns false for a text
// that is not a version.
func AtLeast(version, first string) bool {
	return slices.Compare(numbers(version), numbers(first)) >= 0
}

// Version runs the client with --version and returns the number it prints. It
// returns "" for a program that prints none within wait.
func Version(program string, env []string, wait time.Duration) string {
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	c := exec.CommandContext(ctx, program, "--version")
	c.Env, c.WaitDelay = env, wait/4
	out, err := c.Output()
	if err != nil {
		return ""
	}
	version, name, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	if numbers(version) == nil || !strings.HasPrefix(name, "(Claude Code") {
		return ""
	}
	return version
}

// numbers returns the three parts of a version, nil for any other text.
func numbers(version string) []int {
	parts := strings.Split(version, ".")
	if len(parts) != 3 {
		return nil
	}
	all := make([]int, 0, len(parts))
	for _, part := range parts {
		n, err := strconv.ParseUint(part, 10, 31)
		if err != nil {
			return nil
		}
		all = append(all, int(n))
	}
	return all
}
