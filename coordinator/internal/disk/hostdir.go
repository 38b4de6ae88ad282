package disk

import "path/filepath"

// HostDir returns the host's configuration directory that a transcript lies in, ""
// for none. A transcript is <dir>/projects/<project>/<session>.jsonl.
func HostDir(transcript string) string {
	projects := filepath.Dir(filepath.Dir(transcript))
	if !filepath.IsAbs(projects) || filepath.Base(projects) != "projects" {
		return ""
	}
	return filepath.Dir(projects)
}
