package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

func newMemory(a *app) *cobra.Command {
	return group("memory", "What you and your agents know: facts, found again by their words",
		newMemorySearch(a), newMemoryList(a), newMemoryShow(a), newMemoryAdd(a), newMemoryForget(a), newMemoryLint(a))
}

func newMemorySearch(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "search QUERY", Short: "Search facts, journals, tasks and what sessions said last",
		Example: "afar memory search 'when do we deploy'",
		Args:    cobra.ArbitraryArgs,
		Long: "Answers with the documents that fit a question or some words best, each with its best line. " +
			"No model is\n" +
			"asked. With --lines it answers with single lines.",
	}
	var in wire.MemorySearchRequest
	c.Flags().IntVarP(&in.Most, "most", "n", 5, "at most this `number`")
	single := c.Flags().Bool("lines", false, "single lines")
	return asking(a, c, wire.OpMemorySearch, "results and lines", func(args []string) (wire.MemorySearchRequest, error) {
		if in.Query = strings.Join(args, " "); strings.TrimSpace(in.Query) == "" {
			return in, usage("afar memory search needs words to search for")
		}
		return in, nil
	}, func(p *terminal.Page, out wire.MemorySearchReply) {
		if *single {
			out.Results = out.Lines
		}
		terminal.Results(p, out.Results)
	})
}

func newMemoryList(a *app) *cobra.Command {
	c := &cobra.Command{Use: "list", Short: "List the facts, the newest first", Args: exactly()}
	var in wire.MemoryRequest
	c.Flags().BoolVar(&in.Archived, "archived", false, "list what agents have put away")
	return asking(a, c, wire.OpMemory, "facts", func([]string) (wire.MemoryRequest, error) {
		return in, nil
	}, terminal.Facts)
}

func newMemoryShow(a *app) *cobra.Command {
	c := &cobra.Command{Use: "show NAME", Short: "Show a fact", Args: exactly("the name of a fact (afar memory list)"),
		Example: "afar memory show deploys-go-out-on-tuesdays"}
	return asking(a, c, wire.OpMemoryFact, "the fact", named, func(p *terminal.Page, f wire.MemoryFactReply) {
		p.Block(f.File)
		if f.Fault != "" {
			p.Line("%s", p.Paint(terminal.Red, "This file cannot be read as a fact: "+terminal.OneLine(f.Fault, 200)))
		}
		if note := wording.FactNote(f.Fact); note != "" {
			p.Line("%s", p.Paint(terminal.Dim, note))
		}
	})
}

func newMemoryAdd(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "add TITLE", Short: "Add a fact", Args: cobra.ArbitraryArgs,
		Example: "afar memory add 'Deploys go out on Tuesdays' -m 'The team agreed on it in March.' --tag deploy",
		Long: "Adds a fact: a title that says what it is about, and a text (-m, or - for stdin). " +
			"A fact with the same title\n" +
			"is changed: the new text counts, and the old one stays in its file, below Earlier.",
	}
	var in wire.MemoryAddRequest
	c.Flags().StringVarP(&in.Text, "text", "m", "", "what is to be known, as a `text`; - reads it from stdin")
	c.Flags().StringVar(&in.Type, "type", "", "a `word` such as decision, person or preference")
	c.Flags().StringSliceVar(&in.Tags, "tag", nil, "a `word` to find it by; may be repeated")
	c.Flags().StringVar(&in.Until, "until", "", "the last `day` on which it is true, YYYY-MM-DD")
	return asking(a, c, wire.OpMemoryAdd, "the fact", func(args []string) (_ wire.MemoryAddRequest, err error) {
		if in.Title = strings.Join(args, " "); in.Title == "" {
			return in, usage("afar memory add needs a title")
		}
		in.Text, err = a.words([]string{in.Text})
		return in, err
	}, func(p *terminal.Page, f wire.MemoryAddReply) {
		p.Line("%s: %s %s", wording.FactChange(f.Change), p.Paint(terminal.Bold, terminal.OneLine(f.ID, 100)), p.Path(f.Path))
	})
}

func newMemoryForget(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "forget NAME", Short: "Delete a fact for good: no agent adds it again",
		Example: "afar memory forget deploys-go-out-on-tuesdays",
		Long: "Deletes the file of a fact. No agent can add it again; you can. " +
			"Inside a session it moves the fact to the\n" +
			"archive instead, because only a person deletes.",
		Args: exactly("the name of a fact (afar memory list)"),
	}
	said := func(p *terminal.Page, out wire.MemoryForgetReply) {
		p.Say("Fact %s is %s.", c.Flags().Arg(0), out.Change)
	}
	return asking(a, c, wire.OpMemoryForget, "what became of it", named, said)
}

func newMemoryLint(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "lint", Short: "Say what is wrong with memory", Args: exactly(),
		Long: "Names files that cannot be read, facts that contradict each other or say the same, " +
			"facts that are true no\n" +
			"more, and references to facts that are not there. Exit code 1 if it finds any.",
	}
	asJSON := jsonFlag(c, "findings")
	c.RunE = func(c *cobra.Command, _ []string) error {
		found := 0
		draw := func(p *terminal.Page, out wire.MemoryLintReply) {
			found = len(out.Findings)
			terminal.Findings(p, out.Findings)
		}
		err := read(c.Context(), a, wire.OpMemoryLint, wire.None{}, *asJSON, draw)
		if err == nil && found > 0 {
			return errors.New(text.Count(found, "finding") + " in memory")
		}
		return err
	}
	return c
}
