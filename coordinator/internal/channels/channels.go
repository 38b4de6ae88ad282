// Package channels holds the channels that a coordinator runs, each under its name.
package channels

import (
	"context"
	"errors"
	"sync"

	"github.com/afar-sh/afar/coordinator/internal/core"
)

// A Channel is a way to the person: it shows them what core has for it, and tells core
// what they do.
type Channel interface {
	// Run works until ctx ends.
	Run(ctx context.Context)
	// Say tells the person something at once, without the database.
	Say(ctx context.Context, text string) error
}

// A Set is the channels of one coordinator. The zero Set has none.
type Set struct {
	names []string
	makes []func(*core.Core) Channel
	all   []Channel
}

// Register adds a channel. Core knows it by this name; make is called once, by Open.
func (s *Set) Register(name string, make func(*core.Core) Channel) {
	s.names = append(s.names, name)
	s.makes = append(s.makes, make)
}

// Names returns the names of all registered channels.
func (s *Set) Names() []string { return s.names }

// Open makes all registered channels.
func (s *Set) Open(c *core.Core) {
	for _, make := range s.makes {
		s.all = append(s.all, make(c))
	}
}

// Run runs all open channels until ctx ends.
func (s *Set) Run(ctx context.Context) {
	var parts sync.WaitGroup
	for _, ch := range s.all {
		parts.Go(func() { ch.Run(ctx) })
	}
	parts.Wait()
}

// Say tells the person something at once, on each open channel.
func (s *Set) Say(ctx context.Context, text string) (err error) {
	for _, ch := range s.all {
		err = errors.Join(err, ch.Say(ctx, text))
	}
	return err
}
