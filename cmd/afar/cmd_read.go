package main

import (
	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/wire"
)

func newRead(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "read TOPIC", Short: "Read a topic", Args: exactly("a topic (afar topics)"),
		Example: "afar read release",
		Long: "Shows the newest posts of a topic, oldest first. loop:current is the loop as it stands, in JSON; " +
			"loop:anchor is\n" +
			"what a session must find again after a compaction; loop:trace holds each step, where config.toml says " +
			"loop.trace.",
	}
	var in wire.ReadRequest
	c.Flags().IntVarP(&in.Limit, "lines", "n", 20, "the `number` of posts")
	c.Flags().Int64Var(&in.After, "after", 0, "only posts after this `number`, the oldest of them first")
	c.Flags().StringVar(&in.Session, "session", "", "of loop:current and loop:anchor: whose loop (`token` or id)")
	return asking(a, c, wire.OpRead, "posts", func(args []string) (wire.ReadRequest, error) {
		in.Topic, in.Last = args[0], in.After == 0
		return in, nil
	}, terminal.Posts)
}
