package telegram

import (
	"fmt"

	"github.com/afar-sh/afar/coordinator/internal/ask"
)

// underway says below a card of another machine what is known of its answer: it is on its way, or the machine cannot be
// reached. A card whose answer is on its way has no buttons.
func (r rendered) underway(from *ask.From) rendered {
	var note string
	switch {
	case from.Sent != "" && from.Away != "":
		r.rows, note = nil, fmt.Sprintf("📤 %s. It waits for %s, not reachable since %s.", from.Sent, from.Name, from.Away)
	case from.Sent != "":
		r.rows, note = nil, fmt.Sprintf("📤 %s, on its way to %s.", from.Sent, from.Name)
	case from.Away != "":
		note = fmt.Sprintf("💤 %s is not reachable since %s.", from.Name, from.Away)
	default:
		return r
	}
	note = "\n" + escape(note)
	if units(plain(r.html+note)) <= maxText {
		r.html += note
	}
	return r
}
