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

// The defaults of the table [consult].
var (
	consultPrograms = []string{"codex", "gemini", "claude"}
	consultTimeout  = Duration(5 * time.Minute)
)

func (c Consult) check() error {
	if err := c.Timeout.checkRange("consult.timeout", Duration(10*time.Second), Duration(time.Hour)); err != nil {
		return err
	}
	if len(c.Programs) == 0 {
		return errors.New("consult.programs must name at least one program")
	}
	for _, p := range c.Programs {
		if !slices.Contains(consultPrograms, p) && !filepath.IsAbs(p) {
			return fmt.Errorf("unknown program %q in consult.programs; want %s or an absolute path", p,
				strings.Join(consultPrograms, ", "))
		}
	}
	return nil
}
