// Package long marks the tests that run only where time does not matter: soaks, whole
// matrices, and attacks that wait for a limit.
package long

import (
	"os"
	"testing"
)

// Only skips a test unless AFAR_TEST_ALL is 1. `.ci/run --all` sets it.
func Only(t testing.TB) {
	t.Helper()
	if os.Getenv("AFAR_TEST_ALL") != "1" {
		t.Skip("takes long; AFAR_TEST_ALL=1 runs it, and so does .ci/run --all")
	}
}
