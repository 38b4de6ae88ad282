package modulework

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/module"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
)

// A source keeps the command of one module running.
type source struct {
	w    *Worker
	name module.Name
	hash string // of the content that the person enabled

	stop context.CancelFunc
	over chan struct{} // closed when the command has ended for good

	mu     sync.Mutex // guards those below
	status module.Status
	end    context.CancelFunc // ends the command, or the pause after it
}

func (s *source) set(f func(*module.Status)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.status)
}

// run starts the command again and again until ctx ends.
func (s *source) run(ctx context.Context) {
	defer close(s.over)
	var backoff module.Backoff
	for ctx.Err() == nil {
		turn, end := context.WithCancel(ctx)
		s.mu.Lock()
		s.status, s.end = module.Status{}, end
		s.mu.Unlock()
		began := time.Now()
		err := s.once(turn)
		switch {
		case errors.Is(err, feature.ErrDisabled):
			end()
			return
		case turn.Err() != nil: // a person wants it anew, or ctx has ended
			backoff = module.Backoff{}
		default:
			backoff = s.rest(turn, backoff, time.Since(began), err)
		}
		end()
	}
}

// rest notes that the command has ended by itself after a while, and waits before the next start.
func (s *source) rest(
	ctx context.Context, b module.Backoff, ran time.Duration, err error,
) module.Backoff {
	b, pause := b.Ended(ran)
	why := "it ended without an error"
	if err != nil {
		why = err.Error()
	}
	s.set(func(now *module.Status) { *now = module.Status{Next: time.Now().Add(pause), Ends: b.Ends, Why: why} })
	said, tell := why+"; again in "+pause.String(), b.Ends == module.TellAfter
	if err := s.w.cfg.Core.EndedSource(s.name, said, tell); err != nil {
		s.w.cfg.Log.Error("note the end of a source", "module", s.name, "err", err)
	}
	select {
	case <-time.After(pause):
	case <-ctx.Done():
		return module.Backoff{}
	}
	return b
}

// graceFor is how long a source may go on after it was told to end.
const graceFor = 2 * time.Second

// once runs the command to its end, if the folder still is what the person enabled.
func (s *source) once(ctx context.Context) error {
	c, err := s.w.cfg.Folder.Read(s.name)
	if why := differs(s.hash, c, err); why != "" {
		return errors.Join(feature.ErrDisabled, s.w.cfg.Core.LookedAtModule(s.name, s.hash, why))
	}
	dir, err := s.w.approved(s.name, s.hash)
	if errors.Is(err, feature.ErrDisabled) {
		return errors.Join(err, s.w.cfg.Core.LookedAtModule(s.name, s.hash, "its folder was changed"))
	}
	if err != nil {
		return err
	}
	p, err := s.w.program(s.name, dir, c.Source.Command, c.Source.EnvFile)
	if err != nil {
		return err
	}
	s.w.endLeft(s.name)
	defer s.w.endLeft(s.name)
	out := &lines{ctx: ctx, event: s.take(ctx), garbled: s.garbled(ctx)}
	p.Lines, p.Grace, p.Started = out, graceFor, s.started
	result, err := p.Run(ctx)
	if out.failed == nil {
		out.failed = out.end() // the last line may have no end
	}
	switch said := last(result.Said); {
	case out.failed != nil:
		return out.failed
	case err != nil && said != "":
		return fmt.Errorf("%w: %s", err, said)
	}
	return err
}

// mostSaid bounds how much of the last words of a source is shown, in characters.
const mostSaid = 200

// last returns the last line that a source printed on stderr.
func last(said string) string {
	said = strings.TrimSpace(said)
	said = said[strings.LastIndexByte(said, '\n')+1:]
	return text.Clip(redact.Visible(redact.Clean(said)), mostSaid)
}

// take returns what passes an event on, and tries again until that succeeds.
func (s *source) take(ctx context.Context) func(module.Event) error {
	return func(e module.Event) error {
		return s.surely(ctx, func() error { return s.w.cfg.Core.TakeEvent(s.name, s.hash, e) })
	}
}

func (s *source) garbled(ctx context.Context) func(why string) error {
	return func(why string) error {
		return s.surely(ctx, func() error { return s.w.cfg.Core.GarbledLine(s.name, s.hash, why) })
	}
}

// retryAfter is the pause after core could not record a line.
const retryAfter = 5 * time.Second

// surely calls f until it succeeds, the module is disabled or ctx ends.
func (s *source) surely(ctx context.Context, f func() error) error {
	for {
		err := f()
		if err == nil || errors.Is(err, feature.ErrDisabled) {
			return err
		}
		s.w.cfg.Log.Error("record a line of a source", "module", s.name, "err", err)
		select {
		case <-time.After(retryAfter):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *source) started(pid int) {
	s.set(func(now *module.Status) { now.PID, now.Since = pid, time.Now() })
	if err := s.w.cfg.Core.StartedSource(s.name, pid); err != nil {
		s.w.cfg.Log.Error("note the start of a source", "module", s.name, "err", err)
	}
}
