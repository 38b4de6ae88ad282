package coordinator

import (
	"context"
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/config"
	"github.com/afar-sh/afar/coordinator/internal/channel/telegram"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// probeEvery is how often a disk that takes nothing is tried again.
const probeEvery = 5 * time.Second

// watchDisk tells the person when nothing can be written, and when it can again,
// until ctx ends.
func (c *Coordinator) watchDisk(ctx context.Context) {
	for ctx.Err() == nil {
		changed := c.core.Changed()
		since, err := c.core.Unwritable()
		if err != nil {
			c.awaitDisk(ctx, since, err)
			continue
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// awaitDisk says what is wrong and tries until the disk takes something.
func (c *Coordinator) awaitDisk(ctx context.Context, since time.Time, err error) {
	c.cfg.Log.Error("the disk takes nothing", "err", err)
	if failed := c.telegram.Say(ctx, unwritableText(err)); failed != nil {
		c.cfg.Log.Warn("tell the person that the disk takes nothing", "err", failed)
	}
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	for err != nil {
		select {
		case <-tick.C:
			err = c.core.Probe()
		case <-ctx.Done():
			return
		}
	}
	c.cfg.Log.Info("the disk takes writes again")
	if err := c.core.Recovered(since); err != nil {
		c.cfg.Log.Error("tell the person that the disk takes writes again", "err", err)
	}
}

func unwritableText(err error) string {
	return fmt.Sprintf("💾 Afar on %s cannot write: %v.\n\nUntil that is mended, questions stay at the terminal, and sessions "+
		"that nobody attends are refused what they ask for. Your answers wait and are not lost. `afar doctor` says more.", machine(), err)
}

// sayFor bounds how long a coordinator that cannot start tries to say so.
const sayFor = 5 * time.Second

// SayCannotStart tells the paired person that no coordinator could start, and
// why, as far as token, API and chat can still be read.
func SayCannotStart(ctx context.Context, cfg Config, why error) error {
	person, api := store.PersonOf(cfg.Dirs.Database()), config.APIOf(cfg.Dirs.ConfigFile())
	if person == nil || api == "" {
		return fmt.Errorf("nobody can be told: the pairing or the API is unknown")
	}
	ctx, cancel := context.WithTimeout(ctx, sayFor)
	defer cancel()
	text := fmt.Sprintf("⚠️ Afar on %s cannot start: %v.\n\nUntil that is mended, questions stay at the terminal, and sessions "+
		"that nobody attends are refused what they ask for. The guard works. `afar doctor` says what to do.", machine(), why)
	return telegram.SayOnce(ctx, telegram.Config{Log: cfg.Log, TokenFile: cfg.Dirs.TokenFile()}, api, person.Chat, text)
}
