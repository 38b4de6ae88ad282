package transcript

import (
	"bufio"
	"errors"
	"io"
	"math"

	"github.com/afar-sh/afar/coordinator/internal/usage"
)

// longestLine is the longest line of a transcript that is read. A longer line is a tool's
// output and does not contain usage.
const longestLine = 4 << 20

// Usage adds up the usage in a transcript after the byte from, and returns the end of
// what it read. Pass that end as from the next time, so that nothing is read twice. A
// line that is still being written is left for the next time. A negative from only finds
// the end. A file that is missing, not regular or shorter than before has no usage.
func Usage(path string, from int64) (sum usage.Sum, end int64) {
	var m meter
	end = m.read(path, from, math.MaxInt64)
	return m.total(), end
}

// read takes the lines of a transcript after the byte from, of at most most bytes, and
// returns the end of the last one. See Usage for what is not read.
func (m *meter) read(path string, from, most int64) (end int64) {
	f, size, err := openRegular(path)
	if err != nil {
		return max(from, 0)
	}
	defer f.Close()
	if from < 0 || size < from {
		return size
	}
	return m.readLines(bufio.NewReaderSize(io.NewSectionReader(f, from, min(size-from, most)), 256<<10), from)
}

// readLines takes the lines of r, which begins at the byte from, and returns the end of the
// last one.
func (m *meter) readLines(r *bufio.Reader, from int64) (end int64) {
	var line []byte
	size := int64(0)
	for end = from; ; {
		part, err := r.ReadSlice('\n')
		size += int64(len(part))
		if len(line)+len(part) <= longestLine {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return end
		}
		m.add(line)
		end += size
		line, size = line[:0], 0
	}
}
