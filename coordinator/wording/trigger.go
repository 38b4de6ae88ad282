package wording

import (
	"fmt"
	"strings"

	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// TriggerState returns the words for the state of a trigger.
func TriggerState(t wire.Trigger) string {
	switch {
	case t.State == wire.TriggerProposed && t.By == "":
		return "proposed: nobody has approved it"
	case t.State == wire.TriggerProposed:
		return "proposed: its file was changed"
	case t.State == wire.TriggerBroken:
		return "cannot be understood"
	}
	return t.State
}

// TriggerProof says how the sender of a webhook uses its secret.
func TriggerProof(t wire.Trigger) string {
	switch t.Auth {
	case "standard":
		return "The sender signs id, time and body with it, as Standard Webhooks says. POST to " + t.Hook +
			" of the page."
	case "github":
		return "Enter it as the secret of the webhook at GitHub. POST to " + t.Hook + " of the page."
	}
	return "The sender puts it into the header X-Webhook-Secret. POST to " + t.Hook + " of the page."
}

// Firing says what came of a line of the ledger.
func Firing(f wire.Firing) string {
	var said []string
	if f.To != "" {
		said = append(said, "to "+f.To)
	}
	if f.By != "" {
		said = append(said, "by "+f.By)
	}
	if f.Why != "" {
		said = append(said, f.Why)
	}
	if f.Count > 0 {
		said = append(said, fmt.Sprintf("and %s before", text.Count(f.Count, "more time")))
	}
	return strings.Join(said, ", ")
}
