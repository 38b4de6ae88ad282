package config

import (
	"errors"
	"slices"
)

// Issues is the table [issues].
type Issues struct {
	// Tracker names where issues are: files, tissue, bd or gh. Left out, it is
	// found out for each project.
	Tracker string `toml:"tracker"`
	// Push pushes the base branch after an issue has landed in it.
	Push bool `toml:"push"`
	// Review is on or off: with off an issue lands without one.
	Review string `toml:"review"`
}

// ReviewOn has every issue reviewed before it lands.
const ReviewOn = "on"

func (i Issues) check() error {
	if !slices.Contains([]string{"", "files", "tissue", "bd", "gh"}, i.Tracker) {
		return errors.New("issues.tracker must be files, tissue, bd or gh")
	}
	if i.Review != ReviewOn && i.Review != "off" {
		return errors.New("issues.review must be on or off")
	}
	return nil
}
