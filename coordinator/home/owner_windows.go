package home

import "io/fs"

// ours trusts the access list that the profile directory hands down.
func isOurs(fs.FileInfo) bool { return true }
