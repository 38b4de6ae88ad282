// Package upkeep looks after one home: it writes the files of sessions, carries out marks that were
// left while no coordinator answered, drops old data, keeps good copies of the database, compares
// transcripts with the ledger of the hooks, checks the coordinator's own parts, and tells the person
// when nothing can be written to the disk. It changes state only through core.
package upkeep

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/ledger"
)

// A Keeper drops old data, keeps good copies of the database, and tells the person when nothing can
// be written to the disk.
type Keeper struct {
	core  *feature.Core
	store *store.Store
	calls string // directory of the records of calls
	log   *slog.Logger
	say   func(ctx context.Context, text string) error
}

// NewKeeper returns a Keeper of these parts. calls is the directory of the records of calls;
// say tells the person something without writing to the disk first.
func NewKeeper(
	c *feature.Core, s *store.Store, calls string, say func(context.Context, string) error, log *slog.Logger,
) *Keeper {
	return &Keeper{core: c, store: s, calls: calls, say: say, log: log}
}

// Run works until ctx ends.
func (k *Keeper) Run(ctx context.Context) {
	var parts sync.WaitGroup
	defer parts.Wait()
	parts.Go(func() { k.forget(ctx) })
	k.watchDisk(ctx)
}

const (
	forgetFirst = time.Minute         // after a start, which has more to do
	forgetEvery = 24 * time.Hour      // between two rounds of dropping old data
	keepFor     = 30 * 24 * time.Hour // how long records of calls are kept
)

func (k *Keeper) forget(ctx context.Context) {
	next := time.NewTimer(forgetFirst)
	defer next.Stop()
	for {
		select {
		case <-next.C:
		case <-ctx.Done():
			return
		}
		now := time.Now()
		if err := errors.Join(k.store.Forget(now), k.core.Forget()); err != nil {
			k.log.Error("forget old rows", "err", err)
		}
		if err := k.store.Copy(now); err != nil {
			k.log.Error("keep a good copy", "err", err)
		}
		if err := ledger.Forget(k.calls, now.Add(-keepFor)); err != nil {
			k.log.Error("forget old records of calls", "err", err)
		}
		next.Reset(forgetEvery)
	}
}

// probeEvery is the time between two tries to write to a disk that failed.
const probeEvery = 5 * time.Second

// watchDisk tells the person when writes to the disk fail, and when they work again, until
// ctx ends.
func (k *Keeper) watchDisk(ctx context.Context) {
	changed := k.core.Subscribe(core.Disk)
	defer changed.Close()
	for ctx.Err() == nil {
		since, err := k.core.Unwritable()
		if err != nil {
			k.awaitDisk(ctx, since, err)
			continue
		}
		select {
		case <-changed.C:
		case <-ctx.Done():
		}
	}
}

// awaitDisk tells the person what is wrong, and waits until a write works.
func (k *Keeper) awaitDisk(ctx context.Context, since time.Time, err error) {
	k.log.Error("the disk takes nothing", "err", err)
	if failed := k.say(ctx, k.unwritable(err)); failed != nil {
		k.log.Warn("tell the person that the disk takes nothing", "err", failed)
	}
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	for err != nil {
		select {
		case <-tick.C:
			err = k.core.Probe()
		case <-ctx.Done():
			return
		}
	}
	k.log.Info("the disk takes writes again")
	if err := k.core.Recovered(since); err != nil {
		k.log.Error("tell the person that the disk takes writes again", "err", err)
	}
}

func (k *Keeper) unwritable(err error) string {
	return fmt.Sprintf("💾 Afar on %s cannot write: %v.\n\n"+
		"Until that is mended, questions stay at the terminal, and sessions that nobody attends are refused what "+
		"they ask for. Your answers wait and are not lost. `afar doctor` says more.", home.Machine(), err)
}
