package main

import (
	"context"
	"errors"
	"os/exec"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/wire"
)

func newOpen(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "open [SESSION|ASK|RUN|TASK]", Short: "Open the local page in a browser, already signed in",
		Example: "afar open\nafar open shop-3f2a",
		Args:    atMost(1),
		Long: "Makes a link that signs one browser in to the page, once, within a minute, and opens it. The page\n" +
			"shows every session and question, and answers count there. It is served on this machine alone. It is\n" +
			"never opened from inside a session.",
	}
	show := c.Flags().Bool("print", false, "print the link and open nothing")
	asJSON := jsonFlag(c, "url, expires_at")
	c.RunE = func(c *cobra.Command, args []string) error {
		in := wire.OpenRequest{}
		if len(args) == 1 {
			in.Place = args[0]
		}
		out, err := call(c.Context(), a, wire.OpOpen, in)
		if err != nil {
			return err
		}
		switch {
		case *asJSON:
			return a.printJSON(out)
		case *show:
			a.page().Line("%s", out.URL)
			return nil
		}
		return a.browse(c.Context(), out.URL)
	}
	return c
}

// browse opens a link in the person's browser. Without one it prints the link.
func (a *app) browse(ctx context.Context, link string) error {
	if a.openBrowser(ctx, link) != nil {
		a.page().Line("No browser could be opened here. This link signs one in, once, within a minute:\n\n%s", link)
		return nil
	}
	a.page().Line("The page is open in your browser.")
	return nil
}

// openBrowser opens a link in the person's browser.
func (a *app) openBrowser(ctx context.Context, link string) error {
	name, args := a.browser()
	if name == "" {
		return errors.New("there is no screen here")
	}
	return exec.CommandContext(ctx, name, append(args, link)...).Run()
}

// browser returns the command that opens a link, "" where there is no screen.
func (a *app) browser() (name string, args []string) {
	switch runtime.GOOS {
	case "darwin":
		return "/usr/bin/open", nil
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler"}
	}
	if a.getenv("DISPLAY") == "" && a.getenv("WAYLAND_DISPLAY") == "" {
		return "", nil
	}
	return "xdg-open", nil
}
