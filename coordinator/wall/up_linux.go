package wall

import (
	"errors"

	"github.com/landlock-lsm/go-landlock/landlock"
	"github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// ABI returns the level of Landlock that this kernel has, 0 for none.
func ABI() int {
	abi, err := syscall.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return abi
}

// levels are what a wall restricts at each level. The network is never restricted.
var levels = map[int]landlock.Config{3: landlock.V3, 4: landlock.V4, 5: landlock.V5, 6: landlock.V6, 7: landlock.V7}

// up puts up the wall at a level of Landlock.
func (w Wall) up(abi int) error {
	if why := missing(abi); why != "" {
		return errors.New(why)
	}
	level := levels[min(abi, mostABI)]
	set := landlock.Config{HandledAccessFS: level.HandledAccessFS, Scoped: level.Scoped}
	var rules []landlock.Rule
	for _, a := range w.allowances() {
		rules = append(rules, a.rule())
	}
	if err := set.Restrict(rules...); err != nil {
		return err
	}
	return filter()
}

// rule returns the kernel's rule for an allowance. What is not there needs none.
func (a allowance) rule() landlock.Rule {
	var r landlock.FSRule
	switch {
	case a.writes && a.isDir:
		r = landlock.RWDirs(a.path).WithRefer()
	case a.writes:
		r = landlock.RWFiles(a.path)
	case a.isDir:
		r = landlock.RODirs(a.path)
	default:
		r = landlock.ROFiles(a.path)
	}
	if a.control {
		r = r.WithIoctlDev()
	}
	return r.IgnoreIfMissing()
}
