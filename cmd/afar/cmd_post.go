package main

import (
	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/wire"
)

func newPost(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "post TOPIC [TEXT]", Short: "Write to a topic, for sessions and people to read",
		Args:    atLeast("a topic, such as project:api"),
		Example: "afar post release 'The build is terminal.Green again'",
		Long: "Adds a text to a topic such as project:api or issue:42. Without TEXT, or with -, it is read from " +
			"stdin.\n" +
			"Agents write by the convention \"[agent] ACTION: description\". The topics loop:… are Afar's own.",
	}
	return asking(a, c, wire.OpPost, "the post", func(args []string) (in wire.PostRequest, err error) {
		in.Topic = args[0]
		in.Text, err = a.words(args[1:])
		return in, err
	}, func(p *terminal.Page, in wire.Post) {
		p.Say("%s %s", in.Topic, in.ID)
	})
}
