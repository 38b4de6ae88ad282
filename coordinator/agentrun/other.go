//go:build !unix

package agentrun

import (
	"errors"

	"github.com/afar-sh/afar/coordinator/host"
)

// errSystem says that no turn runs on this system.
var errSystem = errors.New("runs are not supported on this system")

type agent struct{}

type exit struct {
	code   int
	killed bool
}

func (*agent) kill() {}

// Run returns an error on this system.
func (i Interactive) Run() error { return errSystem }

// Holder returns no process on this system.
func Holder(string) (pid int, held bool) { return 0, false }

func launch(string, []string, func(string) string) error { return errSystem }
func becomeAgent(string, string, []string) error         { return errSystem }
func (t *turn) takeAgent() (*agent, error)               { return nil, errSystem }
func (t *turn) follow(host.Stream) error                 { return t.end(t.result(exit{code: -1})) }
func (t *turn) converse(host.Talker) error               { return t.end(t.result(exit{code: -1})) }
