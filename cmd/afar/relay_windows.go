package main

import "errors"

// becomeRelay fails: the coordinator cannot tell on Windows which session an agent belongs to.
func becomeRelay(string) error { return errors.New("not supported on Windows") }
