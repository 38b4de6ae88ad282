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
	project := ""
	c := &cobra.Command{
		Use: "pause", Short: "Silence everything but the guard", Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			if project != "" {
				return a.decideSilence(c.Context(), project, true)
			}
			err := call(c.Context(), a, wire.OpPause, wire.PauseRequest{On: true}, nil, soon)
			if errors.Is(err, client.ErrUnreachable) {
				return a.pauseUnheard(err)
			}
			if err != nil {
				return err
			}
			a.say("Paused: only the guard speaks. `afar resume` ends it.")
			return nil
		},
	}
	c.Flags().StringVar(&project, "project", "", "let this project silence Afar again")
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
