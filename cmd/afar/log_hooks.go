package main

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/wire"
)

// logHooks shows the newest lines of the log of hooks, then those that come.
func (a *app) logHooks(ctx context.Context, l logging) error {
	err := a.tail(ctx, home.Dirs.HooksLog, l, l.hookLine(a.tokens(ctx)))
	if errors.Is(err, errNoLines) {
		return errors.New("no hook was recorded yet: afar debug lines, or start a session with AFAR_DEBUG=1")
	}
	return err
}

// tokens are the names of the living sessions, none without a coordinator.
func (a *app) tokens(ctx context.Context) map[string]string {
	s, _ := call(ctx, a, wire.OpStatus, wire.StatusRequest{}, running) // the lines are there without it
	out := map[string]string{}
	for _, v := range s.Sessions {
		out[v.ID] = v.Token
	}
	return out
}

// hookLine returns the drawing of the log of hooks. A line that is damaged is left out: the log is written by
// processes that may be killed.
func (l logging) hookLine(tokens map[string]string) drawing {
	return func(p *terminal.Page, line string) string {
		var v wire.HookLine
		if json.Unmarshal([]byte(line), &v) != nil {
			return ""
		}
		v.Token, v.Error = tokens[v.Session], redact.Clean(v.Error)
		switch {
		case l.session != "" && v.Session != l.session && v.Token != l.session:
			return ""
		case l.asJSON:
			text, _ := jsonText(v, "") // it was decoded just now
			return text
		}
		return terminal.HookLine(p, v)
	}
}
