package memorywork

import (
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/disk"
	"github.com/afar-sh/afar/coordinator/internal/memory"
)

// readings holds the facts that were read. Only files that have changed are read again.
type readings struct {
	mu sync.Mutex
	of map[string]reading // by path
}

// A reading is what a file said as it was stamped.
type reading struct {
	stamp string
	fact  memory.Fact
	err   error // the file cannot be read as a fact
}

// unsure is how young a file may be for which its stamp proves nothing: two changes within the
// resolution of the file system's clock have the same time.
const unsure = 2 * time.Second

// fact returns the fact of a file.
func (r *readings) fact(path string, name memory.Name) (memory.Fact, error) {
	info, err := os.Lstat(path)
	if err != nil {
		r.drop(path)
		return memory.Fact{}, err
	}
	now := stampOf(info)
	r.mu.Lock()
	known := r.of[path]
	r.mu.Unlock()
	if known.stamp == now {
		return known.fact, known.err
	}
	raw, err := disk.Head(path, memory.MaxFact)
	if err != nil {
		return memory.Fact{}, err
	}
	f, err := memory.Parse(name, string(raw))
	if time.Since(info.ModTime()) > unsure {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.of[path] = reading{now, f, err}
	}
	return f, err
}

func (r *readings) drop(path string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.of, path)
}

// stampOf returns what changes when a file is written.
func stampOf(info os.FileInfo) string {
	return strconv.FormatInt(info.ModTime().UnixNano(), 36) + "/" + strconv.FormatInt(info.Size(), 36)
}
