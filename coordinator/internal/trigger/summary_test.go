package trigger

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
)

// TestAnew: the agent of a new conversation is told what the earlier one was about, in order and
// within bounds, without secrets.
func TestAnew(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 11, 23, 14, minute, 0, 0, time.UTC) }
	old := run.Run{
		Turns: 2, Result: "The build is green.\nToken: sk-ant-api03-0123456789abcdefghijABCDEFGHIJ0123456789",
	}
	events := []run.Event{
		{Kind: run.Result, At: at(6), Text: "It fails\nin the linker."},
		{Kind: run.Text, At: at(7), Text: "on the way"},
		{Kind: run.Result, At: at(9), Text: "The build is green."},
	}
	texts := []message.Message{
		{By: "trigger ci", At: at(5), State: message.Done, Text: "The build fails."},
		{By: "Ann", At: at(8), State: message.Done, Text: "Try again."},
		{By: "trigger ci", At: at(10), State: message.Pending, Text: "It fails again."},
	}
	want := `Afar: this continues an earlier conversation that cannot be resumed any more (2 turns).
You do not have its texts. What is known of it, the oldest first:
<data-n1>
- 2026-11-23 14:05 it was told by trigger ci: The build fails.
- 2026-11-23 14:06 it came to: It fails in the linker.
- 2026-11-23 14:08 it was told by Ann: Try again.
- 2026-11-23 14:09 it came to: The build is green.
- 2026-11-23 14:10 it has not read, from trigger ci: It fails again.

Its last result:
The build is green.
Token: •••
</data-n1>

`
	if have := Anew(old, events, texts, "n1"); have != want {
		t.Errorf("have %s\nwant %s", have, want)
	}
	for i := range 1000 {
		texts = append(texts, message.Message{
			By: "Ann", At: at(11).Add(time.Duration(i)), Text: fmt.Sprint(i, strings.Repeat(" long", 1000)),
		})
	}
	old.Result = strings.Repeat("long ", 10_000)
	have := Anew(old, events, texts, "n1")
	if len(have) > 8000 || !strings.Contains(have, "(993 earlier texts left out)") ||
		!strings.Contains(have, "Ann: 999 long") {
		t.Errorf("%d bytes: %.400s", len(have), have)
	}
	if have := Anew(run.Run{}, nil, nil, "n1"); !strings.Contains(have, "Nothing is known of it.") ||
		strings.Contains(have, "<data") {
		t.Errorf("nothing is known: %s", have)
	}
}
