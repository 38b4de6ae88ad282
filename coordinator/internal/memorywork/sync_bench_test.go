package memorywork

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// BenchmarkSync changes one of 10,000 facts, and brings the index and INDEX.md up to date.
func BenchmarkSync(b *testing.B) {
	const n = 10_000
	r := newExtractRig(b)
	r.ok(r.w.folder.make())
	write := func(i int, text string) string {
		path := filepath.Join(r.w.folder.dir, fmt.Sprintf("fact-%d.md", i))
		r.ok(os.WriteFile(path, []byte(fmt.Sprintf("# Fact number %d\n\n- from: 2026-11-23\n\n%s\n", i, text)), 0o600))
		return path
	}
	old := time.Now().Add(-time.Hour)
	for i := range n {
		r.ok(os.Chtimes(write(i, strings.Repeat(fmt.Sprintf("It says %d of the server. ", i), 12)), old, old))
	}
	r.ok(r.w.Sync())
	for i := 0; b.Loop(); i++ {
		write(i%n, fmt.Sprint("It was changed, ", i))
		r.ok(r.w.Sync())
	}
}
