package loop

import (
	"time"

	"github.com/afar-sh/afar/coordinator/internal/usage"
)

// These are the steps of a running loop. They fail the test if no loop runs.

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

// ifAny returns the outcome of a step, or the zero outcome if no loop or no check runs.
func ifAny(s Stack) func(Outcome, error) Outcome {
	return func(o Outcome, err error) Outcome {
		if err != nil {
			return Outcome{Stack: s}
		}
		return o
	}
}
