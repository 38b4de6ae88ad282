//go:build unix

package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/wire"
)

// TestRunsNotSupported: where runs are not supported, everything that would start one says so first.
func TestRunsNotSupported(t *testing.T) {
	r := newRig(t) // its settings of runs are those of Windows
	for op, in := range map[fmt.Stringer]any{
		wire.OpRunStart:  wire.RunStartRequest{},
		wire.OpRunAdopt:  wire.RunAdoptRequest{},
		wire.OpTaskStart: wire.TaskStartRequest{},
	} {
		got := r.as(person, op, in)
		if got.Code == wire.CodeOK || !strings.Contains(got.Error, "runs are not supported on Windows") {
			t.Errorf("%s: %s %q", op, got.Code, got.Error)
		}
	}
}
