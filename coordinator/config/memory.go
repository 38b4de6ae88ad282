package config

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Memory is the table [memory].
type Memory struct {
	// Projects are the directories whose sessions are told what is known when they begin.
	Projects []string `toml:"projects"`
	// Extract has a model say after turns of tasks what is worth keeping.
	Extract bool `toml:"extract"`
}

// memoryByDefault are the defaults of [memory].
var memoryByDefault = Memory{Extract: true}

func (m Memory) check() error {
	for _, dir := range m.Projects {
		if !filepath.IsAbs(dir) && !strings.HasPrefix(dir, "~/") {
			return fmt.Errorf("memory.projects names %.80q; want absolute paths, or ~/…", dir)
		}
	}
	return nil
}

// Names reports whether a project is one of Projects or lies in one. user is the home
// directory of the user.
func (m Memory) Names(project, user string) bool {
	for _, dir := range m.Projects {
		if below, ok := strings.CutPrefix(dir, "~/"); ok {
			dir = filepath.Join(user, below)
		}
		rel, err := filepath.Rel(filepath.Clean(dir), project)
		if err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return true
		}
	}
	return false
}
