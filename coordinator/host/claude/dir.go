package claude

import "path/filepath"

// ConfigDir returns the configuration directory of the client that wrote a
// transcript, "" if the path does not say. A transcript is
// <dir>/projects/<project>/<session>.jsonl.
func ConfigDir(transcript string) string {
	projects := filepath.Dir(filepath.Dir(transcript))
	if !filepath.IsAbs(projects) || filepath.Base(projects) != "projects" {
		return ""
	}
	return filepath.Dir(projects)
}
