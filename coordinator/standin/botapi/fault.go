package botapi

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"strings"
	"time"
)

type faultKind int

const (
	faultError    faultKind = iota // answer err, do nothing
	faultGarbage                   // answer a proxy's HTML page, do nothing
	faultReset                     // reset the connection, do nothing
	faultHang                      // wait for release, then go on
	faultDrop                      // do it, then reset the connection
	faultTruncate                  // do it, then cut the answer in half
	faultWithhold                  // do it, say so, and answer nobody
)

// A fault is an error of the network or the server in the next call of a method.
type fault struct {
	kind    faultKind
	err     *apiError
	release chan struct{}
}

// A limit allows n sends or edits in any period of length per.
type limit struct {
	n     int
	per   time.Duration
	taken []time.Time
	until time.Time // told to the bot as retry_after, so it holds
	// common marks a chat's own copy of the limit set for chat 0.
	common bool
}

// FailNext refuses the next call of method with this error and changes nothing.
// retryAfter, in seconds, goes out as a parameter when it is not 0. Faults of
// one method queue up; an empty method means the next call of any but
// getUpdates.
func (s *Server) FailNext(method string, code int, desc string, retryAfter int) {
	s.addFault(method, fault{err: &apiError{code: code, text: desc, retryAfter: retryAfter}})
}

// Garbage answers the next call of method with a proxy's 502 page, which is not
// JSON, and changes nothing.
func (s *Server) Garbage(method string) { s.addFault(method, fault{kind: faultGarbage}) }

// Reset resets the connection of the next call of method, which changes nothing.
func (s *Server) Reset(method string) { s.addFault(method, fault{kind: faultReset}) }

// DropReply carries the next call of method out and then resets the connection, so that the
// bot does not know that the call took effect.
func (s *Server) DropReply(method string) { s.addFault(method, fault{kind: faultDrop}) }

// Truncate carries the next call of method out and answers 200 with half of the
// JSON.
func (s *Server) Truncate(method string) { s.addFault(method, fault{kind: faultTruncate}) }

// Withhold carries the next call of method out and never answers it. The channel is closed when the
// call has taken effect.
func (s *Server) Withhold(method string) (done <-chan struct{}) {
	ch := make(chan struct{})
	s.addFault(method, fault{kind: faultWithhold, release: ch})
	return ch
}

// Hang delays the next call of method until release is called, and then carries it out. If
// the bot hangs up first, the call is not carried out. release may be called more than once.
func (s *Server) Hang(method string) (release func()) {
	ch := make(chan struct{})
	s.addFault(method, fault{kind: faultHang, release: ch})
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		select {
		case <-ch:
		default:
			close(ch)
		}
	}
}

// Limit allows the bot n sends or edits in a chat in any period of length per, and answers
// 429 to the others. All calls are then refused until the end of retry_after, which is in
// whole seconds. Chat 0 stands for each chat without a limit of its own. n 0 removes the
// limit.
func (s *Server) Limit(chat int64, n int, per time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.limits, func(id int64, l *limit) bool {
		return id == chat || chat == 0 && l.common
	})
	if n > 0 {
		s.limits[chat] = &limit{n: n, per: per}
	}
}

func (s *Server) addFault(method string, f fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := strings.ToLower(method)
	s.faults[key] = append(s.faults[key], f)
}

// takeFault removes and returns the fault of the next call of a method.
func (s *Server) takeFault(method string) (fault, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range []string{method, ""} {
		if key == "" && method == "getupdates" {
			continue
		}
		if waiting := s.faults[key]; len(waiting) > 0 {
			s.faults[key] = waiting[1:]
			s.wake()
			return waiting[0], true
		}
	}
	return fault{}, false
}

// take counts one send or edit in a chat, or refuses it. The caller holds mu.
func (s *Server) take(chat int64, now time.Time) error {
	l, ok := s.limits[chat]
	if !ok {
		if l, ok = s.limits[0]; !ok {
			return nil
		}
		l = &limit{n: l.n, per: l.per, common: true}
		s.limits[chat] = l
	}
	return l.take(now)
}

func (l *limit) take(now time.Time) error {
	for len(l.taken) > 0 && now.Sub(l.taken[0]) >= l.per {
		l.taken = l.taken[1:]
	}
	if now.Before(l.until) {
		return tooMany(l.until.Sub(now))
	}
	if len(l.taken) >= l.n {
		wait := l.per - now.Sub(l.taken[0])
		err := tooMany(wait)
		l.until = now.Add(time.Duration(err.retryAfter) * time.Second)
		return err
	}
	l.taken = append(l.taken, now)
	return nil
}

func tooMany(wait time.Duration) *apiError {
	seconds := max(1, int(math.Ceil(wait.Seconds())))
	return &apiError{
		code:       http.StatusTooManyRequests,
		text:       fmt.Sprintf("Too Many Requests: retry after %d", seconds),
		retryAfter: seconds,
	}
}
