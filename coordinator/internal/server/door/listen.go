package door

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
)

// Listen opens the socket at path. It replaces an existing socket: the caller holds the
// life lock, so no other process serves that one. Other users cannot enter the directory,
// so they cannot connect before the mode of the socket is set.
func Listen(path string) (*net.UnixListener, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("remove stale socket: %w", err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, fmt.Errorf("listen: %w", err)
	}
	return l, nil
}
