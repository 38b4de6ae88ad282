//go:build linux && (amd64 || arm64)

package callsite

import (
	"io/fs"
	"runtime"
	"syscall"
	"time"
	"unsafe"
)

// The numbers of the system call statx, which package syscall does not have, and
// the flags that are used here.
const (
	statxAmd64  = 332
	statxArm64  = 291
	atCwd       = -100 // AT_FDCWD
	noFollow    = 0x100
	maskBirth   = 0x800
	statxLength = 256
)

// statx begins as struct statx does, up to the time of birth.
type statx struct {
	mask uint32
	_    [76]byte
	sec  int64
	nsec uint32
	_    [statxLength - 92]byte
}

func birth(path string, _ fs.FileInfo) time.Time {
	name, err := syscall.BytePtrFromString(path)
	if err != nil {
		return time.Time{}
	}
	number := uintptr(statxAmd64)
	if runtime.GOARCH == "arm64" {
		number = statxArm64
	}
	var st statx
	dir := atCwd
	_, _, failed := syscall.Syscall6(number,
		uintptr(dir), uintptr(unsafe.Pointer(name)), noFollow, maskBirth, uintptr(unsafe.Pointer(&st)), 0)
	if failed != 0 || st.mask&maskBirth == 0 {
		return time.Time{}
	}
	return time.Unix(st.sec, int64(st.nsec))
}
