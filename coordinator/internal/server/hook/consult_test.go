//go:build unix

package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/peer"
	"github.com/afar-sh/afar/coordinator/wire"
)

// TestConsultWords checks that the texts of programs are journalled in one short line without
// secrets.
func TestConsultWords(t *testing.T) {
	text := missed([]wire.Missed{{By: "co\ndex",
		Why: "bad key sk-ant-api03-0123456789abcdefghijABCDEFGHIJ0123456789\u202e\x1b[2J" + strings.Repeat("x", 5000)},
		{By: "gemini", Why: "not installed"}})
	if strings.ContainsAny(text, "\n\x1b\u202e") || strings.Contains(text, "0123456789abcdefghij") ||
		len(text) > 600 || !strings.HasSuffix(text, "gemini: not installed") {
		t.Errorf("%q", text)
	}
}

// TestConsultEnd checks which reports of a consultation count, and what the journal says of it.
func TestConsultEnd(t *testing.T) {
	r := newOwnRig(t)
	var ids []string
	begun := []int{os.Getpid(), os.Getppid(), 1} // processes that live
	for _, pid := range begun {
		out, err := r.consultBegin(&door.Call{Line: []peer.Process{{PID: pid}}}, wire.None{})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, out.ID)
	}
	below := &door.Call{Line: []peer.Process{{PID: 2}, {PID: begun[0]}}}
	if _, err := r.consultBegin(below, wire.None{}); !errors.Is(err, door.ErrDenied) {
		t.Errorf("a consulted model consults: %v", err)
	}
	end := func(pid int, in string) error {
		var asked wire.ConsultEndRequest
		if err := json.Unmarshal([]byte(in), &asked); err != nil {
			t.Fatal(err)
		}
		_, err := r.consultEnd(&door.Call{Line: []peer.Process{{PID: pid}}}, asked)
		return err
	}
	for _, in := range []string{`{}`, `{"id":"con_x","by":"codex"}`} {
		if end(os.Getpid(), in) == nil {
			t.Errorf("%s ends one", in)
		}
	}
	whole := fmt.Sprintf(`{"id":%q,"by":"codex","path":"/bin/codex","digest":"%064d","bytes":3}`, ids[0], 0)
	if end(os.Getppid(), whole) == nil {
		t.Error("another process ends one")
	}
	if err := end(os.Getpid(), whole); err != nil {
		t.Error(err)
	}
	if end(os.Getpid(), whole) == nil {
		t.Error("one counts twice")
	}
	if end(begun[1], fmt.Sprintf(`{"id":%q,"by":"codex"}`, ids[1])) == nil {
		t.Error("an answer without a digest counts")
	}
	if err := end(begun[2], fmt.Sprintf(`{"id":%q,"ended":true}`, ids[2])); err != nil {
		t.Error(err)
	}
	log, err := r.cfg.Core.Journal(t.Context(), 0, 50, "", false)
	if err != nil || len(log) != 2 || log[1].Kind != "consult.answered" ||
		!strings.Contains(log[1].Text, "codex (/bin/codex) was asked and answered 3 bytes") {
		t.Errorf("%+v, %v", log, err)
	}
}
