package disk

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"syscall"
)

// maxDigest is how much of a file Digest reads at its beginning, and again at its end.
const maxDigest = 64 << 20

// Digest returns the hash of a file's content, and its size. If the file is too long to be read whole,
// it hashes the beginning, the end, the size and the time of the last change.
func Digest(ctx context.Context, path string) (sum string, size int64, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it does not wait at a pipe
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return "", 0, cmp.Or(err, fmt.Errorf("%s: want a regular file", path))
	}
	hash := sha256.New()
	size = info.Size()
	parts := []*io.SectionReader{io.NewSectionReader(f, 0, size)}
	if size > 2*maxDigest {
		fmt.Fprintln(hash, size, info.ModTime().UnixNano())
		parts = []*io.SectionReader{
			io.NewSectionReader(f, 0, maxDigest), io.NewSectionReader(f, size-maxDigest, maxDigest),
		}
	}
	for _, part := range parts {
		if _, err := io.Copy(hash, ctxReader{ctx, part}); err != nil {
			return "", 0, err
		}
	}
	return hex.EncodeToString(hash.Sum(nil)), size, nil
}

// A ctxReader is a reader that fails once its context has ended.
type ctxReader struct {
	ctx context.Context
	r   io.Reader
}

func (r ctxReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}
