package transcript

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
)

// findHead bounds what Find reads of a transcript, in bytes. The first prompt may be long.
const findHead = 1 << 20

// Find returns the directory in which a conversation began. dir is the host's configuration
// directory, and id must have the form of a conversation's id. ok is false if dir has no
// transcript of it that names a directory.
func Find(dir, id string) (cwd string, ok bool) {
	projects := filepath.Join(dir, "projects")
	entries, _ := os.ReadDir(projects) // without it there are no conversations
	for _, e := range entries {
		if cwd = beganIn(filepath.Join(projects, e.Name(), id+".jsonl")); cwd != "" {
			return cwd, true
		}
	}
	return "", false
}

// beganIn returns the first directory that a transcript names, "" for none.
func beganIn(path string) string {
	f, _, err := openRegular(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	for line := range bytes.Lines(readAt(f, 0, findHead)) {
		var r struct {
			Cwd string `json:"cwd"`
		}
		if json.Unmarshal(line, &r) == nil && filepath.IsAbs(r.Cwd) {
			return filepath.Clean(r.Cwd)
		}
	}
	return ""
}
