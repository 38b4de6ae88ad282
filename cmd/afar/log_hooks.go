package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/logfile"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/wire"
)

// maxHookLog bounds what is read of one file of the log of hooks.
const maxHookLog = 4 << 20

// readAgain is the pause between two looks at the log of hooks.
const readAgain = 300 * time.Millisecond

// A hookLog reads the log of hooks.
type hookLog struct {
	dirs   home.Dirs
	tokens map[string]string // of the sessions that live, by id
	logging
}

// logHooks shows the newest lines of the log of hooks, then those that come.
func (a *app) logHooks(ctx context.Context, l logging) error {
	d, err := a.dirs()
	if err != nil {
		return err
	}
	h := hookLog{d, a.tokens(ctx), l}
	past, err := h.read()
	if err != nil {
		return err
	}
	if len(past) == 0 && !l.follow {
		return errNoHookLines
	}
	if err := a.hookLines(past[max(0, len(past)-l.last):], l.asJSON); err != nil || !l.follow {
		return err
	}
	seen := len(past)
	for pause(ctx, readAgain) == nil {
		fresh, err := h.read()
		if err != nil {
			return err
		}
		if len(fresh) < seen { // the log was put aside
			seen = 0
		}
		if err := a.hookLines(fresh[seen:], l.asJSON); err != nil {
			return err
		}
		seen = len(fresh)
	}
	return nil
}

// tokens are the names of the living sessions, none without a coordinator.
func (a *app) tokens(ctx context.Context) map[string]string {
	var s wire.StatusReply
	_ = call(ctx, a, wire.OpStatus, wire.StatusRequest{}, &s, running) // the lines are there without it
	out := map[string]string{}
	for _, v := range s.Sessions {
		out[v.ID] = v.Token
	}
	return out
}

// read returns the recorded lines, oldest first. A line that is damaged is left
// out: the log is written by processes that may be killed.
func (h hookLog) read() (out []wire.HookLine, err error) {
	for _, path := range []string{h.dirs.HooksLog() + ".1", h.dirs.HooksLog()} {
		raw, err := logfile.Tail(path, maxHookLog)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read log of hooks: %w", err)
		}
		for line := range bytes.Lines(raw) {
			var v wire.HookLine
			if json.Unmarshal(line, &v) != nil {
				continue
			}
			v.Token, v.Error = h.tokens[v.Session], redact.Clean(v.Error)
			if h.session == "" || v.Session == h.session || v.Token == h.session {
				out = append(out, v)
			}
		}
	}
	return out, nil
}

func (a *app) hookLines(lines []wire.HookLine, asJSON bool) error {
	if !asJSON {
		terminal.HookLines(a.page(), lines)
		return nil
	}
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	for _, v := range lines {
		if err := enc.Encode(v); err != nil {
			return fmt.Errorf("print line: %w", err)
		}
	}
	return nil
}
