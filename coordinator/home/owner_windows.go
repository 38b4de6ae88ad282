package home

import "io/fs"

// ours trusts the access list that the profile directory hands down.
func ours(fs.FileInfo) bool { return true }
