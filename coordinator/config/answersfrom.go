package config

import (
	"fmt"
	"slices"
	"strings"
)

// A Channel is a place where a person can answer; answers_from can name it.
type Channel struct{ name string }

// Channels is the value of answers_from.
type Channels []Channel

// channels are the places where a person can answer.
var channels = []string{"telegram", "web", "terminal"}

// UnmarshalText reads the name of a channel.
func (c *Channel) UnmarshalText(text []byte) error {
	name := string(text)
	if !slices.Contains(channels, name) {
		return fmt.Errorf("answers_from names %q, where nobody can answer; want %s", name,
			strings.Join(channels, " or "))
	}
	*c = Channel{name}
	return nil
}

// Names returns the names of the channels; nil means all channels.
func (c Channels) Names() (names []string) {
	for _, name := range c {
		names = append(names, name.name)
	}
	return names
}

// check refuses an empty list, which would let no channel answer, and a name that
// occurs twice.
func (c Channels) check() error {
	if c != nil && len(c) == 0 {
		return fmt.Errorf("answers_from is empty, so nobody could answer; want %s, or leave it out",
			strings.Join(channels, ", "))
	}
	for i, name := range c {
		if slices.Contains(c[:i], name) {
			return fmt.Errorf("answers_from names %q twice", name.name)
		}
	}
	return nil
}
