package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/client"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/wire"
)

func newPause(a *app) *cobra.Command {
	c := &cobra.Command{Use: "pause", Short: "Silence everything but the guard", Args: exactly()}
	c.Flags().String("project", "", "let the project in this `directory` silence Afar again")
	return a.pausing(c, true, a.pauseUnheard, "Paused: only the guard speaks. `afar resume` ends it.")
}

// pausing makes c the command that begins or ends a pause, or the silence of the project that it names. unheard does
// what can be done while no coordinator answers.
func (a *app) pausing(c *cobra.Command, on bool, unheard func(error) error, done string) *cobra.Command {
	c.RunE = func(c *cobra.Command, _ []string) error {
		if project := c.Flag("project").Value.String(); project != "" {
			return a.decideSilence(c.Context(), project, on)
		}
		_, err := call(c.Context(), a, wire.OpPause, wire.PauseRequest{On: on}, soon)
		if errors.Is(err, client.ErrUnreachable) {
			return unheard(err)
		}
		if err == nil {
			a.say("%s", done)
		}
		return err
	}
	return c
}

// pauseUnheard pauses Afar while the coordinator does not answer. It leaves a mark: the
// hooks obey it at once, and the coordinator when it is back.
func (a *app) pauseUnheard(unheard error) error {
	d, err := a.dirs()
	if err != nil {
		return err
	}
	if a.inSession() {
		return fmt.Errorf("%w; afar pause is a decision of the person: type it in a terminal of your own", unheard)
	}
	if err := home.LeaveMark(d.PauseMark(), ""); err != nil {
		return err
	}
	a.tell("afar: %v", unheard)
	a.say("Paused all the same: only the guard speaks. Sessions obey at once; the coordinator takes it in when it " +
		"answers again. `afar resume` ends it.")
	return nil
}
