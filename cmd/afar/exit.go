package main

import (
	"errors"
	"fmt"

	"github.com/afar-sh/afar/coordinator/client"
	"github.com/afar-sh/afar/coordinator/issues"
	"github.com/afar-sh/afar/coordinator/wire"
)

// The exit codes of every command.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitUnreachable = 3
	exitGone        = 4 // not found or already settled
	exitInterrupted = 130
)

// errInterrupted says that the person ended a command that was waiting.
var errInterrupted = errors.New("interrupted")

// A usageError says what is wrong with a command line.
type usageError struct{ error }

func usage(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// A refusal is the coordinator's refusal of a request, with its code.
type refusal struct{ code, text string }

// Error returns the coordinator's sentence, with a command that helps, if there is one.
func (r refusal) Error() string {
	switch {
	case r.code == wire.CodeUnknownOp:
		return r.text + "; it is of another version: afar restart"
	case r.code == wire.CodeInternal:
		return r.text + "; the coordinator's log says more, and `afar doctor` what is wrong"
	case r.text == "":
		return "the coordinator refused: " + r.code
	}
	return r.text
}

// A codeError ends the command with a code of its own.
type codeError struct {
	error
	code int
}

func exitCode(err error) int {
	var wrong usageError
	var no refusal
	var own codeError
	switch {
	case errors.As(err, &own):
		return own.code
	case errors.As(err, &wrong):
		return exitUsage
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	case errors.Is(err, client.ErrUnreachable):
		return exitUnreachable
	case errors.As(err, &no) && (no.code == wire.CodeNotFound || no.code == wire.CodeSettled):
		return exitGone
	case errors.Is(err, issues.ErrNotFound), errors.Is(err, issues.ErrOver), errors.Is(err, issues.ErrOpen):
		return exitGone
	}
	return exitFailed
}
