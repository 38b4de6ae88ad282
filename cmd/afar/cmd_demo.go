package main

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/demo"
	"github.com/afar-sh/afar/coordinator/doctor"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

func newDemo(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "demo", Short: "See the whole of Afar in a minute, without an account", Args: exactly(),
		Long: "Plays a session that asks for permission, asks a question, tries what must never run, " +
			"works in a loop\n" +
			"until its check succeeds, and deletes something that you take back. Nothing of yours is touched: " +
			"the demo\n" +
			"has a home, a project and a coordinator of its own, and removes them at the end. Nothing leaves this\n" +
			"machine. Where Claude Code is installed it plays the session, with a script for a model.",
	}
	yes := c.Flags().Bool("yes", false, "answer by itself, and fail if anything did not happen as told")
	c.RunE = func(c *cobra.Command, _ []string) error { return a.demo(c.Context(), *yes) }
	return c
}

func (a *app) demo(ctx context.Context, yes bool) error {
	if a.inSession() {
		return errors.New("the demo starts a session of its own: type it in a terminal of yours, not inside a session")
	}
	if !yes && !isTerminal(a.stdin) {
		return errors.New("the demo asks you questions, and nobody can type here; with --yes it answers by itself")
	}
	ctx, cancel := untilSignal(ctx)
	defer cancel()
	began := a.now()
	p := a.page()
	config := demo.Config{
		Bin: a.bin, Path: a.getenv("PATH"), Yes: yes, Typed: a.typed(),
		Tell:    func(kind demo.Kind, text string) { tellDemo(p, kind, text) },
		Report:  func(r wire.ReportReply) { terminal.Report(a.page(), r) },
		Open:    func(url string) error { return a.openBrowser(ctx, url) },
		Connect: a.connectDemo,
	}
	if c, ok := a.demoClient(); ok {
		config.Client, config.Version, config.Plugin = c.Path, c.Version, filepath.Dir(a.bin)
	}
	err := demo.Run(ctx, config)
	if ctx.Err() != nil {
		return errInterrupted
	}
	if err != nil {
		return err
	}
	p.Line("\n%s", p.Paint(terminal.Dim, "That took "+wording.Span(a.now().Sub(began))+". Everything is removed."))
	return nil
}

// untilSignal returns a context that ends with the first signal which would end this process. No
// later signal ends the process: the demo removes everything, and the exit code says that it was
// interrupted.
func untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	go func() {
		select {
		case <-signals:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// demoClient returns the Claude Code that plays the session, if there is one that Afar supports.
func (a *app) demoClient() (c doctor.Client, ok bool) {
	dirs, err := a.dirs()
	if err != nil || doctor.Managing() != "" {
		return c, false // managed settings would load the plugin with the person's own home
	}
	for _, c := range doctor.Clients(dirs, a.getenv("PATH")) {
		if c.Version != "" && !claude.Before(c.Version, claude.Oldest) {
			return c, true
		}
	}
	return c, false
}

// typed returns the lines that the person types.
func (a *app) typed() <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for in := bufio.NewScanner(a.stdin); in.Scan(); {
			lines <- in.Text()
		}
	}()
	return lines
}

func tellDemo(p *terminal.Page, kind demo.Kind, text string) {
	text = terminal.OneLine(text, 400)
	switch kind {
	case demo.Title:
		p.Head(text)
	case demo.Tale:
		p.Line("  %s", text)
	case demo.Wish:
		p.Line("  %s", p.Paint(terminal.Yellow, "➜ "+text))
	case demo.Result:
		p.Line("  %s", p.Paint(terminal.Green, "✔ "+text))
	case demo.Aside:
		p.Line("    %s", p.Paint(terminal.Dim, text))
	}
}

// connectDemo returns the way to the coordinator of a demo.
func (a *app) connectDemo(bin string, env []string) demo.Coordinator {
	inner := *a
	inner.bin = bin
	inner.getenv = func(name string) string {
		for _, v := range slices.Backward(env) { // the last one counts
			if value, ok := strings.CutPrefix(v, name+"="); ok {
				return value
			}
		}
		return ""
	}
	return demoCoordinator{&inner}
}

type demoCoordinator struct{ *app }

// Call makes one call.
func (c demoCoordinator) Call(ctx context.Context, op string, in, out any, wait time.Duration) error {
	return c.exchange(ctx, op, in, out, reviving(wait))
}
