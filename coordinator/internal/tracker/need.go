package tracker

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// settle resolves the needs of each issue, fills in what it still waits for, and
// marks issues that can never become ready as broken.
func settle(all []Issue) {
	at := index(all)
	for i := range all {
		resolve(all, at, &all[i])
	}
	for id, way := range circles(all, at) {
		if i := &all[at[id]]; i.Broken == "" {
			i.Broken = pathPrefix(*i) + errCycle.Error() + ": " + way
		}
	}
}

// resolve replaces prefixes in an issue's needs by whole ids, and fills in Waits.
func resolve(all []Issue, at map[string]int, i *Issue) {
	i.Waits = nil
	for n, id := range i.Needs {
		need, err := find(all, at, *i, id)
		if err != nil {
			i.Waits = append(i.Waits, id)
			if i.Broken == "" && !i.Status.Over() {
				i.Broken = fmt.Sprintf("%sneeds %s: %v", pathPrefix(*i), id, reason(err))
			}
			continue
		}
		i.Needs[n] = need.ID
		if !need.Status.Over() || need.Broken != "" {
			i.Waits = append(i.Waits, need.ID)
		}
	}
}

// reason returns err, without the id if the caller names that.
func reason(err error) error {
	if errors.Is(err, ErrNotFound) {
		return ErrNotFound // the id is named already
	}
	return err
}

// pathPrefix returns the beginning of a message about an issue: its path, if it
// has one.
func pathPrefix(i Issue) string {
	if i.Path == "" {
		return ""
	}
	return i.Path + ": "
}

// index returns the positions of the issues by their ids.
func index(all []Issue) map[string]int {
	at := make(map[string]int, len(all))
	for i := range all {
		at[all[i].ID] = i
	}
	return at
}

// find returns the issue that i needs by an id. Only people shorten ids, in files: looking for a prefix
// would take too long for all the needs that a program can list.
func find(all []Issue, at map[string]int, i Issue, id string) (Issue, error) {
	if n, ok := at[id]; ok {
		return all[n], nil
	}
	if i.Path == "" {
		return Issue{}, ErrNotFound
	}
	return pick(all, id)
}

// circles returns the circle of needs of each issue that waits for itself, as
// "a → b → a". An issue in several circles gets one of them.
func circles(all []Issue, at map[string]int) map[string]string {
	needs := stuck(all, at)
	found, walked := map[string]string{}, map[int]bool{}
	for begin := range all {
		var way []int
		n := begin
		for len(needs[n]) > 0 && !walked[n] {
			walked[n] = true
			way = append(way, n)
			n = needs[n][0] // each of them is stuck too, so the way ends in a circle
		}
		if from := slices.Index(way, n); from >= 0 {
			recordCircle(all, way[from:], found)
		}
	}
	return found
}

// stuck returns the issues that can never be over, each with the stuck issues that
// it waits for. It removes issues that wait for nothing, until none is left.
func stuck(all []Issue, at map[string]int) map[int][]int {
	waits, needed, done := make([]int, len(all)), map[int][]int{}, []int{}
	for n, i := range all {
		for _, need := range known(i, at) {
			waits[n]++
			needed[need] = append(needed[need], n)
		}
		if waits[n] == 0 {
			done = append(done, n)
		}
	}
	for len(done) > 0 {
		n := done[len(done)-1]
		done = done[:len(done)-1]
		for _, after := range needed[n] {
			if waits[after]--; waits[after] == 0 {
				done = append(done, after)
			}
		}
	}
	needs := map[int][]int{}
	for n, i := range all {
		if waits[n] > 0 {
			needs[n] = slices.DeleteFunc(known(i, at), func(need int) bool { return waits[need] == 0 })
		}
	}
	return needs
}

// known returns the positions of the issues that an issue waits for.
func known(i Issue, at map[string]int) (needs []int) {
	for _, id := range i.Waits {
		if need, isKnown := at[id]; isKnown && !i.Status.Over() {
			needs = append(needs, need)
		}
	}
	return needs
}

// recordCircle writes the circle into found for each issue in it. The circle
// begins with the id that sorts first, so that the text is always the same.
func recordCircle(all []Issue, circle []int, found map[string]string) {
	var way []string
	for _, n := range circle {
		way = append(way, all[n].ID)
	}
	first := slices.Index(way, slices.Min(way))
	way = append(way[first:], way[:first]...)
	from := way[0]
	if way = append(way, from); len(way) > 12 {
		way = append(way[:10], "…", from)
	}
	for _, n := range circle {
		found[all[n].ID] = strings.Join(way, " → ")
	}
}
