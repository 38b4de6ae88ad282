package mods

import "io/fs"

// ownedByRoot is never known here, so no lock counts.
func ownedByRoot(fs.FileInfo) bool { return false }
