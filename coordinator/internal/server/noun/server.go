// Package noun answers what people, agents and programs ask about questions, sessions, loops, runs, tasks, triggers
// and all else that has a name: what there is, what one is like, and what is to be done with it. It also gives a
// runner its turn.
//
// The door has checked who asks. Whatever changes goes through core, or through the files that a person may edit; no
// text here is made for one channel, and no list is told to anybody who has not asked.
package noun

import (
	"context"
	"sync"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/usage"
	"github.com/afar-sh/afar/coordinator/internal/workplace"
	"github.com/afar-sh/afar/coordinator/peer"
	"github.com/afar-sh/afar/coordinator/wire"
)

// Config is what a Server needs. Its functions call parts of the program that this
// package must not import.
type Config struct {
	Core     *feature.Core
	Place    workplace.Reader
	Self     wire.Coordinator
	Shutdown func() // begins the shutdown; must not block
	Tasks    Tasks
	// Suggestions are the files of suggestions.
	Suggestions Suggestions
	Gaps        Notebook // gaps.md
	// Holds reports whether a transcript has a text that was given to its session at a time or
	// later. ok is false if nobody knows.
	Holds func(transcript, text string, since time.Time) (held, ok bool)
	// Discard removes a transcript that holds no conversation. gone is true if there is none.
	Discard func(transcript string) (gone bool)
	// Glance returns what the host's files say about the session of a transcript.
	Glance func(transcript string) usage.Glance
	// Spent returns what the session of a transcript used since a time, in no order.
	Spent func(transcript string, since time.Time) []usage.Spent
	// Steps returns the last tool calls of a transcript, newest first, at most most.
	Steps func(transcript string, most int) []usage.Step
	Guard func() wire.Guard
	// Config writes settings into config.toml and has them in force; it returns the lines that are new.
	Config  func(values map[string]string) (written []string, err error)
	Memory  Memory
	Modules Modules
	Parts   // see Connect
}

// Parts are the channels and workers that call the server, so they are made after it.
type Parts struct {
	Doctor   func() []wire.Check
	Telegram Telegram
	Page     Page
	Fleet    Fleet
	Runs     Runs
	Triggers Triggers
	// Tools answers a message of an agent that speaks MCP over stdio; see tools.Server.
	Tools func(ctx context.Context, line []peer.Process, id string, message []byte) ([]byte, error)
}

// A Server answers people, agents and programs.
type Server struct {
	cfg Config // its Core is that of one act, in a Server of Within
	*shared
}

// What the servers of a coordinator share.
type shared struct {
	deciding sync.Mutex // held while a decision about a suggestion is carried out
	creating sync.Mutex // held from the choice of a task's name until its folder is made

	mu     sync.Mutex
	posted map[string]paced // by author, see pace
}

// New returns a server.
func New(cfg Config) *Server {
	return &Server{cfg: cfg, shared: &shared{posted: map[string]paced{}}}
}

// Connect gives the server the parts that call it, before the first call.
func (s *Server) Connect(p Parts) { s.cfg.Parts = p }

// Within returns the server as it works on a Core: that of the coordinator, or that of one act.
func (s *Server) Within(c *feature.Core) *Server {
	if c == s.cfg.Core {
		return s
	}
	within := &Server{cfg: s.cfg, shared: s.shared}
	within.cfg.Core = c
	return within
}
