package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/hostfile"
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
		withFirst, home.PluginID); err != nil {
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
	return a.editSettings(d, "Took Afar out of prependPlugins", withoutPlugin, home.PluginID)
}

// editSettings edits the person's own settings of Claude Code: it puts in or takes out what is ours. It
// prints did if that changed the file.
func (a *app) editSettings(d home.Dirs, did string, edit func(hostfile.File, string) ([]byte, error), ours string) error {
	path := filepath.Join(a.hostDir(d), "settings.json")
	f, err := hostfile.Open(path)
	if err != nil {
		return fmt.Errorf("%w; it was left as it is", err)
	}
	text, err := edit(f, ours)
	if err != nil {
		return fmt.Errorf("%s: %w; it was left as it is", path, err)
	}
	if string(text) == string(f.Text) {
		return nil
	}
	if err := f.Replace(text); err != nil {
		return err
	}
	a.say("%s in %s", did, path)
	return nil
}

// hostDir returns Claude Code's configuration directory.
func (a *app) hostDir(d home.Dirs) string {
	return cmp.Or(claude.Env(a.getenv).ConfigDir(), d.HostDir())
}

// prepend is the key of Claude Code's settings with the plugins whose mods come before
// all others.
const prepend = "prependPlugins"

// prepended returns the plugins in the key prepend, nil if the file does not have it.
func prepended(f hostfile.File) (ids []string, err error) {
	value, err := f.Value(prepend)
	if err != nil || value == nil {
		return nil, err
	}
	if json.Unmarshal(value, &ids) != nil {
		return nil, fmt.Errorf("%q is not a list of names", prepend)
	}
	return ids, nil
}

// withFirst returns the file's text with id as the first of those plugins.
func withFirst(f hostfile.File, id string) ([]byte, error) {
	ids, err := prepended(f)
	if err != nil || len(ids) > 0 && ids[0] == id {
		return f.Text, err
	}
	return f.With(prepend, list(append([]string{id}, without(ids, id)...)))
}

// withoutPlugin returns the file's text without id in the key prepend. If no plugin is left, it
// removes the key.
func withoutPlugin(f hostfile.File, id string) ([]byte, error) {
	ids, err := prepended(f)
	if err != nil || !slices.Contains(ids, id) {
		return f.Text, err
	}
	if left := without(ids, id); len(left) > 0 {
		return f.With(prepend, list(left))
	}
	return f.Without(prepend)
}

func without(ids []string, id string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(other string) bool { return other == id })
}

func list(ids []string) string {
	raw, _ := json.Marshal(ids) // strings always encode
	return strings.ReplaceAll(string(raw), `","`, `", "`)
}
