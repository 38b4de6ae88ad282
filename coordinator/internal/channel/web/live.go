package web

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/page"
)

// Times of a stream.
const (
	settleFor = 20 * time.Millisecond // changes that come together are shown together
	settleBy  = 3                     // and no less than so many times what it takes to render the pages
	lookEvery = time.Second           // how often an open page looks at the files of the host
	beatEvery = 20 * time.Second      // how often an idle stream shows that it lives
)

// A round renders pages. What they show is true up to a journal entry at least.
type round struct {
	seq    int64
	render func(path string) ([]page.Section, error)
}

// feeds holds what the open pages show. Pages with the same path share one feed, so that a
// change is rendered once for all of them.
type feeds struct {
	begin func(ctx context.Context) round
	turn  sync.Mutex // held during a round, so that the last one to begin is the last to publish

	mu    sync.Mutex // guards all below
	feeds map[string]*feed
	wake  chan struct{} // tells run that something has changed
}

// A feed is what one path shows now.
type feed struct {
	readers map[chan struct{}]struct{} // each is told of a change
	shown
	err error
}

// A shown is what a page shows, true up to a journal entry at least.
type shown struct {
	sections []page.Section
	seq      int64
}

// run renders the open pages again at each change of core, until ctx ends.
func (f *feeds) run(ctx context.Context, c *feature.Core) {
	sub := c.Subscribe(core.Anything, core.Transcripts, core.Disk)
	defer sub.Close()
	for {
		var look <-chan time.Time
		if f.watched() {
			look = time.After(lookEvery)
		}
		select {
		case <-look: // the host's files change without core
		case <-sub.C:
		case <-f.wake:
		case <-ctx.Done():
			return
		}
		begin := time.Now()
		f.renderAll(ctx)
		select {
		case <-time.After(max(settleFor, settleBy*time.Since(begin))):
		case <-ctx.Done():
			return
		}
	}
}

// changed makes run render the open pages.
func (f *feeds) changed() {
	select {
	case f.wake <- struct{}{}:
	default: // it will look anyway
	}
}

func (f *feeds) renderAll(ctx context.Context) {
	f.mu.Lock()
	paths := make([]string, 0, len(f.feeds))
	for path := range f.feeds {
		paths = append(paths, path)
	}
	f.mu.Unlock()
	if len(paths) == 0 {
		return
	}
	f.render(ctx, paths...)
}

// render renders some paths in one round and tells their readers.
func (f *feeds) render(ctx context.Context, paths ...string) {
	f.turn.Lock()
	defer f.turn.Unlock()
	now := f.begin(ctx)
	for _, path := range paths {
		sections, err := now.render(path)
		f.publish(path, shown{sections: sections, seq: now.seq}, err)
	}
}

func (f *feeds) publish(path string, now shown, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	open, ok := f.feeds[path]
	if !ok {
		return
	}
	open.shown, open.err = now, err
	for reader := range open.readers {
		select {
		case reader <- struct{}{}:
		default: // it has not read the last change yet, and will read both
		}
	}
}

// open returns a channel that is told of each change of a path, and of what the path shows
// now. The caller calls leave.
func (f *feeds) open(ctx context.Context, path string) (told chan struct{}, leave func()) {
	told = make(chan struct{}, 1)
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.feeds[path]
	switch {
	case now == nil:
		now = &feed{readers: map[chan struct{}]struct{}{}}
		f.feeds[path] = now
		go f.render(context.WithoutCancel(ctx), path) // for later readers too; it may be slow
		f.changed()                                   // run looks at the files from now on
	case now.sections != nil:
		told <- struct{}{}
	}
	now.readers[told] = struct{}{}
	return told, func() { f.leave(path, told) }
}

// leave ends the interest of a reader in a path.
func (f *feeds) leave(path string, told chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.feeds[path].readers, told)
	if len(f.feeds[path].readers) == 0 {
		delete(f.feeds, path)
	}
}

// watched reports whether any page is open.
func (f *feeds) watched() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.feeds) > 0
}

func (f *feeds) now(path string) (shown, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if open := f.feeds[path]; open != nil {
		return open.shown, open.err
	}
	return shown{}, nil
}

// live streams the changes of one page. Each event carries the sections that differ from
// what this reader has, and the sequence number of the journal up to which it is true. A
// reader that comes back gets all sections, so it misses nothing.
func (c *Channel) live(w http.ResponseWriter, r *http.Request) {
	path := localPath(r.FormValue("at"))
	s := stream{out: http.NewResponseController(w), w: w, within: c.limits.read, has: map[string][]byte{}}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	told, leave := c.feeds.open(r.Context(), path)
	defer leave()
	ended := c.cfg.Core.Subscribe(feature.Browsers)
	defer ended.Close()
	if _, ok := c.browser(r); !ok {
		return // it was signed out before ended was told of it
	}
	_ = s.out.SetReadDeadline(time.Time{}) // the stream lasts longer than a request
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	err := s.send("retry: 1000\n\n")
	for err == nil {
		select {
		case <-told:
			now, failed := c.feeds.now(path)
			if failed != nil {
				c.cfg.Log.Error("render a page", "path", path, "err", failed)
				continue
			}
			err = s.sendChanges(now)
		case <-ended.C:
			if _, ok := c.browser(r); !ok {
				return // it was signed out
			}
		case <-beat.C:
			err = s.send(":\n\n")
		case <-r.Context().Done():
			return
		}
	}
}

// A stream is the way to one open page.
type stream struct {
	out    *http.ResponseController
	w      http.ResponseWriter
	within time.Duration     // how long the page may take to read what is sent
	has    map[string][]byte // the sections that it was sent
}

// send writes to the page. A reader that does not take it in time is dropped: it comes back
// and gets what it missed.
func (s *stream) send(text string) error {
	if err := s.out.SetWriteDeadline(time.Now().Add(s.within)); err != nil {
		return err
	}
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	return s.out.Flush()
}

// sendChanges sends the sections that the page does not have, as one event. Its id is the
// journal entry up to which they are true.
func (s *stream) sendChanges(now shown) error {
	var changed bytes.Buffer
	for _, section := range now.sections {
		if bytes.Equal(s.has[section.ID], section.HTML) {
			continue
		}
		s.has[section.ID] = section.HTML
		if err := page.Partial(&changed, section); err != nil {
			return err
		}
	}
	if changed.Len() == 0 {
		return nil
	}
	return s.send(eventText(now.seq, changed.Bytes()))
}

// eventText returns one event of a stream. A line break in data begins a new data line.
func eventText(id int64, data []byte) string {
	var out bytes.Buffer
	fmt.Fprintf(&out, "id: %d\n", id)
	for line := range bytes.Lines(data) {
		fmt.Fprintf(&out, "data: %s\n", bytes.TrimRight(line, "\r\n"))
	}
	out.WriteByte('\n')
	return out.String()
}
