package server

import (
	"encoding/json"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/wire"
)

const (
	maxPayloadLog = 4 << 20
	maxLeaf       = 1 << 10   // of a text in a payload that is kept
	maxRecorded   = 256 << 10 // of a call that is recorded
)

// debug records what a hook read and printed, masked, while the person wants it.
// A hook that says so does not count: a session's environment reaches it.
func (s *Server) debug(c *call, in wire.DebugRequest) (out wire.DebugReply, err error) {
	d, on := home.Debugging(s.cfg.Dirs, time.Now())
	if !on || !d.Payloads || len(c.body) > maxRecorded {
		return out, nil
	}
	raw, err := json.Marshal(in)
	if err != nil {
		return out, badRequest("debug: %v", err)
	}
	text, err := redact.MaskJSON(raw, maxLeaf)
	if err != nil {
		return out, badRequest("debug: %v", err)
	}
	return out, home.AppendLine(s.cfg.Dirs.PayloadLog(), []byte(text+"\n"), maxPayloadLog)
}
