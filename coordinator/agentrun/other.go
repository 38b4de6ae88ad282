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

func launch(string, []string, func(string) string) error { return errSystem }
func becomeAgent(string, string, []string) error         { return errSystem }
func (t *turn) takeAgent() (*agent, error)               { return nil, errSystem }
func (t *turn) follow(host.Stream) error                 { return t.end(t.result(exit{code: -1})) }
func (t *turn) converse(host.Talker) error               { return t.end(t.result(exit{code: -1})) }
