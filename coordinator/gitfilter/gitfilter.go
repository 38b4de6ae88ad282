// Package gitfilter turns off the filters that a repository configures, such as those of git-lfs. Git
// runs them whenever it compares files. The guard and the coordinator both look at repositories that a
// session may have configured, and looking must run nothing.
package gitfilter

import (
	"strconv"
	"strings"
)

// Args are the arguments with which git prints the keys of its filters.
var Args = []string{"config", "-z", "--name-only", "--get-regexp", `^filter\.`}

// Off returns the variables with which git runs no filter. keys is what git printed for Args, "" for no
// filters.
func Off(keys string) (env []string) {
	filters := strings.Split(keys, "\x00")
	filters = filters[:len(filters)-1] // each ends with a zero byte
	for i, key := range filters {
		value := ""
		if strings.HasSuffix(key, ".required") {
			value = "false"
		}
		n := strconv.Itoa(i)
		env = append(env, "GIT_CONFIG_KEY_"+n+"="+key, "GIT_CONFIG_VALUE_"+n+"="+value)
	}
	return append(env, "GIT_CONFIG_COUNT="+strconv.Itoa(len(filters)))
}
