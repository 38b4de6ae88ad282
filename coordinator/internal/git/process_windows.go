package git

import (
	"os"

	"github.com/afar-sh/afar/coordinator/home"
)

// A lock is an exclusive lock on a file, held by this process.
type lock struct{ *home.Lock }

func tryLock(path string) (*lock, error) {
	l, err := home.TryLock(path)
	if l == nil {
		return nil, err
	}
	return &lock{l}, nil
}

func (l *lock) release() {
	if l != nil {
		l.Release()
	}
}

func (*lock) files() []*os.File { return nil }
