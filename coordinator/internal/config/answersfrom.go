package config

import (
	"fmt"
	"slices"
	"strings"
)

// channels are the places that answers_from can name.
var channels = []string{"telegram", "web", "terminal"}

// checkAnswersFrom refuses a list that would let nobody answer, or that names
// what is no channel.
func checkAnswersFrom(list []string) error {
	if list != nil && len(list) == 0 {
		return fmt.Errorf("answers_from is empty, so nobody could answer: name %s, or leave it out", strings.Join(channels, ", "))
	}
	for i, name := range list {
		if !slices.Contains(channels, name) {
			return fmt.Errorf("answers_from names %q; channels are %s", name, strings.Join(channels, ", "))
		}
		if slices.Contains(list[:i], name) {
			return fmt.Errorf("answers_from names %q twice", name)
		}
	}
	return nil
}
