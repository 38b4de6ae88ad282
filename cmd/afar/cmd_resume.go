package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/client"
	"github.com/afar-sh/afar/coordinator/wire"
)

func newResume(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "resume", Short: "End a pause", Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			err := a.callSoon(c.Context(), wire.OpPause, wire.PauseRequest{On: false}, nil)
			if errors.Is(err, client.ErrUnreachable) {
				return a.resumeUnheard(err)
			}
			if err != nil {
				return err
			}
			a.say("Afar is at work again.")
			return nil
		},
	}
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
