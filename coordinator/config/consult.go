package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Consult is the table [consult].
type Consult struct {
	// Programs are asked for a second opinion in this order, until one answers:
	// codex, gemini, claude, or an absolute path.
	Programs []string `toml:"programs"`
	// Timeout bounds each of them.
	Timeout Duration `toml:"timeout"`
}

// The second opinion without a file.
var (
	ConsultPrograms = []string{"codex", "gemini", "claude"}
	ConsultTimeout  = Duration(5 * time.Minute)
)

func (c Consult) check() error {
	if t := time.Duration(c.Timeout); t < 10*time.Second || t > time.Hour {
		return errors.New("consult.timeout must be from 10s to 1h")
	}
	if len(c.Programs) == 0 {
		return errors.New("consult.programs must name at least one program")
	}
	for _, p := range c.Programs {
		if !slices.Contains(ConsultPrograms, p) && !filepath.IsAbs(p) {
			return fmt.Errorf("consult.programs: %q is none of %s, and no absolute path", p,
				strings.Join(ConsultPrograms, ", "))
		}
	}
	return nil
}
