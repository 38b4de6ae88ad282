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
	return usageIn(path, from, math.MaxInt64)
}

// usageIn is like Usage and reads at most most bytes.
func usageIn(path string, from, most int64) (sum usage.Sum, end int64) {
	f, size, err := openRegular(path)
	if err != nil {
		return sum, max(from, 0)
	}
	defer f.Close()
	if from < 0 || size < from {
		return sum, size
	}
	return addLines(bufio.NewReaderSize(io.NewSectionReader(f, from, min(size-from, most)), 256<<10), from)
}

// addLines adds up the usage in the lines of r, and returns the end of the last one.
func addLines(r *bufio.Reader, end int64) (usage.Sum, int64) {
	var m meter
	var line []byte
	size := int64(0)
	for {
		part, err := r.ReadSlice('\n')
		size += int64(len(part))
		if len(line)+len(part) <= longestLine {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return m.total(), end
		}
		m.add(line)
		end += size
		line, size = line[:0], 0
	}
}
