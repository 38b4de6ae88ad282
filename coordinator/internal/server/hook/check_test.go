package hook

import "testing"

// TestCleanOutput: what a check prints is kept without colours and with plain ends of lines.
func TestCleanOutput(t *testing.T) {
	if got := cleanOutput("\x1b[31;1mred\x1b[0m\r\nplain"); got != "red\nplain" {
		t.Errorf("kept is %q", got)
	}
}
