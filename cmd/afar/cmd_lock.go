package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host/claude/mods"
)

func newLock(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "lock", Short: "Have settings that only root writes keep the guard on", Args: exactly(),
		Example: "sudo afar lock",
		Long: "Writes managed settings of Claude Code that no project, plugin or session can override: Afar stays " +
			"enabled,\n" +
			"hooks stay on, and other plugins' mods do not load. It needs root once, shows what it writes, and asks " +
			"first.\n" +
			"`afar unlock` takes it away.",
	}
	show := c.Flags().Bool("print", false, "only show what would be written, and where")
	c.RunE = func(*cobra.Command, []string) error {
		if *show {
			a.tell("%s", mods.LockFile())
			a.page().Whole(string(a.lockText()))
			return nil
		}
		return a.lock()
	}
	return c
}

func newUnlock(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "unlock", Short: "Take away what `afar lock` wrote", Args: exactly(),
		Example: "sudo afar unlock",
		RunE:    func(*cobra.Command, []string) error { return a.unlock() },
	}
}

func (a *app) lockText() []byte { return mods.Lock(filepath.Dir(a.bin), home.PluginID) }

// rootOnly returns an error unless root runs the command outside a session. Only then may
// it write managed settings.
func (a *app) rootOnly(verb string) error {
	switch {
	case a.personOnly(verb) != nil:
		return a.personOnly(verb)
	case runtime.GOOS != "linux":
		return fmt.Errorf("%s was tested only on Linux; `afar lock --print` shows what would be written, and where",
			verb)
	case os.Geteuid() != 0:
		program := filepath.Join(a.bin, "afar")
		return fmt.Errorf("%s writes a file that belongs to root: type `sudo %s %s`", verb, program, verb)
	}
	return nil
}

func (a *app) lock() error {
	if err := a.rootOnly("lock"); err != nil {
		return err
	}
	path, text := mods.LockFile(), a.lockText()
	switch now, err := os.ReadFile(path); {
	case err == nil && string(now) == string(text):
		a.say("Locked already: %s", path)
		return nil
	case err == nil:
		if _, ours := mods.Locks(now, home.PluginID); !ours {
			return fmt.Errorf("%s is not as Afar wrote it, so it was left as it is; move it away first", path)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	a.say("This would be written to %s:\n", path)
	a.page().Whole(string(text))
	a.say("\nMods of other plugins do not load any more, in any session of any user of this machine.")
	if !a.agrees("Write it?", false) {
		return errors.New("nothing was written")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := home.Replace(path, text, 0o644); err != nil {
		return err
	}
	a.say("Locked for the sessions that start from now on. `sudo %s unlock` ends it.", filepath.Join(a.bin, "afar"))
	return nil
}

// unlock removes the lock and the directories that are then empty.
func (a *app) unlock() error {
	if err := a.rootOnly("unlock"); err != nil {
		return err
	}
	path := mods.LockFile()
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		a.say("There is no lock: %s", path)
		return nil
	}
	if err != nil {
		return err
	}
	if _, ours := mods.Locks(text, home.PluginID); !ours {
		return fmt.Errorf("%s is not as Afar wrote it, so it was left as it is", path)
	}
	if err := os.Remove(path); err != nil {
		return err
	}
	_ = os.Remove(filepath.Dir(path)) // fails where something else is in it
	_ = os.Remove(mods.ManagedDir())
	a.say("Unlocked: removed %s", path)
	return nil
}
