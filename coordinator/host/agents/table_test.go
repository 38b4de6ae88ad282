package agents

import (
	"os"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/host"
)

// rows are the agents of the table in docs/runs.md: the protocol and the program.
var rows = []struct{ name, protocol, program string }{
	{"`claude`", "claude", "claude"},
	{"`codex`", "codex", "codex"},
	{"`gemini`", "acp", "gemini"},
	{"`opencode`", "acp", "opencode"},
	{"other programs with ACP", "acp", "other"},
}

// TestTable: the table of docs/runs.md says what the code says.
func TestTable(t *testing.T) {
	raw, err := os.ReadFile("../../../docs/runs.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{
		"| agent | the guard judges | modes | continues | interrupted | usage | message in a turn | survives " +
			"agent-run | keeps a parked call | terminal |",
		"|---|---|---|---|---|---|---|---|---|---|",
	}
	for _, r := range rows {
		if a, err := Speaking(r.protocol); err == nil {
			lines = append(lines, row(r.name, a.Abilities(r.program)))
		}
	}
	if want := strings.Join(lines, "\n"); !strings.Contains(string(raw), want) {
		t.Errorf("docs/runs.md does not have this table:\n%s", want)
	}
}

func row(name string, can host.Abilities) string {
	cells := []string{
		name, can.Guard, strings.Join(can.Modes, ", "), yes(can.Resume), yes(can.Interrupt), can.Usage, yes(can.Text),
		yes(can.Survives), yes(can.Keeps), yes(can.Terminal),
	}
	return "| " + strings.Join(cells, " | ") + " |"
}

func yes(can bool) string {
	if can {
		return "yes"
	}
	return "no"
}

// TestSpeaking: a protocol has at most one adapter, which is of exactly one transport.
func TestSpeaking(t *testing.T) {
	for name, a := range protocols {
		_, streams := a.(host.Streamer)
		_, talks := a.(host.Talker)
		if streams == talks {
			t.Errorf("%s streams: %t, talks: %t", name, streams, talks)
		}
	}
	if _, err := Speaking("telnet"); err == nil || !strings.Contains(err.Error(), "unknown protocol") {
		t.Errorf("an unknown protocol: %v", err)
	}
}
