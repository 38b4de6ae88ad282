package transcript

import (
	"bytes"
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/usage"
)

// stepsTail is how much of the end of a transcript Steps reads, in bytes.
const stepsTail = 1 << 20

// Steps returns the last tool calls of a transcript, newest first, at most most of them. A
// missing file has none.
func Steps(path string, most int) []usage.Step {
	f, size, err := openRegular(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	steps := stepsIn(readTail(f, size, stepsTail))
	slices.Reverse(steps)
	return steps[:min(len(steps), most)]
}

// stepsIn returns the tool calls that begin in lines, oldest first.
func stepsIn(lines []byte) (steps []usage.Step) {
	place := map[string]int{} // of a call, by its id
	for line := range bytes.Lines(lines) {
		r, ok := readCallRow(line)
		if !ok {
			continue
		}
		for _, b := range r.blocks() {
			switch i, known := place[b.Result]; {
			case b.Type == "tool_use":
				place[b.ID] = len(steps)
				steps = append(steps, usage.Step{At: r.At, Tool: b.Name, Input: b.Input})
			case b.Type == "tool_result" && known:
				steps[i].Ended, steps[i].Took, steps[i].Failed = true, took(steps[i].At, r.At), b.IsError
			}
		}
	}
	return steps
}

// took returns the time between a call and its result, 0 if a clock went back.
func took(from, to time.Time) time.Duration { return max(to.Sub(from), 0) }
