package callsite

import (
	"io/fs"
	"syscall"
	"time"
)

func birth(_ string, info fs.FileInfo) time.Time {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return time.Time{}
	}
	return time.Unix(st.Birthtimespec.Unix())
}
