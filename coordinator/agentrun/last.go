package agentrun

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"

	"github.com/afar-sh/afar/coordinator/home"
)

// A Last is the program that an agent's last turn ran.
type Last struct {
	Path  string `json:"path"`  // as it was found
	Real  string `json:"real"`  // after all links
	About string `json:"about"` // what the agent said of itself: its model and its version
}

// LastOf returns the program of an agent's last turn. It is empty if there was none.
func LastOf(d home.Dirs, agent string) (last Last) {
	raw, err := os.ReadFile(d.LastProgram(agent))
	if err != nil || json.Unmarshal(raw, &last) != nil {
		return Last{}
	}
	return last
}

// noteLast notes the program of a turn. It is for afar doctor alone, so a failure does not
// matter.
func noteLast(d home.Dirs, agent, path, about string) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil || path == "" {
		return
	}
	raw, err := json.Marshal(Last{Path: path, Real: real, About: about})
	if err == nil && os.MkdirAll(filepath.Dir(d.LastProgram(agent)), 0o700) == nil {
		_ = os.WriteFile(d.LastProgram(agent), raw, 0o600)
	}
}

var versions = regexp.MustCompile(`[0-9]+\.[0-9]+\.[0-9]+[0-9A-Za-z.+-]*`)

// Differs reports whether a program is another one than that of the last turn, by its path
// and by its version, as far as both say one.
func (l Last) Differs(path, version string) bool {
	if l.Path == "" {
		return false
	}
	real, err := filepath.EvalSymlinks(path)
	if err == nil && real != l.Real {
		return true
	}
	then, now := versions.FindAllString(l.About, -1), versions.FindString(version)
	return len(then) > 0 && now != "" && then[len(then)-1] != now
}
