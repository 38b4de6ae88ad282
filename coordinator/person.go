package coordinator

import (
	"os"
	"path/filepath"

	"github.com/afar-sh/afar/coordinator/peer"
	"github.com/afar-sh/afar/coordinator/redact"
)

// FromSession names the program of a session that this process descends from,
// as the kernel tells it and whatever the environment says; "" for none. It is
// for decisions that no coordinator takes.
func FromSession() string {
	for _, p := range peer.Line(os.Getpid()) {
		if p.Marked {
			return filepath.Base(p.Exe)
		}
	}
	if peer.Supported && peer.Born(os.Getpid()) {
		return "a session's shell"
	}
	return ""
}

// Masked returns a text with credentials masked, and made visible: what is shown
// or handed on outside the coordinator.
func Masked(text string) string { return redact.Visible(redact.Mask(text)) }
