// Package long marks the tests that run only where time does not matter: soaks, whole
// matrices, and attacks that wait for a limit.
package long

import (
	"os"
	"testing"
)

// Runs reports whether such tests run: AFAR_TEST_ALL is 1. `.ci/run --all` sets it.
func Runs() bool { return os.Getenv("AFAR_TEST_ALL") == "1" }

// Only skips a test unless long ones run.
func Only(t testing.TB) {
	t.Helper()
	if !Runs() {
		t.Skip("takes long; AFAR_TEST_ALL=1 runs it, and so does .ci/run --all")
	}
}
