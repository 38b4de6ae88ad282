package link

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"sync"
	"time"
)

// A large body travels in pieces, each a message that waits for its answer. Other messages go between them, so a file
// never holds up a question.
const (
	piece   = 256 << 10 // bytes
	keySize = 16

	kindPart  = ".part"  // a key, and the next piece of a request
	kindWhole = ".whole" // a key, and the kind of the request whose pieces have come
	kindMore  = ".more"  // answers a request: a key, and the size of a reply that is fetched
	kindPull  = ".pull"  // a key, and from where on the next piece of the reply is wanted
)

// maxBody is how many bytes a body may have. A file of 20 MB fits into it, as JSON has it.
const maxBody = 40 << 20

// forgetAfter is how long the pieces of a body are kept after the last one that was sent or fetched.
const forgetAfter = time.Minute

// Pieces are bodies that come or go in parts, together at most maxBody bytes.
type pieces struct {
	mu     sync.Mutex
	bodies map[string]*kept
	size   int
}

type kept struct {
	body []byte
	at   time.Time
}

// add appends to the body with a key.
func (s *pieces) add(key string, more []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for k, old := range s.bodies {
		if now.Sub(old.at) > forgetAfter {
			s.drop(k)
		}
	}
	if s.size+len(more) > maxBody {
		s.drop(key)
		return &Refusal{codeBusy, "the machine has too much at once"}
	}
	if s.bodies == nil {
		s.bodies = map[string]*kept{}
	}
	b := s.bodies[key]
	if b == nil {
		b = &kept{}
		s.bodies[key] = b
	}
	b.body, b.at = append(b.body, more...), now
	s.size += len(more)
	return nil
}

// drop forgets a body. The caller holds mu.
func (s *pieces) drop(key string) {
	if b := s.bodies[key]; b != nil {
		s.size -= len(b.body)
		delete(s.bodies, key)
	}
}

// take returns a body and forgets it.
func (s *pieces) take(key string) (body []byte, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.bodies[key]
	if b == nil {
		return nil, false
	}
	s.drop(key)
	return b.body, true
}

// from returns the piece of a body that begins at a place. After the last piece the body is forgotten.
func (s *pieces) from(key string, at uint64) (part []byte, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.bodies[key]
	if b == nil || at >= uint64(len(b.body)) {
		return nil, false
	}
	rest := b.body[at:]
	b.at = time.Now()
	if len(rest) <= piece {
		s.drop(key)
	}
	return rest[:min(len(rest), piece)], true
}

func newKey() []byte {
	key := make([]byte, keySize)
	_, _ = rand.Read(key) // it never fails
	return key
}

var errPieces = &Refusal{codeFailed, "the pieces of a message are not known: say it again"}

// upload sends a large body before its request, and returns the request that stands for both.
func (l *line) upload(ctx context.Context, kind string, body []byte) (string, []byte, error) {
	key := newKey()
	for rest := body; len(rest) > 0; rest = rest[min(len(rest), piece):] {
		part := append(key[:keySize:keySize], rest[:min(len(rest), piece)]...)
		if _, err := l.ask(ctx, kindPart, part); err != nil {
			return "", nil, err
		}
	}
	return kindWhole, append(key, kind...), nil
}

// download fetches the reply that a message of the kind kindMore announces.
func (l *line) download(ctx context.Context, more []byte) ([]byte, error) {
	if len(more) != keySize+8 {
		return nil, errPieces
	}
	key, size := more[:keySize], binary.BigEndian.Uint64(more[keySize:])
	if size > maxBody {
		return nil, fmt.Errorf("%w: the reply has %d", ErrTooLarge, size)
	}
	var body []byte
	for uint64(len(body)) < size {
		a, err := l.ask(ctx, kindPull, binary.BigEndian.AppendUint64(key[:keySize:keySize], uint64(len(body))))
		if err != nil {
			return nil, err
		}
		if len(a.body) == 0 || uint64(len(body)+len(a.body)) > size {
			return nil, errPieces
		}
		body = append(body, a.body...)
	}
	return body, nil
}

// answerPart answers a message about the pieces of a body. It returns the request whose pieces have all come.
func (l *line) answerPart(e *envelope, body []byte) (kind string, whole []byte, ok bool) {
	if len(body) <= keySize {
		l.answer(e.n, nil, errPieces)
		return "", nil, false
	}
	key, rest := string(body[:keySize]), body[keySize:]
	var reply []byte
	var err error = errPieces
	switch {
	case e.kind == kindPart:
		err = l.come.add(key, rest)
	case e.kind == kindPull && len(rest) == 8:
		if part, isKnown := l.gone.from(key, binary.BigEndian.Uint64(rest)); isKnown {
			reply, err = part, nil
		}
	case e.kind == kindWhole:
		if whole, ok = l.come.take(key); ok {
			return string(rest), whole, true
		}
	}
	l.answer(e.n, reply, err)
	return "", nil, false
}

// reply answers a request, with a large reply in pieces that the other side fetches.
func (l *line) reply(re uint64, reply []byte, err error) {
	if err == nil && len(reply) > maxBody {
		err = ErrTooLarge
	}
	if err != nil || len(reply) <= piece {
		l.answer(re, reply, err)
		return
	}
	key := newKey()
	if err := l.gone.add(string(key), reply); err != nil {
		l.answer(re, nil, err)
		return
	}
	_, _, _ = l.send(kindMore, re, binary.BigEndian.AppendUint64(key, uint64(len(reply)))) // as in answer
}
