//go:build unix

package server_test

import (
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/wire"
)

// TestPromptBringsBoth checks that a late answer and a text of the person come with the same
// prompt: the answer once, the text until a hook takes it.
func TestPromptBringsBoth(t *testing.T) {
	r := newRig(t)
	prompt := func(delivery string) hookReply {
		return want[hookReply](t, r.hook(wire.OpPrompt, `,"prompt":"hi"`,
			func(h *hookRequest) { h.Delivery = delivery }), wire.CodeOK)
	}
	r.hook(wire.OpAskOpen, bash, func(h *hookRequest) { h.Ask, h.Kind, h.Park = "p", "guard", true })
	if got := prompt("d0"); got.Texts != 0 || got.Context != "" {
		t.Errorf("before: %+v", got)
	}
	_, err := r.core.Answer("p", ask.Decision{Allow: true, By: "Ada"})
	r.ok(err)
	_, err = r.core.Written(core.Press{
		Act:      channel.Act{Channel: "phone", Update: 1, At: "6"},
		Decision: ask.Decision{By: "Ada", Channel: "phone"}, Text: "go on",
	})
	r.ok(err)
	if got := prompt("d1"); got.Texts != 1 || !strings.Contains(got.Context, "make") {
		t.Errorf("have %+v", got)
	}
	if got := prompt("d2"); got.Texts != 1 || got.Context != "" {
		t.Errorf("again: %+v", got)
	}
	took := want[hookReply](t, r.hook(wire.OpMessageTake, "", func(h *hookRequest) { h.Delivery = "d" }), wire.CodeOK)
	if took.Text != "go on" {
		t.Errorf("took %+v", took)
	}
}
