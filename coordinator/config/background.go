package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Background is the table [background]: the questions that Afar asks a model by itself.
type Background struct {
	// Budget is how much all of them may cost in one day of the local calendar, in US dollars;
	// 0 means that none is asked.
	Budget float64 `toml:"budget"`
	// Program answers them: codex, gemini, claude, or an absolute path.
	Program string `toml:"program"`
	// Timeout bounds each of them.
	Timeout Duration `toml:"timeout"`
}

// backgroundByDefault are the defaults of [background].
var backgroundByDefault = Background{Budget: 1, Program: "claude", Timeout: Duration(3 * time.Minute)}

// maxBackground is the highest background.budget.
const maxBackground = 1000

func (b Background) check() error {
	if err := b.Timeout.checkRange("background.timeout", Duration(10*time.Second), Duration(time.Hour)); err != nil {
		return err
	}
	switch isRange := b.Budget >= 0 && b.Budget <= maxBackground; {
	case !isRange:
		return fmt.Errorf("background.budget must be between 0 and %d, not %v", maxBackground, b.Budget)
	case !slices.Contains(consultPrograms, b.Program) && !filepath.IsAbs(b.Program):
		return fmt.Errorf("unknown program %q in background.program; want %s or an absolute path", b.Program,
			strings.Join(consultPrograms, ", "))
	}
	return nil
}
