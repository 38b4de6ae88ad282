package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/wire"
)

// mostPosted bounds the text that is read. It is more than a post may hold, so that the
// coordinator refuses a longer one.
const mostPosted = 1 << 20

func newPost(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "post TOPIC [TEXT]", Short: "Write to a topic, for sessions and people to read", Args: cobra.ArbitraryArgs,
		Example: "afar post release 'The build is terminal.Green again'",
		Long: "Adds a text to a topic such as project:api or issue:42. Without TEXT, or with -, it is read from " +
			"stdin.\n" +
			"Agents write by the convention \"[agent] ACTION: description\". The topics loop:… are Afar's own.",
	}
	return asking(a, c, wire.OpPost, "the post", func(args []string) (in wire.PostRequest, err error) {
		if err := exactly("a topic, such as project:api")(c, args[:min(len(args), 1)]); err != nil {
			return in, err
		}
		text, err := a.words(args[1:])
		if err != nil {
			return in, err
		}
		return wire.PostRequest{Topic: args[0], Text: text}, nil
	}, func(p *terminal.Page, in wire.Post) {
		p.Line("%s %s", terminal.OneLine(in.Topic, 120), terminal.OneLine(in.ID, 20))
	})
}

// words returns the text on the command line, or on stdin if there is none.
func (a *app) words(args []string) (string, error) {
	if len(args) > 0 && (len(args) > 1 || args[0] != "-") {
		return strings.Join(args, " "), nil
	}
	raw, err := io.ReadAll(io.LimitReader(a.stdin, mostPosted))
	if err != nil {
		return "", fmt.Errorf("read the text: %w", err)
	}
	return string(raw), nil
}
