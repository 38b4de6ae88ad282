package web

import "time"

// Readers returns how many open pages read the stream of the first page.
func (c *Channel) Readers() int {
	c.feeds.mu.Lock()
	defer c.feeds.mu.Unlock()
	if open := c.feeds.feeds["/"]; open != nil {
		return len(open.readers)
	}
	return 0
}

// SetLimits sets how long a browser may take to send a header, to send a request, and to
// read what a stream has for it. It is called before Run.
func (c *Channel) SetLimits(header, whole, read time.Duration) {
	c.limits.header, c.limits.whole, c.limits.read = header, whole, read
}

// SetNow sets the clock. No page may be open.
func (c *Channel) SetNow(now func() time.Time) { c.cfg.Now = now }
