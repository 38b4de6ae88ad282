package config

import (
	"errors"
	"path/filepath"
	"slices"
)

// Issues is the table [issues].
type Issues struct {
	// Tracker says where issues are: files, tissue, bd, gh or the absolute path of a program that
	// speaks the protocol of trackers. If it is left out, Afar looks in each project.
	Tracker string `toml:"tracker"`
	// Push pushes the base branch after an issue has landed in it.
	Push bool `toml:"push"`
	// Review is on or off; with off an issue lands without a review.
	Review string `toml:"review"`
}

// ReviewOn is the value of issues.review that has every issue reviewed before it lands.
const ReviewOn = "on"

func (i Issues) check() error {
	if !slices.Contains([]string{"", "files", "tissue", "bd", "gh"}, i.Tracker) && !filepath.IsAbs(i.Tracker) {
		return errors.New("issues.tracker must be files, tissue, bd, gh or the absolute path of a program")
	}
	if !slices.Contains([]string{ReviewOn, "off"}, i.Review) {
		return errors.New("issues.review must be on or off")
	}
	return nil
}
