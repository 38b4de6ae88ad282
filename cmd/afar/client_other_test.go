//go:build !unix

package main

// clientMain does nothing: the scripts that need a client run only on Unix.
func clientMain() {}
