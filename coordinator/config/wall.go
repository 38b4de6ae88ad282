package config

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/afar-sh/afar/coordinator/wall"
)

// Wall is the table [wall]: what the walls of runs.wall let through, and what they hide. A path is
// absolute, or begins with ~/.
type Wall struct {
	// Write are directories that may be written as well.
	Write []string `toml:"write"`
	// Read are paths that can be read although a wall hides them.
	Read []string `toml:"read"`
	// Hide are more paths that cannot be read.
	Hide []string `toml:"hide"`
}

func (w Wall) check() error {
	for key, paths := range map[string][]string{"write": w.Write, "read": w.Read, "hide": w.Hide} {
		for _, path := range paths {
			if !filepath.IsAbs(path) && !strings.HasPrefix(path, "~/") {
				return fmt.Errorf("wall.%s must have absolute paths, or such that begin with ~/, not %q", key, path)
			}
		}
	}
	return nil
}

// Walls returns the settings of walls.
func (c Config) Walls() wall.Settings {
	return wall.Settings{Mode: c.Runs.Wall, Write: c.Wall.Write, Read: c.Wall.Read, Hide: c.Wall.Hide}
}
