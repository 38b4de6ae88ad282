//go:build unix

package opinions

import (
	"errors"
	"os"
	"testing"

	"github.com/afar-sh/afar/coordinator/peer"
)

// TestConsulted checks that a consultation that a consulted model begins is recognised by the
// ancestors of its process.
func TestConsulted(t *testing.T) {
	d := NewDesk(7)
	d.running["con_1"] = Consultation{PID: 50}
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
		if got := d.consulted(c.line); got != c.want {
			t.Errorf("%v: %t", c.line, got)
		}
	}
}

// TestBound checks the limit of running consultations. Only living ones count, and only the process that began one
// ends it, once.
func TestBound(t *testing.T) {
	d := NewDesk(7)
	gone, err := os.StartProcess("/bin/sh", []string{"sh", "-c", ":"}, &os.ProcAttr{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gone.Wait(); err != nil {
		t.Fatal(err)
	}
	parent, own := []peer.Process{{PID: os.Getppid()}}, []peer.Process{{PID: os.Getpid()}}
	for i := range most {
		d.running[string(rune('a'+i))] = Consultation{PID: gone.Pid}
	}
	var ids []string
	for range most {
		id, err := d.Begin(parent, Consultation{})
		if err != nil {
			t.Fatal(err)
		}
		d.running[id] = Consultation{PID: os.Getpid()} // nothing that it runs is consulted
		ids = append(ids, id)
	}
	if _, err := d.Begin(parent, Consultation{}); !errors.Is(err, errMany) {
		t.Errorf("one more than may run: %v", err)
	}
	if _, err := d.Begin(own, Consultation{}); !errors.Is(err, errConsulted) {
		t.Errorf("a consulted model consults: %v", err)
	}
	if _, ok := d.End(ids[0], parent); ok {
		t.Error("another process ends one")
	}
	if _, ok := d.End(ids[0], own); !ok {
		t.Error("its process does not end it")
	}
	if _, ok := d.End(ids[0], own); ok {
		t.Error("one counts twice")
	}
}
