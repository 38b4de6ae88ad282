package hook

import (
	"encoding/json"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/wire"
)

const (
	maxPayloadLog = 4 << 20
	maxLeaf       = 1 << 10   // of one text in a payload
	maxRecorded   = 256 << 10 // of one call; longer ones are not recorded
)

// debug records what a hook read and printed, masked, while the person debugs. It reads
// the debug mark itself and does not rely on the hook, because a session can change the
// hook's environment.
func (s *Server) debug(_ *door.Call, in wire.DebugRequest) (out wire.None, err error) {
	d, on := home.Debugging(s.cfg.Place.Dirs, time.Now())
	if !on || !d.Payloads {
		return out, nil
	}
	raw, err := json.Marshal(in)
	if err != nil {
		return out, door.BadRequest("debug: %v", err)
	}
	if len(raw) > maxRecorded {
		return out, nil
	}
	text, err := redact.MaskJSON(raw, maxLeaf)
	if err != nil {
		return out, door.BadRequest("debug: %v", err)
	}
	return out, home.AppendLine(s.cfg.Place.Dirs.PayloadLog(), []byte(text+"\n"), maxPayloadLog)
}
