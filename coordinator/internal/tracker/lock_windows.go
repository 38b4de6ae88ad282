package tracker

import "os"

// lock keeps nobody out here: two writers of the same issue at the same moment
// are not kept apart, each file is whole all the same.
func lock(*os.Root) (unlock func(), err error) { return func() {}, nil }
