// Package long marks the tests that take long: those that run only where time does not matter
// (soaks, whole matrices, attacks that wait for a limit), and those that run in CI and not in a
// plain go test, which ends within five minutes.
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

// InCI skips a test that drives programs or waits for a clock for longer than a few seconds,
// unless nothing may be skipped.
func InCI(t testing.TB) {
	t.Helper()
	if !RunsInCI() {
		t.Skip("takes more than a few seconds; AFAR_TEST_NO_SKIP=1 runs it, and so does .ci/run")
	}
}

// RunsInCI reports whether the tests of CI run: AFAR_TEST_NO_SKIP is 1, as in .ci/run, or Runs.
func RunsInCI() bool { return os.Getenv("AFAR_TEST_NO_SKIP") == "1" || Runs() }
