package loop

import (
	"time"

	"github.com/afar-sh/afar/coordinator/internal/usage"
)

// The steps of a loop that runs: where none does, the test is wrong.

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func mustStop(s Stack, in Stopping, now time.Time) Outcome { return must(Stop(s, in, now)) }

func mustFail(s Stack, note string, now time.Time) Outcome { return must(Fail(s, note, now)) }

func mustInterrupt(s Stack, now time.Time) Stack { return must(Interrupt(s, now)) }

func mustSpend(s Stack, sum usage.Sum, read AgentRead) Stack { return must(Spend(s, sum, read)) }

func mustLimit(s Stack, note string, until, now time.Time) Outcome {
	return must(Limit(s, note, until, now))
}

// ifAny returns the outcome of a step, and none where no loop or no check runs.
func ifAny(s Stack) func(Outcome, error) Outcome {
	return func(o Outcome, err error) Outcome {
		if err != nil {
			return Outcome{Stack: s}
		}
		return o
	}
}
