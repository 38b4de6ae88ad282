package tracker

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// settle resolves what each issue needs among all there are, says what it still
// waits for, and marks as broken what can never become ready.
func settle(all []Issue) {
	at := index(all)
	for i := range all {
		resolve(all, at, &all[i])
	}
	for id, way := range circles(all, at) {
		if i := &all[at[id]]; i.Broken == "" {
			i.Broken = where(*i) + ErrCycle.Error() + ": " + way
		}
	}
}

// resolve replaces the prefixes of an issue's needs by whole ids.
func resolve(all []Issue, at map[string]int, i *Issue) {
	i.Waits = nil
	for n, id := range i.Needs {
		need, err := find(all, at, id)
		if err != nil {
			i.Waits = append(i.Waits, id)
			if i.Broken == "" && !i.Status.Over() {
				i.Broken = fmt.Sprintf("%sneeds %s: %v", where(*i), id, reason(err))
			}
			continue
		}
		i.Needs[n] = need.ID
		if !need.Status.Over() || need.Broken != "" {
			i.Waits = append(i.Waits, need.ID)
		}
	}
}

func reason(err error) error {
	if errors.Is(err, ErrNotFound) {
		return ErrNotFound // the id is named already
	}
	return err
}

func where(i Issue) string {
	if i.Path == "" {
		return ""
	}
	return i.Path + ": "
}

func index(all []Issue) map[string]int {
	at := make(map[string]int, len(all))
	for i := range all {
		at[all[i].ID] = i
	}
	return at
}

// find is pick for many: most ids are whole.
func find(all []Issue, at map[string]int, id string) (Issue, error) {
	if i, ok := at[id]; ok {
		return all[i], nil
	}
	return pick(all, id)
}

// circles returns, for each issue that waits for itself by way of others, that
// way as "a → b → a". Of several circles through one issue, one is named.
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
			name(all, way[from:], found)
		}
	}
	return found
}

// stuck returns those that can never be over, each with what it waits for among
// them: what is left when all that waits for nothing is done, again and again.
func stuck(all []Issue, at map[string]int) map[int][]int {
	needs, needed := map[int][]int{}, map[int][]int{}
	for n, i := range all {
		for _, id := range i.Waits {
			if need, known := at[id]; known && !i.Status.Over() {
				needs[n] = append(needs[n], need)
				needed[need] = append(needed[need], n)
			}
		}
	}
	var done []int
	for n := range all {
		if len(needs[n]) == 0 {
			done = append(done, n)
		}
	}
	for len(done) > 0 {
		n := done[len(done)-1]
		done = done[:len(done)-1]
		for _, after := range needed[n] {
			needs[after] = slices.DeleteFunc(needs[after], func(need int) bool { return need == n })
			if len(needs[after]) == 0 {
				done = append(done, after)
			}
		}
	}
	return needs
}

// name writes the way of a circle for all that are on it, from the id that sorts
// first, so that it reads the same each time.
func name(all []Issue, circle []int, found map[string]string) {
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
