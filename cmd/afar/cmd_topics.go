package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/wire"
)

func newTopics(a *app) *cobra.Command {
	c := &cobra.Command{Use: "topics", Short: "List the topics, the newest first", Args: exactly()}
	return asking(a, c, wire.OpTopics, "topics", nil, func(p *page, in wire.TopicsReply) {
		if len(in.Topics) == 0 {
			p.line("No topics yet. To begin one: afar post project:NAME 'text'")
		}
		var rows [][]cell
		for _, t := range in.Topics {
			rows = append(rows, []cell{{oneLine(t.ID, 120), bold}, plain(fmt.Sprint(t.Posts)), {p.ago(t.At), dim}})
		}
		p.table(rows)
	})
}
