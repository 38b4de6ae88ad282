package main

import (
	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/wire"
)

func newTopics(a *app) *cobra.Command {
	c := &cobra.Command{Use: "topics", Short: "List the topics, the newest first", Args: exactly()}
	return asking(a, c, wire.OpTopics, "topics", nil, terminal.Topics)
}
