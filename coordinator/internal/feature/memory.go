package feature

import (
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// SeeFacts remembers that facts are in memory, by their digests.
func (c *Core) SeeFacts(digests []string) error {
	return c.do(func(s *draft) error {
		for _, digest := range digests {
			if _, known := s.facts.Rows[digest]; !known {
				s.facts.Put(s.Batch, store.FactSeen{Digest: digest, At: s.Now})
			}
		}
		return nil
	})
}

// SeenFacts returns a function that reports whether a digest was in memory once.
func (c *Core) SeenFacts() func(digest string) bool {
	return func(digest string) (seen bool) {
		c.view(func(s *draft) { _, seen = s.facts.Rows[digest] })
		return seen
	}
}
