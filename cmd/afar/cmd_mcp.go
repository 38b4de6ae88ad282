package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/wire"
)

func newMCP(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "mcp", Short: "Serve Afar's tools to an agent over stdio (MCP)", Args: exactly(),
		Long: "Speaks the Model Context Protocol on stdin and stdout, for agents in a run or a session. " +
			"Claude Code needs\n" +
			"no such process: the plugin has it call the tools over HTTP, with the headers that --headers prints.",
	}
	headers := c.Flags().Bool("headers", false, "print the headers of Claude Code's calls over HTTP, as JSON")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if *headers {
			a.byHost = true
			return a.toolHeaders(c.Context())
		}
		return becomeRelay(home.Program(a.bin, "agent-run"))
	}
	return c
}

// serverURL is the variable in which Claude Code names the server that it wants headers for.
const serverURL = "CLAUDE_CODE_MCP_SERVER_URL"

// toolHeaders prints the headers with the token of the tools. It prints none for a server that
// is not the page's listener: the token is for the coordinator alone.
func (a *app) toolHeaders(ctx context.Context) error {
	at, err := call(ctx, a, wire.OpTools, wire.None{})
	if err != nil {
		return err
	}
	served, err := url.Parse(at.URL)
	switch asked := a.getenv(serverURL); {
	case err != nil:
		return err
	case at.URL == "":
		return fmt.Errorf("the tools need the page, and it is %s", terminal.OneLine(at.Note, 200))
	case !isURLOf(asked, served):
		return fmt.Errorf("the tools are served at %s and not at %.200q: start Claude Code with AFAR_WEB_ADDR=%s",
			at.URL, asked, served.Host)
	}
	d, err := a.dirs()
	if err != nil {
		return err
	}
	token, err := os.ReadFile(d.ToolsToken())
	if err != nil {
		return fmt.Errorf("read the token of the tools: %w", err)
	}
	return a.printJSON(map[string]string{"Authorization": "Bearer " + strings.TrimSpace(string(token))})
}

// isURLOf reports whether a text is the URL of a server.
func isURLOf(text string, server *url.URL) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	return u.Scheme == server.Scheme && strings.Replace(u.Host, "localhost", "127.0.0.1", 1) == server.Host
}
