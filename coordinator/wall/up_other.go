//go:build !linux

package wall

import "errors"

// ABI returns 0: this system has no Landlock.
func ABI() int { return 0 }

func (w Wall) up(abi int) error { return errors.New(missing(abi)) }

func onOwnThread(do func() error) error { return do() }
