package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host/claude"
)

// newHold returns the command for install.sh that puts the plugin's mod before all
// others, and takes it away again.
func newHold(a *app) *cobra.Command {
	c := group("hold", "Seat Afar first among Claude Code's plugins",
		&cobra.Command{Use: "on", Short: "Seat it first", Args: exactly(),
			RunE: func(*cobra.Command, []string) error { return a.hold() }},
		&cobra.Command{Use: "off", Short: "Take the seat away", Args: exactly(),
			RunE: func(*cobra.Command, []string) error { return a.releaseHold() }})
	c.Hidden = true
	return c
}

// hold names Afar's plugin first in the person's settings. It leaves the mark last: with
// the mark, a session refuses settings that name another plugin first.
func (a *app) hold() error {
	if err := a.personOnly("hold"); err != nil {
		return err
	}
	d, err := a.dirs()
	if err != nil {
		return err
	}
	if err := a.editSettings(d, "Seated Afar first among Claude Code's plugins (prependPlugins)",
		hostFile.withFirst, home.PluginID); err != nil {
		return err
	}
	return home.LeaveMark(d.HoldMark(), home.PluginID+"\n")
}

// releaseHold removes only Afar's plugin from the person's settings.
func (a *app) releaseHold() error {
	if err := a.personOnly("hold"); err != nil {
		return err
	}
	d, err := a.dirs()
	if err != nil {
		return err
	}
	if err := os.Remove(d.HoldMark()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("let go: %w", err)
	}
	return a.editSettings(d, "Took Afar out of prependPlugins", hostFile.without, home.PluginID)
}

// editSettings edits the person's own settings of Claude Code: it puts in or takes out what is ours. It
// prints did if that changed the file.
func (a *app) editSettings(d home.Dirs, did string, edit func(hostFile, string) ([]byte, error), ours string) error {
	path := filepath.Join(a.hostDir(d), "settings.json")
	f, err := openHostFile(path)
	if err != nil {
		return fmt.Errorf("%w; it was left as it is", err)
	}
	text, err := edit(f, ours)
	if err != nil {
		return fmt.Errorf("%w; it was left as it is", err)
	}
	if string(text) == string(f.text) {
		return nil
	}
	if err := f.replace(text); err != nil {
		return err
	}
	a.say("%s in %s", did, path)
	return nil
}

// hostDir returns Claude Code's configuration directory.
func (a *app) hostDir(d home.Dirs) string {
	return cmp.Or(claude.Env(a.getenv).ConfigDir(), d.HostDir())
}
