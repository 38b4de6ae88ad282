// Package tools serves tools to agents over MCP, the Model Context Protocol: over HTTP on the
// listener of the page, and over stdio through `afar mcp`. A tool is an operation of the
// coordinator under a name and a text that a model finds. It may do what a program may do
// that its session has started.
package tools

import (
	"context"
	"net/http"
	"net/netip"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/afar-sh/afar/coordinator/peer"
)

// Config is what a Server needs.
type Config struct {
	Version string
	Token   string // what a client carries over HTTP
	// Caller returns the process at the other end of a connection, with its ancestors.
	Caller func(local, remote netip.AddrPort) ([]peer.Process, error)
	// Made returns an error unless the first process of a line is the client of a session that
	// makes the tool call with this id now.
	Made func(line []peer.Process, id string) error
	// Call carries out an operation for the session that a process belongs to. line is the
	// process with its ancestors.
	Call func(ctx context.Context, line []peer.Process, op string, in any) (any, error)
}

// A Server offers the tools.
type Server struct {
	cfg  Config
	mcp  *mcp.Server
	http http.Handler
}

// about is what an agent reads of the tools as a whole.
const about = "Afar's tools reach the person who left the terminal, other sessions and agents, and what they keep. " +
	"Messages to you come by themselves; no tool needs to be asked again and again."

// New returns a server of the tools.
func New(cfg Config) *Server {
	s := &Server{cfg: cfg}
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: "afar", Title: "Afar", Version: cfg.Version}, &mcp.ServerOptions{
		Instructions: about,
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	})
	s.http = mcp.NewStreamableHTTPHandler(
		func(*http.Request) *mcp.Server { return s.mcp },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxBody})
	s.offerRuns()
	s.offerInbox()
	s.offerTopics()
	s.offerMemory()
	s.offerWakes()
	s.offerSuggestions()
	s.offerGaps()
	return s
}
