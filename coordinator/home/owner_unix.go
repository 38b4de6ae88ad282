//go:build unix

package home

import (
	"io/fs"
	"os"
	"syscall"
)

func ours(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}
