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
	for i := range all {
		resolve(all, &all[i])
	}
	at := index(all)
	for i := range all {
		if way := circle(all, at, all[i].ID); way != "" && all[i].Broken == "" && !all[i].Status.Over() {
			all[i].Broken = where(all[i]) + ErrCycle.Error() + ": " + way
		}
	}
}

// resolve replaces the prefixes of an issue's needs by whole ids.
func resolve(all []Issue, i *Issue) {
	i.Waits = nil
	for n, id := range i.Needs {
		need, err := pick(all, id)
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

// circle returns the way from an issue over what it needs back to itself, as
// "a → b → a", or "". Issues that are over hold nobody up and end a way.
func circle(all []Issue, at map[string]int, from string) string {
	seen := map[string]bool{}
	var walk func(id string, way []string) []string
	walk = func(id string, way []string) []string {
		i, known := at[id]
		if !known || all[i].Status.Over() || seen[id] {
			return nil
		}
		seen[id] = true
		for _, need := range all[i].Needs {
			if need == from {
				return append(slices.Clone(way), from)
			}
			if found := walk(need, append(way, need)); found != nil {
				return found
			}
		}
		return nil
	}
	return strings.Join(walk(from, []string{from}), " → ")
}
