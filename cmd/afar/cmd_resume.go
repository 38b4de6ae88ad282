package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/wire"
)

func newResume(a *app) *cobra.Command {
	c := &cobra.Command{Use: "resume", Short: "End a pause", Args: exactly()}
	c.Flags().String("project", "", "have Afar work in the project in this `directory`, although it asks for silence")
	return a.pausing(c, false, a.resumeUnheard, "Afar is at work again.")
}

// decideSilence decides whether a project that asks for silence gets it.
func (a *app) decideSilence(ctx context.Context, project string, on bool) error {
	path, err := filepath.Abs(project)
	if err != nil {
		return err
	}
	if _, err := call(ctx, a, wire.OpPause, wire.PauseRequest{On: on, Project: path}, soon); err != nil {
		return err
	}
	if on {
		a.say("%s may silence Afar again.", path)
	} else {
		a.say("Afar works in %s, although it asks for silence. `afar pause --project` takes that back.", path)
	}
	return nil
}

// resumeUnheard takes back a pause that has not reached the coordinator. It returns an
// error, because a pause that did reach it cannot be changed while it does not answer.
func (a *app) resumeUnheard(unheard error) error {
	d, err := a.dirs()
	if err != nil || a.inSession() || os.Remove(d.PauseMark()) != nil {
		return unheard
	}
	return fmt.Errorf("the pause is taken back, because the coordinator did not know of it yet, but %w", unheard)
}
