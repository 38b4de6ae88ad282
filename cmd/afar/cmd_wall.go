package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/config"
	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/wall"
)

func newWall(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "wall [flags] -- COMMAND...", Short: "Run a command behind the wall of runs", Args: cobra.ArbitraryArgs,
		Example: "afar wall -- npm test\nafar wall --write ~/data -- ./import.sh\nafar wall --print",
		Long: "Runs a command that can write this directory, temporary files and caches alone, and cannot read your " +
			"keys.\nThe kernel keeps that for all that the command starts, whatever it does. It is the wall of " +
			"runs.\n\n" +
			"Exit codes are those of env: 125 if the wall did not go up and nothing was started, 126 if the command " +
			"cannot\nbe started, 127 if it was not found, else the command's own.",
	}
	set := wall.Settings{Mode: wall.On}
	c.Flags().StringArrayVar(&set.Write, "write", nil, "a `directory` that may be written too")
	c.Flags().StringArrayVar(&set.Read, "read", nil, "a `path` that can be read too")
	print := c.Flags().Bool("print", false, "print what the wall allows, and start nothing")
	asJSON := jsonFlag(c, "with --print: mode, abi, write, read, hidden, closed, gaps")
	c.RunE = func(c *cobra.Command, args []string) error {
		w, place, err := a.wall(set, args)
		switch {
		case err != nil:
			return codeError{err, wall.ExitCode(err)}
		case *asJSON:
			return a.printJSON(w.Shown())
		case *print:
			terminal.Wall(a.page(), w.Shown(), exists)
			return nil
		case len(args) == 0:
			return usage("afar wall needs a command after --, or --print")
		}
		err = w.Become(place.Program, args, place.Env(os.Environ()))
		return codeError{err, wall.ExitCode(err)}
	}
	return c
}

// wall returns the wall for a command in this directory, and its place.
func (a *app) wall(own wall.Settings, args []string) (w wall.Wall, p wall.Place, err error) {
	d, err := a.dirs()
	if err != nil {
		return w, p, err
	}
	file, err := config.Load(d.ConfigFile())
	if err != nil {
		return w, p, err
	}
	set := file.Walls()
	if set.Mode == wall.Off {
		set.Mode = wall.On // it was asked for
	}
	for _, list := range []*[]string{&own.Write, &own.Read} {
		for i, path := range *list {
			if (*list)[i], err = filepath.Abs(wall.In(d.User, path)); err != nil {
				return w, p, err
			}
			if _, err := os.Stat((*list)[i]); err != nil {
				return w, p, fmt.Errorf("%w: --write and --read name what is there", wall.ErrNotUp)
			}
		}
	}
	set.Write, set.Read = append(set.Write, own.Write...), append(set.Read, own.Read...)
	p = wall.Place{Dirs: d, Temp: a.getenv("TMPDIR"), Getenv: a.getenv}
	if p.Dir, err = os.Getwd(); err != nil {
		return w, p, err
	}
	if len(args) > 0 {
		if p.Program, err = exec.LookPath(args[0]); err != nil {
			return w, p, err
		}
	}
	w, err = wall.New(p, set)
	return w, p, err
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
