package main

import (
	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/wire"
)

func newAsks(a *app) *cobra.Command {
	c := &cobra.Command{Use: "asks", Short: "Show the open questions, whole", Args: exactly()}
	return asking(a, c, wire.OpAsks, "asks", nil, terminal.Asks)
}
