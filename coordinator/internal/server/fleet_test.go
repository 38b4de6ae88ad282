//go:build unix

package server_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/fleet"
	"github.com/afar-sh/afar/coordinator/wire"
)

// TestOrderUnknown checks that an order of a newer hub is refused by name, once: as an error it would be tried for ever,
// and no later order would be carried out.
func TestOrderUnknown(t *testing.T) {
	r := newRig(t)
	r.ok(r.core.Receive([]channel.Update{{Channel: fleet.Channel, ID: 5, Body: []byte("{}")}}))
	act := channel.Act{Channel: fleet.Channel, Update: 5, At: fleet.Channel, Tap: "5 life", By: "Ann"}
	r.ok(r.server.Act(t.Context(), act, "later.op", json.RawMessage("{}")))
	left, err := r.core.Received(fleet.Channel)
	r.ok(err)
	if len(left) > 0 {
		t.Errorf("the order is still to be dealt with: %+v", left)
	}
	a, ok, _, err := r.store.Due(fleet.Channel, time.Now().Add(time.Second), time.UnixMilli(0), "")
	r.ok(err)
	if !ok || !strings.Contains(a.Data, wire.CodeUnknownOp) || !strings.Contains(a.Data, "later.op") {
		t.Errorf("the hub hears %+v", a)
	}
}
