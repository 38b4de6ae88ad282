package hooks

import (
	"bytes"
	"encoding/hex"
	"hash"
	"hash/fnv"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	tailBytes = 4096
	longLine  = 64 << 10 // a line that is longer is taken in pieces
)

// An output takes in what a check prints. It keeps the end, and a digest of all
// of it in which times count for nothing: the same failure twice is the same,
// though it took a little longer.
type output struct {
	mu   sync.Mutex // the program writes while the watch reads
	tail []byte
	told int    // bytes of tail that were told already
	line []byte // begun and not ended
	sum  hash.Hash
}

func newOutput() *output { return &output{sum: fnv.New128a()} }

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.digest(p)
	o.tail = append(o.tail, p...)
	if drop := len(o.tail) - tailBytes; drop > 0 {
		o.tail = append(o.tail[:0], o.tail[drop:]...)
		o.told = max(0, o.told-drop)
	}
	return len(p), nil
}

func (o *output) digest(p []byte) {
	for len(p) > 0 {
		n := bytes.IndexByte(p, '\n') + 1
		if n == 0 {
			n = len(p)
		}
		n = min(n, longLine-len(o.line))
		o.line = append(o.line, p[:n]...)
		if p[n-1] == '\n' || len(o.line) == longLine {
			o.endLine()
		}
		p = p[n:]
	}
}

// endLine takes a line into the digest, word by word.
func (o *output) endLine() {
	words := strings.Fields(string(o.line))
	for i, w := range words {
		if varies(w) || i+1 < len(words) && number(w) && slices.Contains(units, bare(words[i+1])) {
			w = "#"
		}
		io.WriteString(o.sum, w+" ")
	}
	o.sum.Write([]byte("\n"))
	o.line = o.line[:0]
}

// units are what a length of time is given in, behind its number.
var units = []string{"ms", "s", "sec", "secs", "second", "seconds", "m", "min", "minutes"}

// varies reports whether a word is of the kind that differs between two runs of
// the same thing: a length of time, a time of day, a date, an address in memory.
func varies(word string) bool {
	word = bare(word)
	if _, err := time.ParseDuration(word); err == nil {
		return !number(word) // a bare 0 is a length too
	}
	marks := strings.Trim(strings.Map(mark, word), "TZ")
	return strings.HasPrefix(word, "0x") || marks != "" && strings.Trim(marks, ":.,-+TZ") == "" && strings.ContainsAny(marks, ":-") && len(word) > len(marks)
}

// mark keeps what stands between digits.
func mark(r rune) rune {
	if r >= '0' && r <= '9' {
		return -1
	}
	return r
}

func bare(word string) string { return strings.Trim(word, "()[]{}<>,;\"'") }

func number(word string) bool {
	_, err := strconv.ParseFloat(bare(word), 64)
	return err == nil
}

// news is what came since the last call, or the end of it.
func (o *output) news() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := string(o.tail[o.told:])
	o.told = len(o.tail)
	return text
}

// end is the end of the output and its digest in hex.
func (o *output) end() (tail, digest string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.line) > 0 {
		o.endLine()
	}
	return string(o.tail), hex.EncodeToString(o.sum.Sum(nil))
}
