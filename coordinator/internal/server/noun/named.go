package noun

import (
	"fmt"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// An unclear says what to type instead of a name that matches several things, or everything.
type unclear string

func (u unclear) Error() string { return string(u) }

func (unclear) Unwrap() error { return door.ErrBadRequest }

// resolveID returns the id that a person typed, or the only id with the typed beginning. The
// head that all ids have may be left out. A text that matches no id is returned as it is:
// it may be an old id, and core knows how that ended.
func resolveID(typed, head string, ids []string) (string, error) {
	if slices.Contains(ids, typed) {
		return typed, nil
	}
	rest := strings.TrimPrefix(typed, head)
	if rest == "" {
		return "", unclear(fmt.Sprintf("%q is the beginning of every id: type more of it", typed))
	}
	var found []string
	for _, id := range ids {
		if strings.HasPrefix(id, head+rest) {
			found = append(found, id)
		}
	}
	switch len(found) {
	case 0:
		return typed, nil
	case 1:
		return found[0], nil
	}
	slices.Sort(found)
	return "", unclear(fmt.Sprintf("%q could be %s: type more of it", typed, strings.Join(found, " or ")))
}

// leastTyped is the least number of characters of an id that is shown.
const leastTyped = 8

// beginnings returns, for each id, the shortest beginning that no other id has, but at
// least leastTyped characters. A person can type it in place of the id, see resolveID.
func beginnings(ids []string) map[string]string {
	ids = slices.Sorted(slices.Values(ids))
	out := make(map[string]string, len(ids))
	for i, id := range ids {
		n := leastTyped
		for _, near := range ids[max(0, i-1):min(len(ids), i+2)] {
			if near != id {
				n = max(n, common(id, near)+1)
			}
		}
		out[id] = id[:min(n, len(id))]
	}
	return out
}

// common returns how many bytes two texts begin with in common.
func common(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// session returns the session that a person named by its token or its id. For a session
// that has not ended, the beginning of the token is enough.
func (s *Server) session(name string) (session.Session, error) {
	if v, err := s.cfg.Core.Session(name); err == nil {
		return v, nil
	}
	var tokens []string
	for _, v := range s.cfg.Core.Sessions() {
		if v.State != session.Ended {
			tokens = append(tokens, v.Token)
		}
	}
	name, err := resolveID(name, "", tokens)
	if err != nil {
		return session.Session{}, err
	}
	v, err := s.cfg.Core.Session(name)
	if err != nil {
		return v, fmt.Errorf("%w; `afar status` lists the sessions", err)
	}
	return v, nil
}
