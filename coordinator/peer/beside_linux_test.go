package peer

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestBeside: a process that is connected to a service is found from the service.
func TestBeside(t *testing.T) {
	if address := os.Getenv("AFAR_TEST_DIAL"); address != "" {
		conn, err := net.Dial("unix", address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_, _ = conn.Read(make([]byte, 1)) // until the service closes it
		return
	}
	address := filepath.Join(t.TempDir(), "control.sock")
	l, err := net.Listen("unix", address)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	self, err := look(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	// The other one must not look like a worker, so another program is between.
	guest := exec.Command("/bin/sh", "-c", `"$0" -test.run 'TestBeside$'; :`, os.Args[0])
	guest.Env = append(os.Environ(), "AFAR_TEST_DIAL="+address)
	if err := guest.Start(); err != nil {
		t.Fatal(err)
	}
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	lines, err := Beside([]Process{self})
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, line := range lines {
		found = found || len(line) > 1 && line[0].PID != self.PID && line[1].PID == guest.Process.Pid
	}
	if !found {
		t.Errorf("the guest is not among %+v", lines)
	}
	conn.Close()
	if err := guest.Wait(); err != nil {
		t.Error(err)
	}
	if lines, _ := Beside([]Process{self}); len(lines) > 0 {
		t.Errorf("somebody is left: %+v", lines)
	}
}

func FuzzEnds(f *testing.F) {
	f.Add(unixRequest())
	f.Fuzz(func(t *testing.T, reply []byte) {
		ends := map[string]string{}
		readEnds(reply, ends)
		if len(ends) > len(reply) {
			t.Error("more ends than bytes")
		}
	})
}
