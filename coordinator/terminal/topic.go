package terminal

import (
	"fmt"
	"strings"

	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
)

// Topics lists topics.
func Topics(p *Page, in wire.TopicsReply) {
	if len(in.Topics) == 0 {
		p.Line("No topics yet. To begin one: afar post project:NAME 'text'")
	}
	p.Table(view.Each(in.Topics, func(t wire.Topic) []string {
		return []string{p.Paint(Bold, OneLine(t.ID, 120)), fmt.Sprint(t.Posts), p.Paint(Dim, p.ago(t.At))}
	}))
}

// Posts shows the posts of a topic.
func Posts(p *Page, in wire.ReadReply) {
	for _, post := range in.Posts {
		if strings.HasPrefix(post.Topic, "loop:") && post.Topic != "loop:trace" {
			p.Whole(post.Text)
			continue
		}
		p.Line("%s  %s  %s", p.Paint(Bold, OneLine(post.ID, 20)), OneLine(post.By, 40), p.Paint(Dim, p.ago(post.At)))
		p.Block(post.Text)
	}
	if len(in.Posts) == 0 {
		p.Line("This topic is empty. afar topics lists the topics.")
	}
}
