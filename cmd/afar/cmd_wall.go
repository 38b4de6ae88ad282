package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/config"
	"github.com/afar-sh/afar/coordinator/wall"
	"github.com/afar-sh/afar/coordinator/wire"
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
			renderWall(a.page(), w.Shown())
			return nil
		case len(args) == 0:
			return usageError{errors.New("afar wall needs a command after --, or --print")}
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

// renderWall prints what a wall allows.
func renderWall(p *page, w wire.Wall) {
	if w.Missing != "" {
		p.line("%s", p.paint(yellow, w.Missing))
		return
	}
	p.line("%s, Landlock ABI %d", p.paint(bold, "wall "+w.Mode), w.ABI)
	wallRows(p, "may write:", w.Write)
	title := "can read although it is hidden:"
	if w.Mode == wall.Strict {
		title = "can read, and nothing else:"
	}
	wallRows(p, title, w.Read)
	wallRows(p, "cannot read:", w.Hidden)
	wallRows(p, "cannot write, wherever it works:", w.Closed)
	p.line("")
	for _, gap := range w.Gaps {
		p.line("%s", oneLine(gap, 200))
	}
	if w.Mode != wall.Strict {
		p.line("ls ~ fails, new entries of the home are not seen until the next turn, names and sizes stay visible,")
		p.line("secrets inside the project are not hidden")
	}
}

func wallRows(p *page, title string, rows []wire.WallRow) {
	if len(rows) == 0 {
		return
	}
	p.line("")
	p.line("%s", p.paint(bold, title))
	var cells [][]cell
	for _, r := range rows {
		if _, err := os.Lstat(r.Path); err == nil {
			cells = append(cells, []cell{plain(p.path(r.Path)), {oneLine(r.Why, 80), dim}})
		}
	}
	p.table(cells)
	if left := len(rows) - len(cells); left > 0 {
		p.line("%s", p.paint(dim, fmt.Sprintf("and %d more that are not on this machine", left)))
	}
}
