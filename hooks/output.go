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
	longLine  = 64 << 10 // a longer line is digested in pieces
)

// An output collects what a check prints. It keeps the end, and a digest of the
// whole. The digest ignores times, so that the same failure has the same digest
// even if it took a little longer.
type output struct {
	mu   sync.Mutex // the program writes while the watch reads
	tail []byte
	told int    // bytes of tail that news has returned
	line []byte // the current line, not yet ended
	sum  hash.Hash
}

func newOutput() *output { return &output{sum: fnv.New128a()} }

// Write takes what the check prints. It returns no error.
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

// digest adds p to the digest, line by line.
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

// endLine adds the current line to the digest, word by word.
func (o *output) endLine() {
	words := strings.Fields(string(o.line))
	for i, w := range words {
		if varies(w) || beginDuration(words[i:]) {
			w = "#"
		}
		io.WriteString(o.sum, w+" ")
	}
	o.sum.Write([]byte("\n"))
	o.line = o.line[:0]
}

// units are the units of time that may follow a number.
var units = []string{"ms", "s", "sec", "secs", "second", "seconds", "m", "min", "minutes"}

// beginDuration reports whether words begin with a number and a unit of time.
func beginDuration(words []string) bool {
	if len(words) < 2 {
		return false
	}
	return isNumber(words[0]) && slices.Contains(units, trimMarks(words[1]))
}

// varies reports whether a word usually differs between two runs of the same
// program: a duration, a time of day, a date or an address in memory.
func varies(word string) bool {
	word = trimMarks(word)
	if _, err := time.ParseDuration(word); err == nil {
		return !isNumber(word) // ParseDuration accepts a bare 0
	}
	if strings.HasPrefix(word, "0x") {
		return true
	}
	marks := strings.Trim(strings.Map(dropDigit, word), "TZ")
	return strings.ContainsAny(marks, ":-") && strings.Trim(marks, ":.,-+TZ") == "" && len(word) > len(marks)
}

// dropDigit drops digits and keeps all other characters, for strings.Map.
func dropDigit(r rune) rune {
	if r >= '0' && r <= '9' {
		return -1
	}
	return r
}

// trimMarks returns a word without the brackets and punctuation around it.
func trimMarks(word string) string { return strings.Trim(word, "()[]{}<>,;\"'") }

// isNumber reports whether a word is a number.
func isNumber(word string) bool {
	_, err := strconv.ParseFloat(trimMarks(word), 64)
	return err == nil
}

// news returns what was printed since its last call, or the end of that if it is
// long.
func (o *output) news() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := string(o.tail[o.told:])
	o.told = len(o.tail)
	return text
}

// end returns the end of the output and the digest in hex.
func (o *output) end() (tail, digest string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.line) > 0 {
		o.endLine()
	}
	return string(o.tail), hex.EncodeToString(o.sum.Sum(nil))
}
