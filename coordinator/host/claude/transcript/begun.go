package transcript

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
)

// begunHead is the longest transcript that begun reads, in bytes. A longer one is a conversation.
const begunHead = 64 << 20

// Discard removes a transcript that holds no conversation, so that the host can begin one with
// its id. gone is true if there is none, now or before.
func Discard(path string) (gone bool) {
	if begun(path) {
		return false
	}
	err := os.Remove(path)
	return err == nil || errors.Is(err, fs.ErrNotExist)
}

// begun reports whether a transcript holds a conversation that the host can continue: it has a
// line of the person or of the model. What the host writes before that is none. It returns true
// for a transcript that cannot be read.
func begun(path string) bool {
	f, size, err := openRegular(path)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close()
	if size > begunHead {
		return true
	}
	for lines := bufio.NewReader(f); ; {
		line, err := lines.ReadBytes('\n')
		if r := readRow(line); r.Type == "user" || r.Type == "assistant" {
			return true
		}
		if err != nil {
			return false
		}
	}
}
