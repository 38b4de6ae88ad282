package wording

import "github.com/afar-sh/afar/coordinator/wire"

// RunLevels returns for each run how far it is indented in a list: 0 if what proposed it is
// not a run of the list.
func RunLevels(runs []wire.Run) []int {
	level := map[string]int{}
	out := make([]int, len(runs))
	for i, r := range runs { // a parent comes before the runs that it proposed
		if above, listed := level[r.Parent]; listed {
			out[i] = above + 1
		}
		level[wire.ToRun+r.Name] = out[i]
	}
	return out
}
