package client

import "os"

// handDown leaves the token where it is: there is no descriptor to hand down.
func handDown(env []string) ([]string, *os.File, error) { return env, nil, nil }
