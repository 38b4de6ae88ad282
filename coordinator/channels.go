package coordinator

import (
	"context"
	"errors"
	"sync"

	"github.com/afar-sh/afar/coordinator/internal/feature"
)

// A channel is a way to the person: it shows them what core has for it, and tells core
// what they do.
type channel interface {
	// run works until ctx ends.
	Run(ctx context.Context)
	// say tells the person something at once, without the database.
	Say(ctx context.Context, text string) error
}

// channels are the channels of one coordinator, each under its name. The zero value has none.
type channels struct {
	names []string
	makes []func(*feature.Core) (channel, error)
	all   []channel
}

// register adds a channel. Core knows it by this name; make is called once, by Open.
func (s *channels) register(name string, make func(*feature.Core) (channel, error)) {
	s.names = append(s.names, name)
	s.makes = append(s.makes, make)
}

// open makes all registered channels.
func (s *channels) open(c *feature.Core) error {
	for _, make := range s.makes {
		ch, err := make(c)
		if err != nil {
			return err
		}
		s.all = append(s.all, ch)
	}
	return nil
}

// run runs all open channels until ctx ends.
func (s *channels) run(ctx context.Context) {
	var parts sync.WaitGroup
	for _, ch := range s.all {
		parts.Go(func() { ch.Run(ctx) })
	}
	parts.Wait()
}

// say tells the person something at once, on each open channel.
func (s *channels) say(ctx context.Context, text string) (err error) {
	for _, ch := range s.all {
		err = errors.Join(err, ch.Say(ctx, text))
	}
	return err
}
