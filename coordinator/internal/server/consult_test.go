//go:build unix

package server

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/peer"
	"github.com/afar-sh/afar/coordinator/wire"
)

// TestConsulted checks that a consultation that a consulted model begins is recognised by the
// ancestors of its process.
func TestConsulted(t *testing.T) {
	s := New(Config{Self: wire.Coordinator{PID: 7}})
	s.running["con_1"] = consultation{pid: 50}
	line := func(pids ...int) (out []peer.Process) {
		for _, pid := range pids {
			out = append(out, peer.Process{PID: pid})
		}
		return out
	}
	for _, c := range []struct {
		line []peer.Process
		want bool
	}{
		{line(90, 80, 1), false},
		{line(90, 80, 50, 20, 1), true}, // a model that `afar consult` runs
		{line(90, 80, 7, 1), true},      // a reviewer of ours
		{line(7, 1), false},             // ourselves
		{nil, false},
	} {
		if got := s.consulted(c.line); got != c.want {
			t.Errorf("%v: %t", c.line, got)
		}
	}
}

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

// TestConsultBound checks the limit of running consultations. Only living ones count.
func TestConsultBound(t *testing.T) {
	r := newOwnRig(t)
	gone, err := os.StartProcess("/bin/sh", []string{"sh", "-c", ":"}, &os.ProcAttr{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gone.Wait(); err != nil {
		t.Fatal(err)
	}
	for i := range maxConsults {
		r.running[fmt.Sprint("old", i)] = consultation{pid: gone.Pid}
	}
	var ids []string
	for range maxConsults {
		out, err := r.consultBegin(&call{op: string(wire.OpConsultBegin), line: []peer.Process{{PID: os.Getppid()}}},
			wire.None{})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, out.ID)
		one := r.running[ids[len(ids)-1]]
		r.running[ids[len(ids)-1]] = consultation{pid: os.Getpid(), who: one.who}
	}
	_, err = r.consultBegin(&call{op: string(wire.OpConsultBegin), line: []peer.Process{{PID: os.Getppid()}}},
		wire.None{})
	if err == nil || !strings.Contains(err.Error(), "run already") {
		t.Errorf("one more than may run: %v", err)
	}
	end := func(pid int, in string) error {
		_, err := operations[string(wire.OpConsultEnd)].do(r,
			&call{op: string(wire.OpConsultEnd), line: []peer.Process{{PID: pid}}, body: []byte(in)})
		return err
	}
	for _, in := range []string{``, `[]`, `{}`, `{"id":"con_x","by":"codex"}`, `{"id":7}`} {
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
	if end(os.Getpid(), fmt.Sprintf(`{"id":%q,"by":"codex"}`, ids[1])) == nil {
		t.Error("an answer without a digest counts")
	}
	if err := end(os.Getpid(), fmt.Sprintf(`{"id":%q,"ended":true}`, ids[2])); err != nil {
		t.Error(err)
	}
	log, err := r.cfg.Core.Journal(t.Context(), 0, 50, "", false)
	if err != nil || len(log) != 2 || log[1].Kind != "consult.answered" ||
		!strings.Contains(log[1].Text, "codex (/bin/codex) was asked and answered 3 bytes") {
		t.Errorf("%+v, %v", log, err)
	}
}
